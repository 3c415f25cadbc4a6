/** The demo as a process of its own: what it shows, how it ends, and what it leaves behind. */
import { access, readdir } from 'node:fs/promises';
import { expect, test } from 'vitest';
import { expectedReport } from '../../examples/expected-weather.ts';
import { createTraversableDirectory, runCommand, startCommand } from './cli-process.ts';

/** Settings of the surroundings are not the demo's: this one would refuse the start. */
const surroundings = { RUNYARD_PORT: 'none' };

test('shows every task, the figures of the year, and leaves nothing behind', async () => {
  const directory = await createTraversableDirectory();
  const { code, stdout, stderr } = await runCommand(['demo', '--year', '2014'], directory, {
    ...surroundings,
    TMPDIR: directory,
  });
  expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
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

test('a failing task is shown with its error and trace, and everything is kept', async () => {
  const directory = await createTraversableDirectory();
  const { code, stdout } = await runCommand(['demo', '--year', '1999'], directory, { TMPDIR: directory });
  expect(code).toBe(1);
  expect(stdout).toMatch(/^  temperature +FAILED after/m);
  expect(stdout).toMatch(/^  report +SKIPPED/m);
  expect(stdout).toMatch(/^rain failed: FileNotFoundError: .*\nTraceback/m);
  const [, kept = ''] = /^Everything is kept in (\S+)$/m.exec(stdout) ?? [];
  await expect(access(`${kept}/engine.log`)).resolves.toBeUndefined();
});

test('a signal cancels the run and cleans up', async () => {
  const directory = await createTraversableDirectory();
  const demo = startCommand(['demo'], directory, { TMPDIR: directory });
  await demo.waitForOutput(/^Job \d+, run \d+/m);
  demo.child.kill('SIGTERM');
  const { code, stdout } = await demo.result;
  expect(stdout).toMatch(/^The run ended with CANCELED/m);
  expect(code).toBe(130);
  expect(await readdir(directory)).toEqual([]);
});

test('with --keep the engine stays until a signal, and its data in the named directory after it', async () => {
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
    stdout: expect.stringContaining(`Everything is kept in ${directory}/data\n`),
  });
});
