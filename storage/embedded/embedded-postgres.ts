/** The embedded PostgreSQL: on a socket only, one engine per directory, stopped with the engine. */
import { mkdir, realpath, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { Client, escapeIdentifier } from 'pg';
import type { Logger } from 'pino';
import type { Clock } from '../../engine/clock.ts';
import { lockDirectory, type DirectoryLock } from './directory-lock.ts';
import { prepareBinaries } from './binaries.ts';
import { databaseName, ensureDataDirectory, ensurePassword, serverArguments } from './data-directory.ts';
import { resolveLayout, makeSocketDirectory, saveBaseDirectory, serverPort } from './directory-layout.ts';
import { startServer } from './server-process.ts';
import { superviseServer, type SupervisedServer } from './watchdog.ts';

/** Connection parameters; node-postgres accepts a socket directory as `host`. */
export interface EmbeddedConnection {
  readonly host: string;
  readonly port: number;
  readonly user: string;
  readonly password: string;
  readonly database: string;
}

export interface EmbeddedPostgres {
  readonly connection: EmbeddedConnection;
  /** Stops the server cleanly (fast shutdown), waits for its exit, and releases the lock. Idempotent. */
  stop(): Promise<void>;
}

export interface EmbeddedOptions {
  /** Absolute directory of this database cluster, such as <data>/postgres; created when missing. */
  readonly directory: string;
  readonly log: Logger;
  readonly clock: Clock;
  /** For tests and scratch servers: trades durability for speed. */
  readonly volatile?: boolean;
  /** Directory with PostgreSQL's `bin` and `lib`; default: that of the platform's npm package. */
  readonly binaryDirectory?: string;
}

/**
 * Starts the cluster in `directory`, creates it the first time, and returns when it accepts connections;
 * restarts it whenever it ends by itself. Throws DirectoryInUseError when another engine holds the
 * directory, and an Error with the end of the server's log when PostgreSQL cannot start.
 */
export async function startEmbeddedPostgres(options: EmbeddedOptions): Promise<EmbeddedPostgres> {
  const { clock } = options;
  await mkdir(options.directory, { recursive: true });
  const directory = await realpath(options.directory);
  const locks: DirectoryLock[] = [await lockDirectory(directory, clock)];
  const releaseLocks = async (): Promise<void> => {
    for (const lock of locks.toReversed()) await lock.release();
  };
  try {
    const { connection, stop } = await startLocked(options, directory, locks);
    const stopOnce = async (): Promise<void> => {
      await stop();
      await releaseLocks();
    };
    let stopped: Promise<void> | undefined;
    return { connection, stop: () => (stopped ??= stopOnce()) };
  } catch (error) {
    await releaseLocks();
    throw error;
  }
}

async function startLocked(
  options: EmbeddedOptions,
  directory: string,
  locks: DirectoryLock[],
): Promise<EmbeddedPostgres> {
  const { log, clock, volatile = false } = options;
  const layout = await resolveLayout(directory, volatile, log);
  // A copied data directory points to the same fallback directory, so the fallback has a lock of its own.
  if (layout.baseDirectory !== directory) locks.push(await lockDirectory(layout.baseDirectory, clock));
  const logFile = join(directory, 'server.log');
  const [binaries, password, socketDirectory] = await Promise.all([
    prepareBinaries(layout, options.binaryDirectory),
    ensurePassword(join(directory, 'password')),
    makeSocketDirectory(layout),
  ]);
  const data = await ensureDataDirectory({ binaries, layout, password, logFile, volatile });
  await saveBaseDirectory(directory, layout.baseDirectory);
  const plan = {
    program: binaries.postgres,
    arguments: serverArguments(data, socketDirectory, volatile),
    user: layout.user,
    data,
    socketDirectory,
    logFile,
    clock,
    log,
  };
  const server = await superviseServer((signal) => startServer(plan, signal), clock, log);
  const stop = (): Promise<void> => stopAndCleanUp(server, layout.baseDirectory, socketDirectory);
  const connection = {
    host: socketDirectory,
    port: serverPort,
    user: databaseName,
    password,
    database: databaseName,
  };
  try {
    await ensureDatabase(connection);
  } catch (error) {
    await stop();
    throw error;
  }
  return { connection, stop };
}

async function stopAndCleanUp(
  server: SupervisedServer,
  base: string,
  socketDirectory: string,
): Promise<void> {
  await server.stop();
  if (!socketDirectory.startsWith(base)) await rm(socketDirectory, { recursive: true, force: true });
}

/**
 * Creates the database when it is missing. PostgreSQL has no "create database if not exists"; a check is
 * enough, because no other process creates it.
 */
async function ensureDatabase(connection: EmbeddedConnection): Promise<void> {
  const client = new Client({ ...connection, database: 'postgres', ssl: false });
  // A broken connection fails the query; without a listener the event would end the process.
  client.on('error', () => undefined);
  await client.connect();
  try {
    const found = await client.query('select from pg_database where datname = $1', [connection.database]);
    if (found.rowCount === 0) await client.query(`create database ${escapeIdentifier(connection.database)}`);
  } finally {
    await client.end();
  }
}
