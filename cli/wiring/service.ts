/** The composition root: from a configuration to a running service, and back down in the opposite order. */
import { chmod, mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Logger } from 'pino';
import { createApp } from '../../api/http/app.ts';
import type { Readiness } from '../../api/http/health-routes.ts';
import { createAllOperations } from '../../api/http/operations.ts';
import { cacheTokenLookups } from '../../api/http/token-cache.ts';
import { systemClock as clock } from '../../engine/clock.ts';
import type { QueryRunner } from '../../engine/ports/dashboards.ts';
import { ServiceError } from '../../engine/errors.ts';
import { builtInKinds, type PluginKind } from '../../engine/job/task-kinds.ts';
import type { WorkspaceInfo } from '../../engine/run/workspace-info.ts';
import type { RunStore } from '../../engine/ports/runs.ts';
import { hashToken } from '../../engine/token/token.ts';
import { loadPlugins } from '../../runners/plugin/load-plugins.ts';
import { createQueryPool } from '../../runners/query/query-pool.ts';
import { migrate } from '../../storage/migrations/migrate.ts';
import {
  openDatabase,
  ping,
  type DatabaseAddress,
  type OpenDatabase,
} from '../../storage/postgres/database.ts';
import { createDeliveryLog } from '../../storage/postgres/deliveries/delivery-log.ts';
import { createDestinationStore } from '../../storage/postgres/deliveries/destinations.ts';
import {
  createClassicDashboardStore,
  createDashboardStore,
} from '../../storage/postgres/dashboards/dashboards.ts';
import { startEmbeddedPostgres } from '../../storage/embedded/embedded-postgres.ts';
import { isTransientError } from '../../storage/postgres/transient-errors.ts';
import { createPermissionStore } from '../../storage/postgres/jobs/job-permissions.ts';
import { readInstallation } from '../../storage/postgres/installation.ts';
import { createLogFiles } from '../../storage/files/log-files.ts';
import { createManagedFileStore } from '../../storage/files/managed-files.ts';
import { createNotebookFiles } from '../../storage/files/notebook-files.ts';
import { createQueryFiles } from '../../storage/files/query-files.ts';
import { createPipelineFiles } from '../../storage/files/pipeline-files.ts';
import { createPipelineStore } from '../../storage/postgres/pipelines/pipelines.ts';
import { createRoots, type Roots } from '../../storage/files/roots.ts';
import { createJobStore, createRunReader, createRunRemover } from '../../storage/postgres/stores.ts';
import { createTokenLookup } from '../../storage/postgres/tokens/token-lookup.ts';
import { createTokenStore, ensureBootstrapAdmin } from '../../storage/postgres/tokens/tokens.ts';
import { createWorkspaceStore } from '../../storage/files/workspace.ts';
import { ensureBootstrapToken } from './bootstrap-token.ts';
import type { Config } from '../config.ts';
import { startEngine, type Engine } from './engine-node.ts';
import { startHousekeeping } from '../housekeeping/housekeeping.ts';
import { bindDataDirectory } from './data-directory-checks.ts';
import { resolveIsolation, resolveTaskUser } from './isolation.ts';
import { startNotifications } from './notifications.ts';
import { createPeople, readTls, type People } from './people.ts';
import { startSchedules } from './schedules.ts';

const day = 24 * 60 * 60 * 1_000;

export interface Service {
  /** Where it listens, without a slash at the end. */
  readonly url: string;
  /** The token of the first administrator. */
  readonly token: string;
  /** True when this start generated the token. */
  readonly tokenIsNew: boolean;
  /**
   * Takes no new work, and resolves when the tasks that run are over; requests are answered meanwhile. Before
   * `stop`.
   */
  drain(): Promise<void>;
  /** Stops accepting, lets go of running tasks (they go on), stops the embedded database. Idempotent. */
  stop(): Promise<void>;
}

/**
 * Starts the service; it is ready to take runs when this resolves. When a part fails to start, those before
 * it are stopped again.
 * @throws DirectoryInUseError when another engine holds the data directory; Error for whatever else prevents
 *   the start
 */
export async function startService(config: Config, log: Logger): Promise<Service> {
  const closers: (() => Promise<void>)[] = [];
  const stop = async (): Promise<void> => {
    let failed: unknown;
    // Every part is stopped, whatever becomes of the others: nothing may be left running.
    for (let close = closers.pop(); close !== undefined; close = closers.pop())
      await close().catch((error: unknown) => {
        failed ??= error;
      });
    if (failed !== undefined) throw failed;
  };
  try {
    return { ...(await startParts(config, log, closers)), stop };
  } catch (error) {
    await stop();
    throw error;
  }
}

async function startParts(
  config: Config,
  log: Logger,
  closers: (() => Promise<void>)[],
): Promise<Omit<Service, 'stop'>> {
  const tls = await readTls(config);
  const plugins = await loadPlugins(config.plugins, config.taskEnvironment);
  const tasks = await resolveTaskUser(config);
  await createDataDirectory(config.dataDirectory);
  const address = await resolveDatabaseAddress(config, log, closers);
  const database = openDatabase(address, log);
  closers.push(() => database.close());
  await migrate(database.db, log);
  await bindDataDirectory(config.dataDirectory, await readInstallation(database.db));
  const { token, isNew } = await ensureBootstrapToken(config);
  await ensureBootstrapAdmin(database.db, hashToken(token), clock.now());
  const roots = createRoots({
    dataDirectory: config.dataDirectory,
    allowedRoots: config.allowedRoots,
    taskUser: tasks,
  });
  const isolation = await resolveIsolation(
    config,
    roots,
    tasks,
    typeof address === 'string' ? [] : [address.host],
  );
  // A port that the system picks is known once the service listens; the tasks that it adopts before have
  // their address already.
  let url = `${tls === undefined ? 'http' : 'https'}://${config.host}:${config.port}`;
  const site: WorkspaceInfo = { publicUrl: () => config.publicUrl ?? url, workspaceId: '1' };
  const engine = await startEngine({
    config,
    address,
    database,
    roots,
    workspaceInfo: site,
    plugins,
    isolation,
    clock,
    log,
  });
  closers.push(() => engine.close());
  const launching = {
    clock,
    limits: config.limits,
    nodeId: engine.nodeId,
    acceptRun: engine.coordinator.accept,
  };
  const schedules = await startSchedules(address, database, launching, clock, log);
  closers.push(() => schedules.close());
  const retentionMs = config.limits.runRetentionDays * day;
  const deliveryRetentionMs = config.limits.deliveryRetentionDays * day;
  const housekeeping = await startHousekeeping(
    {
      address,
      dataDirectory: config.dataDirectory,
      retentionMs,
      deliveryRetentionMs,
      auditRetentionMs: config.limits.auditRetentionDays * day,
      libraryRetentionMs: config.limits.libraryRetentionDays * day,
    },
    log,
  );
  closers.push(() => housekeeping.stop());
  const launchGate = { isOpen: true };
  const people = createPeople(database, clock, log);
  closers.push(() => people.close());
  const queries = createQueryPool({ directory: roots.managedFs.directory, limits: config.limits, log });
  closers.push(() => queries.close());
  const app = createServiceApp({
    config,
    database,
    engine,
    roots,
    workspaceInfo: site,
    log,
    launchGate,
    people,
    queries,
    tls,
    plugins,
  });
  closers.push(async () => app.close());
  url = (await app.listen({ host: config.host, port: config.port })).replace(/\/$/, '');
  // Only now, because messages link to the address.
  const notices = startNotifications({
    config,
    address,
    database,
    roots,
    files: engine.files,
    workspaceInfo: site,
    nodeId: engine.nodeId,
    clock,
    log,
  });
  closers.push(() => notices.close());
  const drain = async (): Promise<void> => {
    launchGate.isOpen = false;
    // What is due from now on is fired by another engine, or by the next start.
    await schedules.close();
    return engine.drain();
  };
  return { url, token, tokenIsNew: isNew, drain };
}

/** As root, the user of the embedded database must be able to pass through to its own directory. */
async function createDataDirectory(directory: string): Promise<void> {
  const made = await mkdir(directory, { recursive: true });
  if (made !== undefined) await chmod(directory, 0o711);
}

async function resolveDatabaseAddress(
  config: Config,
  log: Logger,
  closers: (() => Promise<void>)[],
): Promise<DatabaseAddress> {
  if (config.databaseUrl !== undefined) return config.databaseUrl;
  const postgres = await startEmbeddedPostgres({
    directory: join(config.dataDirectory, 'postgres'),
    log,
    clock,
  });
  closers.push(() => postgres.stop());
  return postgres.connection;
}

interface AppDependencies {
  readonly config: Config;
  readonly database: OpenDatabase;
  readonly engine: Engine;
  readonly roots: Roots;
  readonly workspaceInfo: WorkspaceInfo;
  readonly log: Logger;
  readonly launchGate: LaunchGate;
  readonly people: People;
  readonly queries: QueryRunner;
  readonly tls: Awaited<ReturnType<typeof readTls>>;
  readonly plugins: readonly PluginKind[];
}

function createServiceApp({
  config,
  database,
  engine,
  roots,
  workspaceInfo,
  log,
  launchGate,
  people,
  queries,
  tls,
  plugins,
}: AppDependencies) {
  const { db } = database;
  const { limits } = config;
  const { runs, nodes, clusters, coordinator, queue, files, nodeId } = engine;
  const permissions = createPermissionStore(db);
  const enforced = config.jobAccessControl ? permissions : undefined;
  return createApp({
    operations: createAllOperations({
      jobs: createJobStore(db),
      permissions,
      owners: enforced?.listOwners,
      tokens: createTokenStore(db),
      runs: createRunReader(db),
      outputs: files,
      logs: createLogFiles(roots),
      notebooks: createNotebookFiles(roots),
      clock,
      limits,
      kinds: [...builtInKinds, ...plugins],
      clusters: clusters.reader,
      control: clusters.control,
      inventory: config.clusters,
      clusterRules: {
        inventory: config.clusters,
        requireExisting: config.clustersStrict,
        find: clusters.reader.find,
      },
      launching: {
        runs: withLaunchGate(runs, launchGate),
        clock,
        limits,
        nodeId,
        acceptRun: coordinator.accept,
      },
      nodes,
      cancelling: {
        runs,
        stopRun(runId, reason) {
          coordinator.stop(runId, reason);
          // Nobody drives a run in the queue.
          queue.wake();
        },
      },
      removing: { runs: createRunRemover(db), files },
      onJobChanged(retimed) {
        for (const { runId, settings } of retimed) coordinator.updateTimeouts(runId, settings);
        // Its limit may have been raised.
        queue.wake();
      },
      workspaceInfo,
      workspace: createWorkspaceStore(roots, limits),
      managedFiles: createManagedFileStore(roots),
      destinations: createDestinationStore(db),
      deliveries: createDeliveryLog(db),
      destinationRules: { limits, allowPrivate: config.webhookAllowPrivate },
      people: people.people,
      tokenRules: people.tokenRules,
      auditEvents: people.auditEvents,
      classicDashboards: createClassicDashboardStore(db),
      dashboards: createDashboardStore(db),
      queryFiles: createQueryFiles(roots),
      queries,
      ...engine.libraries,
      pipelines: createPipelineStore(db),
      pipelineFiles: createPipelineFiles(roots, limits.pipelineSourceBytes),
    }),
    auth: { tokens: cacheTokenLookups(createTokenLookup(db), clock), clock, log },
    plugins,
    audit: people.audit,
    tls,
    trustedProxies: config.trustedProxies,
    permissions: enforced,
    metrics: { databaseQueries: database.queryCount, activeRuns: coordinator.countDrivenRuns },
    metricsOpen: config.metricsOpen,
    consoleDirectory: fileURLToPath(new URL('../../console/built', import.meta.url)),
    checkReadiness: () => checkReadiness(database, launchGate),
    isTransientError,
    limits,
    log,
  });
}

/** Whether new runs are taken. */
interface LaunchGate {
  isOpen: boolean;
}

/**
 * The store of runs, whose launches are refused while the launch gate is closed: nothing has been done then, so that
 * it may be asked again.
 */
function withLaunchGate(runs: RunStore, launchGate: LaunchGate): RunStore {
  return {
    ...runs,
    async launchTransaction(steps, options) {
      if (!launchGate.isOpen)
        throw new ServiceError(
          'TEMPORARILY_UNAVAILABLE',
          'This engine is stopping and takes no new runs. Ask again when it is back, or ask another engine.',
          5,
        );
      return runs.launchTransaction(steps, options);
    },
  };
}

async function checkReadiness({ db }: OpenDatabase, launchGate: LaunchGate): Promise<Readiness> {
  if (!launchGate.isOpen)
    return {
      ready: false,
      reason: 'This engine is stopping: it waits for its running tasks and takes no new runs.',
    };
  return ping(db).then(
    () => ({ ready: true }),
    () => ({
      ready: false,
      reason: 'The database does not answer. Runs go on; new ones can be taken when it is back.',
    }),
  );
}
