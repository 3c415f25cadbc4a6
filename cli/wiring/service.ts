/** The composition root: starts every part of the service, and stops them in reverse order. */
import type { Logger } from 'pino';
import { systemClock as clock } from '../../engine/clock.ts';
import { loadPlugins } from '../../runners/plugin/load-plugins.ts';
import { createQueryPool } from '../../runners/query/query-pool.ts';
import type { EmbeddedPostgres } from '../../storage/embedded/embedded-postgres.ts';
import { createRoots } from '../../storage/files/roots.ts';
import { createUploads } from '../../storage/files/uploads.ts';
import { ensureBootstrapAdmin } from '../../storage/postgres/tokens/tokens.ts';
import { hashToken } from '../../engine/token/token.ts';
import type { Config } from '../config.ts';
import { startHousekeeping } from '../housekeeping/housekeeping.ts';
import { createApiServer } from './api-server.ts';
import { ensureBootstrapToken } from './bootstrap-token.ts';
import { openServiceDatabase, type ServiceDatabase } from './database.ts';
import { startDatabaseServer } from './database-server.ts';
import { startEngine } from './engine-node.ts';
import { resolveIsolation, resolveTaskUser } from './isolation.ts';
import { startNotifications } from './notifications.ts';
import { createPeople } from './people.ts';
import { startSchedules } from './schedules.ts';
import { createShutdown, type Shutdown } from './shutdown.ts';
import { readTls } from './tls.ts';

const dayMs = 24 * 60 * 60 * 1_000;

export interface Service {
  /** Base URL without a trailing slash. */
  readonly url: string;
  /** Token of the first administrator. */
  readonly token: string;
  /** True when this start generated the token. */
  readonly tokenIsNew: boolean;
  /**
   * Rejects new runs and resolves when the running tasks end. Other requests are served. Call before `stop`.
   */
  drain(): Promise<void>;
  /** Stops the service and the embedded database; running tasks continue without it. Idempotent. */
  stop(): Promise<void>;
}

/**
 * Starts the service and resolves when it accepts runs. If a part fails to start, stops the parts before it.
 * @param server of the data directory, when it is being started already
 * @throws DirectoryInUseError when another engine holds the data directory; Error for any other failure
 */
export async function startService(
  config: Config,
  log: Logger,
  server: Promise<EmbeddedPostgres | undefined> = startDatabaseServer(config, clock, log),
): Promise<Service> {
  const shutdown = createShutdown();
  // Its failure is reported where the database is opened.
  server.catch(() => undefined);
  // Also when another part fails first, while the server still starts.
  shutdown.add(async () => (await server.catch(() => undefined))?.stop());
  try {
    return { ...(await startParts(config, server, log, shutdown)), stop: shutdown.run };
  } catch (error) {
    await shutdown.run();
    throw error;
  }
}

async function startParts(
  config: Config,
  server: Promise<EmbeddedPostgres | undefined>,
  log: Logger,
  shutdown: Shutdown,
): Promise<Omit<Service, 'stop'>> {
  const tls = await readTls(config);
  const plugins = await loadPlugins(config.plugins, config.taskEnvironment);
  const taskUser = await resolveTaskUser(config);
  const { address, database } = await openServiceDatabase(config, server, log, shutdown);
  const { token, isNew: tokenIsNew } = await ensureBootstrapToken(config);
  await ensureBootstrapAdmin(database.db, hashToken(token), clock.now());
  const { dataDirectory, allowedRoots } = config;
  const roots = createRoots({ dataDirectory, allowedRoots, taskUser });
  const databaseDirectories = typeof address === 'string' ? [] : [address.host];
  const isolation = await resolveIsolation(config, roots, taskUser, databaseDirectories);
  // With port 0, the URL is final only after `listen`. Adopted tasks already have their URL.
  let url = `${tls === undefined ? 'http' : 'https'}://${config.host}:${config.port}`;
  const workspaceInfo = { publicUrl: () => config.publicUrl ?? url, workspaceId: '1' };
  const shared = { config, address, database, roots, workspaceInfo, clock, log };

  const engine = await startEngine({ ...shared, plugins, isolation });
  shutdown.add(() => engine.close());
  const { nodeId, files, coordinator, runEndListeners } = engine;
  const launching = {
    clock,
    limits: config.limits,
    nodeId,
    acceptRun: coordinator.accept,
    onSkipped: runEndListeners.notify,
  };
  const schedules = await startSchedules(address, database, launching, clock, log);
  shutdown.add(() => schedules.close());
  const housekeeping = await startHousekeeping(housekeepingOptions(config, address), log);
  shutdown.add(() => housekeeping.stop());
  const people = createPeople(database, clock, log);
  shutdown.add(() => people.close());
  const queries = createQueryPool({ directory: roots.managedFs.directory, limits: config.limits, log });
  shutdown.add(() => queries.close());

  const uploads = createUploads(roots, clock);
  await uploads.deleteAbandoned();
  shutdown.add(() => uploads.closeAll());

  const launchGate = { isOpen: true };
  const app = createApiServer({ ...shared, engine, launchGate, people, queries, uploads, tls, plugins });
  shutdown.add(async () => app.close());
  url = (await app.listen({ host: config.host, port: config.port })).replace(/\/$/, '');
  // After `listen`, because messages link to the URL.
  const notifications = startNotifications({ ...shared, files, nodeId });
  shutdown.add(() => notifications.close());
  const drain = async (): Promise<void> => {
    launchGate.isOpen = false;
    // Another engine, or the next start, fires the schedules that are due from now on.
    await schedules.close();
    return engine.drain();
  };
  return { url, token, tokenIsNew, drain };
}

function housekeepingOptions(
  { dataDirectory, limits }: Config,
  address: ServiceDatabase['address'],
): Parameters<typeof startHousekeeping>[0] {
  return {
    address,
    dataDirectory,
    retentionMs: limits.runRetentionDays * dayMs,
    deliveryRetentionMs: limits.deliveryRetentionDays * dayMs,
    auditRetentionMs: limits.auditRetentionDays * dayMs,
    libraryRetentionMs: limits.libraryRetentionDays * dayMs,
  };
}
