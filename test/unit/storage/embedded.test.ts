/**
 * The embedded PostgreSQL, with real servers: every way it starts, and every way it or its engine may end.
 */
import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import {
  chmod,
  chown,
  cp,
  lstat,
  mkdir,
  mkdtemp,
  readdir,
  readFile,
  realpath,
  rm,
  stat,
  writeFile,
} from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { Client, type ClientConfig } from 'pg';
import { pino } from 'pino';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { systemClock } from '../../../engine/clock.ts';
import { messageOf } from '../../../engine/errors.ts';
import { restoreLinks } from '../../../storage/embedded/binaries.ts';
import { serverArguments } from '../../../storage/embedded/data-directory.ts';
import { commandSucceeds } from '../../../storage/embedded/command.ts';
import {
  startEmbeddedPostgres,
  type EmbeddedOptions,
  type EmbeddedPostgres,
} from '../../../storage/embedded/embedded-postgres.ts';
import { identifyProcess } from '../../../engine/process-identity.ts';

const isRoot = process.getuid?.() === 0;
const nobody = { uid: 65534, gid: 65534 };
const packageName = `@embedded-postgres/${process.platform}-${process.arch}`;
const native = dirname(dirname(fileURLToPath(import.meta.resolve(packageName)))) + '/native';
/** Skips, visibly, where another user could not even run the tests' own node. */
const nobodyCanRun =
  isRoot &&
  (await commandSucceeds(nobody, process.execPath, '--eval', `fs.accessSync(${JSON.stringify(native)})`));

let scratch: string;
const running: EmbeddedPostgres[] = [];
const engines: ChildProcess[] = [];

beforeEach(async () => {
  scratch = await realpath(await mkdtemp(join(tmpdir(), 'runyard-embedded-')));
  await chmod(scratch, 0o755);
});
afterEach(async () => {
  await Promise.all(running.splice(0).map((server) => server.stop()));
  for (const engine of engines.splice(0)) engine.kill('SIGKILL');
  await rm(scratch, { recursive: true, force: true, maxRetries: 5 });
});

async function start(directory: string, options: Partial<EmbeddedOptions> = {}): Promise<EmbeddedPostgres> {
  const server = await startEmbeddedPostgres({
    directory,
    log: pino({ level: 'silent' }),
    clock: systemClock,
    volatile: true,
    ...options,
  });
  running.push(server);
  return server;
}

async function query(connection: ClientConfig, text: string): Promise<unknown[]> {
  const client = new Client(connection).on('error', () => undefined);
  await client.connect();
  try {
    return (await client.query<Record<string, unknown>>(text)).rows;
  } finally {
    await client.end();
  }
}

const remember = (connection: ClientConfig) => query(connection, 'create table kept as select 42 as answer');
const recall = (connection: ClientConfig) => query(connection, 'select answer from kept');
const kept = [{ answer: 42 }];

async function serverPid(directory: string): Promise<number> {
  return Number.parseInt(await readFile(join(directory, 'data', 'postmaster.pid'), 'utf8'), 10);
}

const gone = (pid: number) =>
  vi.waitUntil(async () => (await identifyProcess(pid)) === undefined, { timeout: 10_000, interval: 10 });

/** Starts another process that starts the database; its answer is a connection or a refusal. */
async function startEngine(directory: string, thread: 'main' | 'worker', user?: typeof nobody) {
  const program = fileURLToPath(new URL('./embedded-postgres-process.ts', import.meta.url));
  const engine = spawn(process.execPath, [program, directory, thread], {
    stdio: ['ignore', 'pipe', 'inherit'],
    cwd: '/',
    ...user,
  });
  engines.push(engine);
  const answer: unknown = JSON.parse(String((await once(engine.stdout, 'data'))[0]));
  return { engine, answer };
}

/** A server that nobody watches, as a killed engine may leave behind. */
async function startOrphan(directory: string): Promise<number> {
  const data = join(directory, 'data');
  const { uid, gid } = await stat(data);
  const orphan = spawn(
    join(native, 'bin', 'postgres'),
    serverArguments(data, join(directory, 'socket'), true),
    { detached: true, stdio: 'ignore', cwd: '/', ...(isRoot ? { uid, gid } : {}) },
  );
  orphan.unref();
  await vi.waitUntil(
    async () => (await readFile(join(data, 'postmaster.pid'), 'utf8').catch(() => '')).includes('ready'),
    { timeout: 10_000 },
  );
  return await serverPid(directory);
}

describe('starting', () => {
  test('the first start makes a durable cluster in a path with spaces, the next one finds its data', async () => {
    const directory = join(scratch, 'my data', 'postgres');
    const first = await start(directory, { volatile: false });
    expect(first.connection).toMatchObject({ host: join(directory, 'socket'), database: 'runyard' });
    expect(
      await query(
        first.connection,
        `select current_setting('fsync') as fsync, current_setting('synchronous_commit') as commit,
      current_setting('listen_addresses') as network, current_setting('data_checksums') as checksums, pg_encoding_to_char(encoding) as encoding
      from pg_database where datname = current_database()`,
      ),
    ).toEqual([{ fsync: 'on', commit: 'on', network: '', checksums: 'on', encoding: 'UTF8' }]);
    await remember(first.connection);
    const pid = await serverPid(directory);
    await Promise.all([first.stop(), first.stop()]);
    expect(await identifyProcess(pid)).toBeUndefined();
    expect((await readdir(directory)).sort()).toEqual(['data', 'password', 'server.log', 'socket']);
    expect((await stat(join(directory, 'password'))).mode & 0o777).toBe(0o600);
    const next = await start(directory, { volatile: false });
    expect(await recall(next.connection)).toEqual(kept);
  });

  test('a wrong password is refused', async () => {
    const { connection } = await start(join(scratch, 'postgres'));
    await expect(query({ ...connection, password: 'guess' }, 'select 1')).rejects.toThrow(
      'password authentication failed',
    );
  });

  test('a directory too deep for a socket gets a short one that is gone after stop', async () => {
    const directory = join(scratch, 'deep'.repeat(30));
    const server = await start(directory);
    const { host } = server.connection;
    expect(host.length).toBeLessThan(107);
    expect(host.startsWith(scratch)).toBe(false);
    expect(await query(server.connection, 'select 1 as one')).toEqual([{ one: 1 }]);
    await server.stop();
    await expect(stat(host)).rejects.toThrow('ENOENT');
  });

  test('a start that fails shows what the server said and gives the directory free', async () => {
    const directory = join(scratch, 'postgres');
    await (await start(directory)).stop();
    const version = join(directory, 'data', 'PG_VERSION');
    await writeFile(version, '9\n');
    await expect(start(directory)).rejects.toThrow(/did not start: exit code 1[^]*PostgreSQL version 9/);
    await writeFile(version, '18\n');
    await start(directory);
  });

  test('half of a first start is thrown away', async () => {
    const directory = join(scratch, 'postgres');
    await mkdir(join(directory, 'data.new', 'base'), { recursive: true });
    const { connection } = await start(directory);
    expect(await query(connection, 'select 1 as one')).toEqual([{ one: 1 }]);
  });

  test('data that was kept elsewhere and is gone is not replaced by an empty database', async () => {
    const directory = join(scratch, 'postgres');
    await mkdir(directory);
    await writeFile(join(directory, 'location'), `${scratch}/moved\n`);
    await expect(start(directory)).rejects.toThrow(`was kept in ${scratch}/moved, and is not there`);
  });
});

describe('one engine per directory', () => {
  test('a second engine is refused with the directory and the pid of the first', async () => {
    const directory = join(scratch, 'postgres');
    await start(directory);
    const refusal = expect.stringMatching(new RegExp(`${directory} .* ${process.pid}[^\n]*$`));
    const again = await start(directory).catch(messageOf);
    expect(again).toEqual(refusal);
    const { answer } = await startEngine(directory, 'main');
    expect(answer).toEqual({ refusal });
  });
});

describe('whatever ends', () => {
  test.each(['main', 'worker'] as const)(
    'kill -9 of an engine that started it in its %s thread stops the server cleanly',
    async (thread) => {
      const directory = join(scratch, 'postgres');
      const { engine, answer } = await startEngine(directory, thread);
      const { connection } = answer as { connection: ClientConfig }; // the other process is ours
      await remember(connection);
      const pid = await serverPid(directory);
      engine.kill('SIGKILL');
      await gone(pid);
      expect(await readFile(join(directory, 'server.log'), 'utf8')).toContain('database system is shut down');
      expect(await recall((await start(directory)).connection)).toEqual(kept);
    },
  );

  test('an orphaned server is stopped and its data served', async () => {
    const directory = join(scratch, 'postgres');
    const first = await start(directory);
    await remember(first.connection);
    await first.stop();
    const orphan = await startOrphan(directory);
    const next = await start(directory);
    expect(await identifyProcess(orphan)).toBeUndefined();
    expect(await recall(next.connection)).toEqual(kept);
  });

  test('a server killed with -9 is started again, with everything that was committed', async () => {
    const directory = join(scratch, 'postgres');
    const { connection } = await start(directory, { volatile: false });
    await remember(connection);
    const pid = await serverPid(directory);
    process.kill(pid, 'SIGKILL');
    await gone(pid);
    await expect.poll(() => recall(connection).catch(() => undefined), { timeout: 20_000 }).toEqual(kept);
    expect(await serverPid(directory)).not.toBe(pid);
  });

  test('a stop right after kill -9 of the server stays stopped', async () => {
    const directory = join(scratch, 'postgres');
    const server = await start(directory);
    process.kill(await serverPid(directory), 'SIGKILL');
    await server.stop();
    await expect(query(server.connection, 'select 1')).rejects.toThrow(/ENOENT|ECONNREFUSED/);
    await start(directory);
  });

  test.each([
    ['of a process that is gone', () => spawn('true').pid ?? 0],
    ['that belongs to another process by now', () => process.pid],
    ['that a power failure left empty', () => ''],
  ])('a pid file %s does not hinder the start', async (_, writtenPid) => {
    const directory = join(scratch, 'postgres');
    await (await start(directory)).stop();
    const pid = writtenPid();
    const text =
      pid === ''
        ? ''
        : `${pid}\n${directory}/data\n1700000000\n5432\n${directory}/socket\n\n  1234567  1234567\nready   \n`;
    await writeFile(join(directory, 'data', 'postmaster.pid'), text, { mode: 0o600 });
    await writeFile(join(directory, 'socket', '.s.PGSQL.5432.lock'), text);
    await start(directory);
  });
});

describe('installed in unusual ways', () => {
  /** The package's programs without what its install script adds. */
  async function copyWithoutLinks(target: string): Promise<void> {
    await cp(native, target, { recursive: true, verbatimSymlinks: true });
    for (const name of await readdir(join(target, 'lib'))) {
      const path = join(target, 'lib', name);
      if ((await lstat(path)).isSymbolicLink()) await rm(path);
    }
  }

  test.skipIf(process.platform !== 'linux')('library links that npm did not make are made', async () => {
    const copy = join(scratch, 'native');
    await copyWithoutLinks(copy);
    const postgres = join(copy, 'bin', 'postgres');
    expect(await commandSucceeds(undefined, postgres, '--version')).toBe(false);
    await restoreLinks(copy);
    expect(await commandSucceeds(undefined, postgres, '--version')).toBe(true);
  });

  test.runIf(isRoot)(
    'root with programs and data below a directory that only root may enter keeps the data elsewhere, also after a killed first start',
    async () => {
      const closed = join(scratch, 'closed');
      await mkdir(closed, { mode: 0o700 });
      await copyWithoutLinks(join(closed, 'native'));
      const [directory, options] = [join(closed, 'postgres'), { binaryDirectory: join(closed, 'native') }];
      // As if a first start had been killed: it had chosen the place and begun to fill it.
      const base = await mkdtemp(join(tmpdir(), 'runyard-stand-in-'));
      await chmod(base, 0o711);
      await mkdir(join(base, 'data.new', 'base'), { recursive: true });
      await mkdir(directory);
      await writeFile(join(directory, 'location.new'), base);
      try {
        const first = await start(directory, options);
        expect(await readFile(join(directory, 'location'), 'utf8')).toBe(base);
        await remember(first.connection);
        await first.stop();
        const next = await start(directory, options);
        expect(await recall(next.connection)).toEqual(kept);
        expect((await readdir(base)).filter((name) => name.startsWith('native'))).toHaveLength(1);
        await next.stop();
      } finally {
        await rm(base, { recursive: true, force: true });
      }
    },
  );

  test.runIf(isRoot)(
    'root with data below a closed directory that is removed and made anew gets an empty database',
    async () => {
      const closed = join(scratch, 'closed');
      const bases = [];
      for (const attempt of [1, 2]) {
        await mkdir(closed, { mode: 0o700 });
        const server = await start(join(closed, 'postgres'));
        bases.push((await readFile(join(closed, 'postgres', 'location'), 'utf8')).trim());
        await query(server.connection, `create table attempt_${attempt} ()`);
        expect(
          await query(server.connection, `select tablename from pg_tables where schemaname = 'public'`),
        ).toEqual([{ tablename: `attempt_${attempt}` }]);
        await server.stop();
        await rm(closed, { recursive: true });
      }
      for (const base of bases) await rm(base, { recursive: true });
    },
  );

  test.runIf(nobodyCanRun)('another user than root, with data that root then serves', async () => {
    const directory = join(scratch, 'postgres');
    await mkdir(directory);
    await chown(directory, nobody.uid, nobody.gid);
    const { engine, answer } = await startEngine(directory, 'main', nobody);
    const { connection } = answer as { connection: ClientConfig }; // the other process is ours
    await remember(connection);
    expect((await stat(join(directory, 'data'))).uid).toBe(nobody.uid);
    engine.kill('SIGKILL');
    await once(engine, 'close');
    expect(await recall((await start(directory)).connection)).toEqual(kept);
  });
});
