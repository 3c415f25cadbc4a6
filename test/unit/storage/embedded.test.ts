/** Embedded PostgreSQL with real servers: starts, and recovery after abrupt ends. */
import { spawn } from 'node:child_process';
import { mkdir, readdir, readFile, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { ClientConfig } from 'pg';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { messageOf } from '../../../engine/errors.ts';
import { identifyProcess } from '../../../engine/process-identity.ts';
import { eventually } from '../../harness/eventually.ts';
import {
  createEmbeddedHarness,
  createKeptTable,
  type EmbeddedHarness,
  keptRows,
  query,
  readKeptTable,
  serverPid,
  startOrphan,
  waitForExit,
} from './embedded-harness.ts';

let harness: EmbeddedHarness;
beforeEach(async () => {
  harness = await createEmbeddedHarness();
});
afterEach(() => harness.close());

describe('a start', () => {
  test('creates a durable cluster in a path with spaces, and a second start finds its data', async () => {
    const directory = join(harness.scratch, 'my data', 'postgres');
    const first = await harness.start(directory, { volatile: false });
    expect(first.connection).toMatchObject({ host: join(directory, 'socket'), database: 'runyard' });
    expect(
      await query(
        first.connection,
        `select current_setting('fsync') as fsync, current_setting('synchronous_commit') as commit,
      current_setting('listen_addresses') as network, current_setting('data_checksums') as checksums, pg_encoding_to_char(encoding) as encoding
      from pg_database where datname = current_database()`,
      ),
    ).toEqual([{ fsync: 'on', commit: 'on', network: '', checksums: 'on', encoding: 'UTF8' }]);
    await createKeptTable(first.connection);
    const pid = await serverPid(directory);
    await Promise.all([first.stop(), first.stop()]);
    expect(await identifyProcess(pid)).toBeUndefined();
    expect((await readdir(directory)).sort()).toEqual(['data', 'password', 'server.log', 'socket']);
    expect((await stat(join(directory, 'password'))).mode & 0o777).toBe(0o600);
    const next = await harness.start(directory, { volatile: false });
    expect(await readKeptTable(next.connection)).toEqual(keptRows);
  });

  test('yields a server that refuses a wrong password', async () => {
    const { connection } = await harness.start(join(harness.scratch, 'postgres'));
    await expect(query({ ...connection, password: 'guess' }, 'select 1')).rejects.toThrow(
      'password authentication failed',
    );
  });

  test('in a path too long for a socket uses a short socket path and removes it at the stop', async () => {
    const directory = join(harness.scratch, 'deep'.repeat(30));
    const server = await harness.start(directory);
    const { host } = server.connection;
    expect(host.length).toBeLessThan(107);
    expect(host.startsWith(harness.scratch)).toBe(false);
    expect(await query(server.connection, 'select 1 as one')).toEqual([{ one: 1 }]);
    await server.stop();
    await expect(stat(host)).rejects.toThrow('ENOENT');
  });

  test('that fails reports the output of the server and releases the directory', async () => {
    const directory = join(harness.scratch, 'postgres');
    await (await harness.start(directory)).stop();
    const version = join(directory, 'data', 'PG_VERSION');
    await writeFile(version, '9\n');
    await expect(harness.start(directory)).rejects.toThrow(
      /did not start: exit code 1[^]*PostgreSQL version 9/,
    );
    await writeFile(version, '18\n');
    const { connection } = await harness.start(directory);
    expect(await query(connection, 'select 1 as one')).toEqual([{ one: 1 }]);
  });

  test('discards the remains of an interrupted first start', async () => {
    const directory = join(harness.scratch, 'postgres');
    await mkdir(join(directory, 'data.new', 'base'), { recursive: true });
    const { connection } = await harness.start(directory);
    expect(await query(connection, 'select 1 as one')).toEqual([{ one: 1 }]);
  });

  test('fails if the data was kept in another place that no longer exists', async () => {
    const directory = join(harness.scratch, 'postgres');
    await mkdir(directory);
    await writeFile(join(directory, 'location'), `${harness.scratch}/moved\n`);
    await expect(harness.start(directory)).rejects.toThrow(
      `was kept in ${harness.scratch}/moved, and is not there`,
    );
  });
});

describe('the directory of a running server', () => {
  test('refuses a second engine and names the directory and the pid of the first', async () => {
    const directory = join(harness.scratch, 'postgres');
    await harness.start(directory);
    const refusal = expect.stringMatching(new RegExp(`${directory} .* ${process.pid}[^\n]*$`));
    const again = await harness.start(directory).catch(messageOf);
    expect(again).toEqual(refusal);
    const { answer } = await harness.startEngine(directory, 'main');
    expect(answer).toEqual({ refusal });
  });
});

describe('after an abrupt end', () => {
  test.each(['main', 'worker'] as const)(
    'the server shuts down cleanly if the engine that started it in its %s thread is killed',
    async (thread) => {
      const directory = join(harness.scratch, 'postgres');
      const { engine, answer } = await harness.startEngine(directory, thread);
      const { connection } = answer as { connection: ClientConfig }; // the other process is ours
      await createKeptTable(connection);
      const pid = await serverPid(directory);
      engine.kill('SIGKILL');
      await waitForExit(pid);
      expect(await readFile(join(directory, 'server.log'), 'utf8')).toContain('database system is shut down');
      expect(await readKeptTable((await harness.start(directory)).connection)).toEqual(keptRows);
    },
  );

  test('a start stops an orphaned server and serves its data', async () => {
    const directory = join(harness.scratch, 'postgres');
    const first = await harness.start(directory);
    await createKeptTable(first.connection);
    await first.stop();
    const orphan = await startOrphan(directory);
    const next = await harness.start(directory);
    expect(await identifyProcess(orphan)).toBeUndefined();
    expect(await readKeptTable(next.connection)).toEqual(keptRows);
  });

  test('a killed server restarts with all committed data', async () => {
    const directory = join(harness.scratch, 'postgres');
    const { connection } = await harness.start(directory, { volatile: false });
    await createKeptTable(connection);
    const pid = await serverPid(directory);
    process.kill(pid, 'SIGKILL');
    await waitForExit(pid);
    expect(await eventually(() => readKeptTable(connection))).toEqual(keptRows);
    expect(await serverPid(directory)).not.toBe(pid);
  });

  test('a server that is killed and then stopped does not restart', async () => {
    const directory = join(harness.scratch, 'postgres');
    const server = await harness.start(directory);
    process.kill(await serverPid(directory), 'SIGKILL');
    await server.stop();
    await expect(query(server.connection, 'select 1')).rejects.toThrow(/ENOENT|ECONNREFUSED/);
    const next = await harness.start(directory);
    expect(await query(next.connection, 'select 1 as one')).toEqual([{ one: 1 }]);
  });

  test.each([
    ['of an ended process', () => spawn('true').pid ?? 0],
    ['whose pid another process has', () => process.pid],
    ['that a power failure left empty', () => ''],
  ])('a pid file %s does not prevent the start', async (_, writtenPid) => {
    const directory = join(harness.scratch, 'postgres');
    await (await harness.start(directory)).stop();
    const pid = writtenPid();
    const text =
      pid === ''
        ? ''
        : `${pid}\n${directory}/data\n1700000000\n5432\n${directory}/socket\n\n  1234567  1234567\nready   \n`;
    await writeFile(join(directory, 'data', 'postmaster.pid'), text, { mode: 0o600 });
    await writeFile(join(directory, 'socket', '.s.PGSQL.5432.lock'), text);
    const { connection } = await harness.start(directory);
    expect(await query(connection, 'select 1 as one')).toEqual([{ one: 1 }]);
  });
});
