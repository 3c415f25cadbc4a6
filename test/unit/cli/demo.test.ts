/** Tests of the demo as a separate process: output, exit codes and remaining files; once from the package. */
import { access, readdir, symlink } from 'node:fs/promises';
import { join } from 'node:path';
import { execa } from 'execa';
import { expect, test } from 'vitest';
import { expectedReport } from '../../examples/expected-weather.ts';
import { buildPackage } from '../../../cli/packaging/build-package.ts';
import { projectRoot } from '../../../docs/generator/source-text.ts';
import { createTraversableDirectory, runCommand, startCommand } from './cli-process.ts';

/** A setting that would fail the start if the demo read it. */
const ignoredSettings = { RUNYARD_PORT: 'none' };

test('the demo of the built package prints every task and the report of the year, and removes its files', async () => {
  const installation = await createTraversableDirectory();
  const [home, directory] = [join(installation, 'package'), await createTraversableDirectory()];
  await buildPackage(home);
  await symlink(join(projectRoot, 'node_modules'), join(home, 'node_modules'));
  const { exitCode, stdout, stderr } = await execa(
    process.execPath,
    [join(home, 'cli/runyard.mjs'), 'demo', '--year', '2014'],
    { cwd: directory, env: { ...ignoredSettings, TMPDIR: directory }, reject: false },
  );
  expect({ exitCode, stderr }).toEqual({ exitCode: 0, stderr: '' });
  expect(stdout).not.toContain('\x1b');
  for (const task of ['ingest', 'temperature', 'rain', 'report']) {
    expect(stdout).toMatch(new RegExp(`^  ${task} +SUCCESS after \\d+\\.\\d s$`, 'm'));
    expect(stdout).toMatch(new RegExp(`^Logs and output of ${task} +\\S+/runs/\\d+$`, 'm'));
  }
  expect(stdout.indexOf('ingest       SUCCESS')).toBeLessThan(stdout.indexOf('report       SUCCESS'));
  expect(stdout).toMatch(/^The run ended with SUCCESS after \d+\.\d s\.$/m);
  const [json = ''] = /^\{$[^]*^\}$/m.exec(stdout) ?? [];
  expect(JSON.parse(json)).toMatchObject(await expectedReport('2014'));
  expect(stdout).toMatch(/^Seattle in 2014: 365 days .* and a dry spell of \d+ days\.$/m);
  expect(await readdir(directory)).toEqual([]);
});

test('demo with a failing task prints error and trace, and keeps its files', async () => {
  const directory = await createTraversableDirectory();
  const { code, stdout } = await runCommand(['demo', '--year', '1999'], directory, { TMPDIR: directory });
  expect(code).toBe(1);
  expect(stdout).toMatch(/^  temperature +FAILED after/m);
  expect(stdout).toMatch(/^  report +SKIPPED/m);
  expect(stdout).toMatch(/^rain failed: FileNotFoundError: .*\nTraceback/m);
  const [, kept = ''] = /^All data is kept in (\S+)$/m.exec(stdout) ?? [];
  await expect(access(`${kept}/engine.log`)).resolves.toBeUndefined();
});

test('demo after a signal cancels the run and removes its files', async () => {
  const directory = await createTraversableDirectory();
  const demo = startCommand(['demo'], directory, { TMPDIR: directory });
  await demo.waitForOutput(/^Job \d+, run \d+/m);
  demo.child.kill('SIGTERM');
  const { code, stdout } = await demo.result;
  expect(stdout).toMatch(/^The run ended with CANCELED/m);
  expect(code).toBe(130);
  expect(await readdir(directory)).toEqual([]);
});

test('demo with --keep runs the engine until a signal and keeps the data directory', async () => {
  const directory = await createTraversableDirectory();
  const demo = startCommand(['demo', '--keep', '--data-dir', 'data'], directory);
  const [, url, token] = await demo.waitForOutput(/^URL +(\S+)\nToken +(\S+)$/m);
  const answer = await fetch(`${url}/api/2.1/jobs/runs/list`, {
    headers: { authorization: `Bearer ${token}` },
  });
  expect(await answer.json()).toMatchObject({
    runs: [{ run_name: 'Seattle weather', state: { result_state: 'SUCCESS' } }],
  });
  demo.child.kill('SIGINT');
  expect(await demo.result).toMatchObject({
    code: 0,
    stdout: expect.stringContaining(`All data is kept in ${directory}/data\n`),
  });
});
