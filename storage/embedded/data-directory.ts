/** Data directory of the embedded PostgreSQL: password, atomic creation, and server settings. */
import { randomBytes } from 'node:crypto';
import { chown, open, readFile, rename, rm, stat, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { codeOf } from '../../engine/errors.ts';
import type { Binaries } from './binaries.ts';
import { spawnManaged } from './command.ts';
import { makeOwnedDirectory, serverPort, type DirectoryLayout } from './directory-layout.ts';
import { openServerLog, readLogSince } from './server-log.ts';

/** Name of the superuser, and of the database. */
export const databaseName = 'runyard';

/** Settings of every embedded server: few resources, quiet when idle, durable. */
const serverSettings = {
  listen_addresses: '',
  port: String(serverPort),
  unix_socket_permissions: '0700',
  max_connections: '60',
  shared_buffers: '64MB',
  synchronous_commit: 'on',
  // Queries are short: neither JIT compilation nor parallel plans pay off.
  jit: 'off',
  max_parallel_workers_per_gather: '0',
  // No idle helper processes for asynchronous I/O and replication.
  io_method: 'sync',
  max_logical_replication_workers: '0',
  autovacuum_naptime: '30s',
  timezone: 'UTC',
  log_timezone: 'UTC',
  // Failed statements are reported to the engine that sent them, which logs them; their values stay out of
  // this log.
  log_min_messages: 'log',
  log_checkpoints: 'off',
} satisfies Record<string, string>;

/** For scratch servers only: trades durability for speed, and serves many test files at once. */
const volatileSettings = {
  fsync: 'off',
  synchronous_commit: 'off',
  full_page_writes: 'off',
  max_connections: '200',
} satisfies Record<string, string>;

/** Returns the command line of the server, which listens on a socket only. */
export function serverArguments(data: string, socketDirectory: string, volatile: boolean): string[] {
  const chosen = {
    ...serverSettings,
    ...(volatile ? volatileSettings : {}),
    unix_socket_directories: socketDirectory,
  };
  return ['-D', data, ...Object.entries(chosen).flatMap(([name, value]) => ['-c', `${name}=${value}`])];
}

/** Returns the superuser's password from `file` (0600), or stores a new one there. */
export async function ensurePassword(file: string): Promise<string> {
  try {
    return (await readFile(file, 'utf8')).trim();
  } catch (error) {
    if (codeOf(error) !== 'ENOENT') throw error;
  }
  const password = randomBytes(24).toString('base64url');
  await writeFile(`${file}.new`, `${password}\n`, { mode: 0o600, flush: true });
  await rename(`${file}.new`, file);
  return password;
}

export interface DataDirectoryOptions {
  readonly binaries: Binaries;
  readonly layout: DirectoryLayout;
  readonly password: string;
  readonly logFile: string;
  readonly volatile: boolean;
}

/**
 * Creates the cluster when there is none, and returns its data directory. It is created under another name
 * and renamed when complete, so that a partial cluster is never used. Throws with the end of initdb's
 * output.
 */
export async function ensureDataDirectory(request: DataDirectoryOptions): Promise<string> {
  const { layout } = request;
  const data = join(layout.baseDirectory, 'data');
  if (
    await stat(data).then(
      () => true,
      () => false,
    )
  )
    return data;
  const draft = join(layout.baseDirectory, 'data.new');
  await rm(draft, { recursive: true, force: true, maxRetries: 5 });
  await makeOwnedDirectory(draft, 0o700, layout.user);
  // The engine's password file belongs to root, and initdb runs as another user.
  const passwordFile = join(layout.baseDirectory, 'initdb-password');
  try {
    await writeFile(passwordFile, request.password, { mode: 0o600 });
    if (layout.user !== undefined) await chown(passwordFile, layout.user.uid, layout.user.gid);
    await runInitdb(request, draft, passwordFile);
  } finally {
    await rm(passwordFile, { force: true });
  }
  await rename(draft, data);
  await syncDirectory(dirname(data));
  return data;
}

async function runInitdb(request: DataDirectoryOptions, data: string, passwordFile: string): Promise<void> {
  const { handle, mark } = await openServerLog(request.logFile);
  try {
    const initdb = await spawnManaged({
      program: request.binaries.initdb,
      // The builtin locale keeps the sort order independent of the system's libraries.
      arguments: [
        '-D',
        data,
        '-U',
        databaseName,
        '-A',
        'scram-sha-256',
        '--pwfile',
        passwordFile,
        '--encoding=UTF8',
        '--locale-provider=builtin',
        '--builtin-locale=C.UTF-8',
        '--locale=C',
        '--no-instructions',
        ...(request.volatile ? ['-N'] : []),
      ],
      user: request.layout.user,
      output: handle.fd,
      parentDeathSignal: 'KILL',
    });
    const ending = await initdb.exited;
    if (ending !== 'exit code 0')
      throw new Error(
        `PostgreSQL could not create its data directory ${data} (${ending}):\n${await readLogSince(mark)}`,
      );
  } finally {
    await handle.close();
  }
}

/** Makes a rename durable by syncing its directory. */
async function syncDirectory(path: string): Promise<void> {
  const handle = await open(path, 'r');
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
}
