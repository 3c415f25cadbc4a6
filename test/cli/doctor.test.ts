/** The doctor: what it finds on this machine, and what it says when something is missing or broken. */
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { configOf } from '../../cli/config.ts';
import { checks, type Finding } from '../../cli/doctor-checks.ts';
import { systemClock } from '../../engine/clock.ts';
import { lockDirectory } from '../../storage/directory-lock.ts';
import { openDirectory, run } from './command.ts';

function look(name: string, variables: Record<string, string>, environment?: Record<string, string>): Promise<Finding> {
  const check = checks.find((each) => each.name === name);
  if (check === undefined) throw new Error(`There is no check ${name}.`);
  return check.look(configOf(variables, environment));
}

test('a machine that runs these tests can run the engine', async () => {
  const directory = await openDirectory();
  const { code, stdout, stderr } = await run(['doctor'], directory);
  expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
  expect(stdout).toMatch(/^ok +node +v\d+\.\d+\.\d+ at /m);
  expect(stdout).toMatch(/^ok +database +embedded, postgres \(PostgreSQL\) 18/m);
  expect(stdout).toMatch(/^ok +data directory +\S+\.runyard, which the first start makes$/m);
  expect(stdout).toMatch(/Runyard can run here\.\n$/);
});

test('as JSON it says the same, and exits 1 when the engine itself cannot run', async () => {
  const { code, stdout } = await run(['doctor', '--json'], await openDirectory(), { DATABASE_URL: 'postgres://me:hush@127.0.0.1:1/db' });
  expect(code).toBe(1);
  const report: { ok: boolean; checks: object[] } = JSON.parse(stdout);
  expect(report.ok).toBe(false);
  expect(report.checks.map((line) => 'name' in line && line.name)).toEqual(checks.map(({ name }) => name));
  expect(report.checks).toContainEqual({ name: 'database', state: 'broken', found: '127.0.0.1:1', advice: expect.stringContaining('ECONNREFUSED') });
  expect(stdout).not.toContain('hush');
});

test.each(['python3', 'java', 'mvn', 'Rscript'])('a missing %s is named, and no reason not to start', async (program) => {
  expect(await look(program, {}, { PATH: '/nowhere' })).toEqual({ state: 'missing', found: 'not found in PATH', advice: expect.stringContaining('install') });
});

test('a Python that is too old is named', async () => {
  const directory = await openDirectory();
  const file = join(directory, 'python3');
  await writeFile(file, `#!/bin/sh\ncase "$1" in -c) echo "$0";; *) echo Python 3.6.9;; esac\n`, { mode: 0o755 });
  expect(await look('python3', {}, { PATH: directory })).toEqual({ state: 'poor', found: `Python 3.6.9 at ${file}`, advice: expect.stringContaining('3.8') });
});

test('a data directory that is a file is broken', async () => {
  const file = join(await openDirectory(), 'file');
  await writeFile(file, '');
  expect(await look('data directory', { RUNYARD_DATA_DIR: join(file, 'below') })).toMatchObject({
    state: 'broken', advice: `${file} is a file: remove it, or choose another RUNYARD_DATA_DIR.`,
  });
});

test('the engine that holds the data directory is named, and only while it does', async () => {
  const directory = await openDirectory();
  expect(await look('held by', { RUNYARD_DATA_DIR: directory })).toEqual({ state: 'ok', found: 'nobody' });
  await mkdir(join(directory, 'postgres'));
  const lock = await lockDirectory(join(directory, 'postgres'), systemClock);
  expect(await look('held by', { RUNYARD_DATA_DIR: directory })).toEqual({ state: 'ok', found: `the engine with process id ${process.pid}` });
  await lock.release();
  expect(await look('held by', { RUNYARD_DATA_DIR: directory })).toEqual({ state: 'ok', found: 'nobody' });
});
