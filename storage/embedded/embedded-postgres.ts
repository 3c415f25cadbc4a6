/**
 * The PostgreSQL that the engine brings along: on a socket only, one engine per directory, gone when the
 * engine is.
 */
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

/** What is needed to connect: node-postgres understands `host` = socket directory. */
export interface EmbeddedConnection {
  readonly host: string;
  readonly port: number;
  readonly user: string;
  readonly password: string;
  readonly database: string;
}

export interface EmbeddedPostgres {
  readonly connection: EmbeddedConnection;
  /** Stops the server cleanly (fast shutdown), waits until it is gone, releases the lock. Idempotent. */
  stop(): Promise<void>;
}

export interface EmbeddedOptions {
  /** Absolute directory of this cluster, e.g. <data>/postgres; created when missing. */
  readonly directory: string;
  readonly log: Logger;
  readonly clock: Clock;
  /** For tests and scratch servers: gives up durability for speed. */
  readonly volatile?: boolean;
  /** Directory holding PostgreSQL's `bin` and `lib`; when absent, that of the platform's npm package. */
  readonly binaryDirectory?: string;
}

/**
 * Starts the cluster in `directory`, making it the first time, and returns when it accepts connections; from
 * then on it is started again whenever it ends by itself. Throws DirectoryInUseError when another engine has
 * the directory, and an Error with the end of the server's log when PostgreSQL cannot start.
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
  const place = await resolveLayout(directory, volatile, log);
  // A copied directory would point to the same stand-in, so that has a lock of its own.
  if (place.baseDirectory !== directory) locks.push(await lockDirectory(place.baseDirectory, clock));
  const logFile = join(directory, 'server.log');
  const [binaries, password, socketDirectory] = await Promise.all([
    prepareBinaries(place, options.binaryDirectory),
    ensurePassword(join(directory, 'password')),
    makeSocketDirectory(place),
  ]);
  const data = await ensureDataDirectory({ binaries, layout: place, password, logFile, volatile });
  await saveBaseDirectory(directory, place.baseDirectory);
  const plan = {
    program: binaries.postgres,
    arguments: serverArguments(data, socketDirectory, volatile),
    user: place.user,
    data,
    socketDirectory,
    logFile,
    clock,
    log,
  };
  const server = await superviseServer((signal) => startServer(plan, signal), clock, log);
  const stop = (): Promise<void> => stopAndCleanUp(server, place.baseDirectory, socketDirectory);
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
 * PostgreSQL has no "create database if not exists"; nobody else can create it here, so looking first is
 * enough.
 */
async function ensureDatabase(connection: EmbeddedConnection): Promise<void> {
  const client = new Client({ ...connection, database: 'postgres', ssl: false });
  // A connection that breaks fails the query; unheard, the event would end the engine as well.
  client.on('error', () => undefined);
  await client.connect();
  try {
    const found = await client.query('select from pg_database where datname = $1', [connection.database]);
    if (found.rowCount === 0) await client.query(`create database ${escapeIdentifier(connection.database)}`);
  } finally {
    await client.end();
  }
}
