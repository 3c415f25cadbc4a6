/** The examples of the README and of the guides run as they are written, in reading order, on one service. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { mkdir, mkdtemp, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { projectRoot } from '../../docs/generator/source-text.ts';
import { startTestService, type TestService } from '../harness/test-service.ts';
import { documentationPages, pageAt } from './documentation-files.ts';

interface Example {
  readonly name: string;
  readonly path: string;
  readonly script: string;
}

const marked: readonly Example[] = documentationPages.flatMap(({ path, text }) =>
  [...text.matchAll(/<!-- example: (\S+) -->\n```sh\n([\s\S]*?)```/g)].map(([, name = '', script = '']) => ({
    name,
    path,
    script,
  })),
);
/** Each example once; the README repeats the first one. */
const examples = [...new Map(marked.map((example) => [example.name, example])).values()];

const hasCurl = (process.env['PATH'] ?? '')
  .split(':')
  .some((directory) => existsSync(join(directory, 'curl')));

test('examples of the same name are equal', () => {
  expect(
    marked.filter(({ name, script }) => examples.some((one) => one.name === name && one.script !== script)),
  ).toEqual([]);
});

test('the guides contain examples', () => {
  expect(examples.length).toBeGreaterThanOrEqual(24);
});

/** Runs all examples in one shell. @returns the output of each example, and how the shell exited */
async function runExamples(service: TestService): Promise<{ outputs: Map<string, string>; exit: unknown[] }> {
  const directory = await mkdtemp(join(tmpdir(), 'runyard-examples-'));
  try {
    // Examples name files of the project relative to the working directory.
    await symlink(join(projectRoot, 'examples'), join(directory, 'examples'));
    const script = examples
      .map((example) => `echo "=== ${example.name}"\n${example.script}\necho`)
      .join('\n');
    const commands = await installCommand(directory);
    const shell = spawn('bash', ['-euo', 'pipefail', '-c', script], {
      cwd: directory,
      stdio: ['ignore', 'pipe', 'inherit'],
      env: {
        PATH: `${commands}:${process.env['PATH'] ?? ''}`,
        RUNYARD_URL: service.url,
        RUNYARD_TOKEN: service.token,
      },
    });
    let output = '';
    shell.stdout.on('data', (data: Buffer) => {
      output += data.toString();
    });
    const exit = await once(shell, 'close');
    const parts = output.split(/^=== /m).slice(1);
    return { outputs: new Map(parts.map(splitAtFirstLine)), exit };
  } finally {
    await rm(directory, { recursive: true, force: true });
  }
}

/**
 * Writes an `npx` that runs the command of this checkout as an installed package would.
 * @returns its folder
 */
async function installCommand(directory: string): Promise<string> {
  const folder = join(directory, 'bin');
  await mkdir(folder);
  const command = join(projectRoot, 'cli/runyard.mjs');
  await writeFile(
    join(folder, 'npx'),
    `#!/bin/sh\n[ "$1" = runyard ] && shift && exec "${process.execPath}" "${command}" "$@"\n`,
    { mode: 0o755 },
  );
  return folder;
}

function splitAtFirstLine(text: string): [string, string] {
  const end = text.indexOf('\n');
  return [text.slice(0, end), text.slice(end + 1)];
}

let runyard: TestService;
let outputs = new Map<string, string>();
let exit: unknown[] = [];
beforeAll(async () => {
  if (!hasCurl) return;
  runyard = await startTestService();
  ({ outputs, exit } = await runExamples(runyard));
}, 180_000);
afterAll(async () => {
  if (hasCurl) await runyard.stop();
});

describe.skipIf(!hasCurl)('examples, run as they are written', () => {
  test('the shell runs all of them and exits with 0', () => {
    expect([...outputs.keys()]).toEqual(examples.map(({ name }) => name));
    expect(exit).toEqual([0, null]);
  });

  test.each(examples)('$name of $path is not refused by the service', ({ name }) => {
    expect(outputs.get(name)).not.toContain('"error_code"');
  });

  test.each([
    ['first-job', '"logs":"hello Runyard\\n"'],
    ['follow', 'hello Oslo, counted 4'],
    ['logs', 'event: end'],
    ['bundle', '.tar.gz'],
    ['users', 'runyard_'],
    ['dashboard-commands', 'Weather of Seattle'],
    ['repair', 'The run failed: exit code 1'],
    ['repair', '"repair_id"'],
    ['schedule', '"fire_times"'],
    ['dashboards', '"rows":[[365,"17 of 365 days",17]]'],
    ['pipelines', '"num_output_rows":1679'],
    ['service-principals', '"token_value"'],
  ])('%s prints %s', (name, expected) => {
    expect(outputs.get(name)).toContain(expected);
  });

  test('the schedule preview prints what the guide shows', () => {
    const [, shown] = /<!-- example: schedule-preview -->[\s\S]*?```text\n([\s\S]*?)```/.exec(
      pageAt('docs/guides/schedules.md').text,
    ) ?? [''];
    expect(outputs.get('schedule-preview')?.trim()).toBe(shown?.trim());
  });
});

test.skipIf(!hasCurl)('the job with two tasks passes a parameter to its notebook', async () => {
  const { jobs } = await runyard.callOk('GET', '2.1/jobs/list', { name: 'two steps' });
  const { run_id } = await runyard.callOk('POST', '2.1/jobs/run-now', { job_id: jobs[0].job_id });
  const run = await runyard.waitForRunEnd(run_id);
  expect(run.state.result_state).toBe('SUCCESS');
  const output = await runyard.callOk('GET', '2.1/jobs/runs/get-output', { run_id: run.tasks[1].run_id });
  expect(output.notebook_output.result).toBe('hello team');
});

test.skipIf(!hasCurl)('the job with parameters passes a task value downstream', async () => {
  const { jobs } = await runyard.callOk('GET', '2.1/jobs/list', { name: 'values' });
  const { runs } = await runyard.callOk('GET', '2.1/jobs/runs/list', { job_id: jobs[0].job_id });
  const last = (await runyard.waitForRunEnd(runs[0].run_id)).tasks[1];
  const { logs } = await runyard.callOk('GET', '2.1/jobs/runs/get-output', { run_id: last.run_id });
  expect(logs).toBe('hello Oslo, counted 4 in job values\n');
});

test.skipIf(!hasCurl)('the repaired run succeeds', async () => {
  const { jobs } = await runyard.callOk('GET', '2.1/jobs/list', { name: 'load' });
  const { runs } = await runyard.callOk('GET', '2.1/jobs/runs/list', { job_id: jobs[0].job_id });
  expect((await runyard.waitForRunEnd(runs[0].run_id)).state.result_state).toBe('SUCCESS');
});
