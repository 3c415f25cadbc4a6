/** Harness of the tests of the embedded PostgreSQL: real servers in a directory of their own. */
import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { chmod, mkdtemp, readFile, realpath, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { Client, type ClientConfig } from 'pg';
import { pino } from 'pino';
import { systemClock } from '../../../engine/clock.ts';
import { identifyProcess } from '../../../engine/process-identity.ts';
import { commandSucceeds } from '../../../storage/embedded/command.ts';
import { serverArguments } from '../../../storage/embedded/data-directory.ts';
import {
  startEmbeddedPostgres,
  type EmbeddedOptions,
  type EmbeddedPostgres,
} from '../../../storage/embedded/embedded-postgres.ts';
import { eventually } from '../../harness/eventually.ts';

export const isRoot = process.getuid?.() === 0;
/** User `nobody` of the operating system. */
export const unprivilegedUser = { uid: 65534, gid: 65534 };
const packageName = `@embedded-postgres/${process.platform}-${process.arch}`;
/** Directory of the programs of PostgreSQL. */
export const native = dirname(dirname(fileURLToPath(import.meta.resolve(packageName)))) + '/native';
/**
 * False where the unprivileged user cannot run the Node.js of the tests; the tests that need it are skipped.
 */
export const canRunUnprivileged =
  isRoot &&
  (await commandSucceeds(
    unprivilegedUser,
    process.execPath,
    '--eval',
    `fs.accessSync(${JSON.stringify(native)})`,
  ));

export interface EmbeddedHarness {
  /** Directory of the test; every user may traverse it. */
  readonly scratch: string;
  start(directory: string, options?: Partial<EmbeddedOptions>): Promise<EmbeddedPostgres>;
  /** Starts a process that starts the database and prints its connection or the refusal. */
  startEngine(
    directory: string,
    thread: 'main' | 'worker',
    user?: typeof unprivilegedUser,
  ): Promise<{ readonly engine: ChildProcess; readonly answer: unknown }>;
  /** Stops the servers, kills the processes and deletes the directory. */
  close(): Promise<void>;
}

export async function createEmbeddedHarness(): Promise<EmbeddedHarness> {
  const scratch = await realpath(await mkdtemp(join(tmpdir(), 'runyard-embedded-')));
  await chmod(scratch, 0o755);
  const servers: EmbeddedPostgres[] = [];
  const engines: ChildProcess[] = [];
  return {
    scratch,
    async start(directory, options = {}) {
      const server = await startEmbeddedPostgres({
        directory,
        log: pino({ level: 'silent' }),
        clock: systemClock,
        volatile: true,
        ...options,
      });
      servers.push(server);
      return server;
    },
    async startEngine(directory, thread, user) {
      const program = fileURLToPath(new URL('./embedded-postgres-process.ts', import.meta.url));
      const engine = spawn(process.execPath, [program, directory, thread], {
        stdio: ['ignore', 'pipe', 'inherit'],
        cwd: '/',
        ...user,
      });
      engines.push(engine);
      const answer: unknown = JSON.parse(String((await once(engine.stdout, 'data'))[0]));
      return { engine, answer };
    },
    async close() {
      await Promise.all(servers.map((server) => server.stop()));
      for (const engine of engines) engine.kill('SIGKILL');
      await rm(scratch, { recursive: true, force: true, maxRetries: 5 });
    },
  };
}

export async function query(connection: ClientConfig, text: string): Promise<unknown[]> {
  const client = new Client(connection).on('error', () => undefined);
  await client.connect();
  try {
    return (await client.query<Record<string, unknown>>(text)).rows;
  } finally {
    await client.end();
  }
}

export const keptRows = [{ answer: 42 }];
export const createKeptTable = (connection: ClientConfig) =>
  query(connection, 'create table kept as select 42 as answer');
export const readKeptTable = (connection: ClientConfig) => query(connection, 'select answer from kept');

export async function serverPid(directory: string): Promise<number> {
  return Number.parseInt(await readFile(join(directory, 'data', 'postmaster.pid'), 'utf8'), 10);
}

export async function waitForExit(pid: number): Promise<void> {
  await eventually(() => identifyProcess(pid), { until: (identity) => identity === undefined });
}

/** Starts a server without a supervisor, as a killed engine may leave it behind. */
export async function startOrphan(directory: string): Promise<number> {
  const data = join(directory, 'data');
  const { uid, gid } = await stat(data);
  const orphan = spawn(
    join(native, 'bin', 'postgres'),
    serverArguments(data, join(directory, 'socket'), true),
    { detached: true, stdio: 'ignore', cwd: '/', ...(isRoot ? { uid, gid } : {}) },
  );
  orphan.unref();
  await eventually(() => readFile(join(data, 'postmaster.pid'), 'utf8'), {
    until: (text) => text.includes('ready'),
  });
  return await serverPid(directory);
}
