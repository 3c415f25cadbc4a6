/** Tests of the doctor: results on this machine, and for missing or broken parts. */
import { existsSync } from 'node:fs';
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { createConfig } from '../../../cli/config.ts';
import { checks } from '../../../cli/doctor/checks.ts';
import type { CheckResult } from '../../../cli/doctor/check-result.ts';
import { systemClock } from '../../../engine/clock.ts';
import { lockDirectory } from '../../../storage/embedded/directory-lock.ts';
import { createTraversableDirectory, runCommand } from './cli-process.ts';

function runCheck(
  name: string,
  variables: Record<string, string>,
  environment?: Record<string, string>,
): Promise<CheckResult> {
  const check = checks.find((each) => each.name === name);
  if (check === undefined) throw new Error(`There is no check ${name}.`);
  return check.run(createConfig(variables, environment));
}

test('a machine that runs these tests can run the engine', async () => {
  const directory = await createTraversableDirectory();
  const { code, stdout, stderr } = await runCommand(['doctor'], directory);
  expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
  expect(stdout).toMatch(/^ok +node +v\d+\.\d+\.\d+ at /m);
  expect(stdout).toMatch(/^ok +database +embedded, postgres \(PostgreSQL\) 18/m);
  expect(stdout).toMatch(/^ok +data directory +\S+\.runyard, which the first start creates$/m);
  expect(stdout).toMatch(/Runyard can run here\.\n$/);
});

test('doctor --json prints all checks and exits with 1 when the engine cannot start', async () => {
  const { code, stdout } = await runCommand(['doctor', '--json'], await createTraversableDirectory(), {
    DATABASE_URL: 'postgres://me:hush@127.0.0.1:1/db',
  });
  expect(code).toBe(1);
  const report: { ok: boolean; checks: object[] } = JSON.parse(stdout);
  expect(report.ok).toBe(false);
  expect(report.checks.map((line) => 'name' in line && line.name)).toEqual(checks.map(({ name }) => name));
  expect(report.checks).toContainEqual({
    name: 'database',
    state: 'broken',
    found: '127.0.0.1:1',
    advice: expect.stringContaining('ECONNREFUSED'),
  });
  expect(stdout).not.toContain('hush');
});

test.each(['python3', 'java', 'mvn', 'Rscript'])('a missing %s is reported as missing', async (program) => {
  expect(await runCheck(program, {}, { PATH: '/nowhere' })).toEqual({
    state: 'missing',
    found: 'not found in PATH',
    advice: expect.stringContaining('install'),
  });
});

test('an outdated Python is reported as a warning', async () => {
  const directory = await createTraversableDirectory();
  const file = join(directory, 'python3');
  await writeFile(file, `#!/bin/sh\ncase "$1" in -c) echo "$0";; *) echo Python 3.6.9;; esac\n`, {
    mode: 0o755,
  });
  expect(await runCheck('python3', {}, { PATH: directory })).toEqual({
    state: 'warn',
    found: `Python 3.6.9 at ${file}`,
    advice: expect.stringContaining('3.8'),
  });
});

test('a data directory that is a file is reported as broken', async () => {
  const file = join(await createTraversableDirectory(), 'file');
  await writeFile(file, '');
  expect(await runCheck('data directory', { RUNYARD_DATA_DIR: join(file, 'below') })).toMatchObject({
    state: 'broken',
    advice: `${file} is a file: remove it, or choose another RUNYARD_DATA_DIR.`,
  });
});

test('the engine that holds the data directory is named until it releases the lock', async () => {
  const directory = await createTraversableDirectory();
  expect(await runCheck('in use by', { RUNYARD_DATA_DIR: directory })).toEqual({
    state: 'ok',
    found: 'no engine',
  });
  await mkdir(join(directory, 'postgres'));
  const lock = await lockDirectory(join(directory, 'postgres'), systemClock);
  expect(await runCheck('in use by', { RUNYARD_DATA_DIR: directory })).toEqual({
    state: 'ok',
    found: `the engine with process id ${process.pid}`,
  });
  await lock.release();
  expect(await runCheck('in use by', { RUNYARD_DATA_DIR: directory })).toEqual({
    state: 'ok',
    found: 'no engine',
  });
});

test('plugins are listed with their kinds; a broken plugin fails doctor and serve with the same error', async () => {
  const examples = fileURLToPath(new URL('../../../examples/plugins', import.meta.url));
  const file = join(examples, 'http-request.mjs');
  expect(await runCheck('plugins', {})).toEqual({ state: 'ok', found: 'none' });
  expect(await runCheck('plugins', { RUNYARD_PLUGINS: `${file},${join(examples, 'shell-script')}` })).toEqual(
    {
      state: 'ok',
      found: `http_request_task (${file}), shell_script_task (${join(examples, 'shell-script')})`,
    },
  );
  const directory = await createTraversableDirectory();
  const { code, stdout } = await runCommand(['doctor'], directory, { RUNYARD_PLUGINS: './gone.mjs' });
  const reason =
    /^broken +plugins +(RUNYARD_PLUGINS names "\.\/gone\.mjs", which cannot be loaded: .*)$/m.exec(
      stdout,
    )?.[1];
  expect([code, reason]).toEqual([1, expect.any(String)]);
  const started = await runCommand(['serve'], directory, {
    RUNYARD_PLUGINS: './gone.mjs',
    RUNYARD_LOG_LEVEL: 'fatal',
  });
  expect(started).toMatchObject({ code: 1, stderr: `runyard: ${reason}\n` });
});

test('isolation of tasks is reported: limits, user and sandbox', async () => {
  expect(await runCheck('task limits', { RUNYARD_TASK_LIMITS: '{"openFiles":99}' })).toEqual({
    state: 'ok',
    found: 'memory and files of known node types, openFiles 99',
  });
  expect(await runCheck('task user', {})).toMatchObject({
    state: 'warn',
    found: expect.stringMatching(/^tasks run as (root|the user of the service)$/),
  });
  expect(await runCheck('task user', { RUNYARD_TASK_SANDBOX: 'bubblewrap' })).toEqual({
    state: 'ok',
    found: 'the user of the service, in the sandbox',
  });
  expect(await runCheck('task user', { RUNYARD_TASK_SANDBOX: 'mounts' })).toMatchObject({ state: 'warn' });
  expect(await runCheck('mount points', { RUNYARD_TASK_SANDBOX: 'mounts' })).toEqual({
    state: 'ok',
    found: '/dbfs and /Volumes, in the sandbox of tasks',
  });
  if (!existsSync('/dbfs') && !existsSync('/Volumes'))
    expect(await runCheck('mount points', {})).toEqual({
      state: 'ok',
      found: 'none; programs open managed_fs by RUNYARD_MANAGED_FS',
    });
  expect(await runCheck('task sandbox', {})).toMatchObject({
    state: 'ok',
    found: expect.stringMatching(/^none; bubblewrap is (not )?available( \(.+\))?$/),
  });
  await expect(runCheck('task user', { RUNYARD_TASK_USER: 'no-such-user' })).rejects.toThrow(
    /^RUNYARD_TASK_USER is "no-such-user", but/,
  );
});

test('Spark is found in SPARK_HOME and reported as missing otherwise', async () => {
  const home = await createTraversableDirectory();
  expect(await runCheck('spark', {}, { PATH: '/nowhere', SPARK_HOME: home })).toMatchObject({
    state: 'missing',
    found: 'neither SPARK_HOME nor spark-submit in PATH',
  });
  await mkdir(join(home, 'bin'));
  await writeFile(join(home, 'bin', 'spark-submit'), '', { mode: 0o755 });
  expect(await runCheck('spark', {}, { PATH: '/nowhere', SPARK_HOME: home })).toEqual({
    state: 'ok',
    found: `spark-submit at ${join(home, 'bin', 'spark-submit')}`,
  });
});

test('a mail server that refuses connections is a warning with the address and the setting', async () => {
  expect(await runCheck('mail server', { RUNYARD_SMTP_URL: 'smtp://127.0.0.1:1' })).toEqual({
    state: 'warn',
    found: '127.0.0.1:1',
    advice: expect.stringMatching(
      /^The mail server 127\.0\.0\.1:1 refused the connection \(.*ECONNREFUSED.*\)\. Mails are tried again for 24 hours; correct RUNYARD_SMTP_URL or start the server\.$/,
    ),
  });
});
