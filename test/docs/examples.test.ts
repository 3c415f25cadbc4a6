/** The examples of the README and of the guides run as they are written, in reading order, on one service. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { mkdtemp, rm, symlink } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { projectRoot } from '../../docs/generator/source-text.ts';
import { startTestService, type TestService } from '../harness/test-service.ts';
import { documentationPages } from './documentation-files.ts';

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
  expect(examples.length).toBeGreaterThanOrEqual(17);
});

describe.skipIf(!hasCurl)('examples, run as they are written', () => {
  let runyard: TestService;
  let directory: string;
  let exit: unknown[];
  /** Output of each example. */
  let outputs: Map<string, string>;

  beforeAll(async () => {
    runyard = await startTestService();
    directory = await mkdtemp(join(tmpdir(), 'runyard-examples-'));
    // Examples name files of the project relative to the working directory.
    await symlink(join(projectRoot, 'examples'), join(directory, 'examples'));
    const script = examples
      .map((example) => `echo "=== ${example.name}"\n${example.script}\necho`)
      .join('\n');
    const shell = spawn('bash', ['-euo', 'pipefail', '-c', script], {
      cwd: directory,
      stdio: ['ignore', 'pipe', 'inherit'],
      env: { PATH: process.env['PATH'] ?? '', RUNYARD_URL: runyard.url, RUNYARD_TOKEN: runyard.token },
    });
    let output = '';
    shell.stdout.on('data', (data: Buffer) => {
      output += data.toString();
    });
    exit = await once(shell, 'close');
    outputs = new Map(
      output
        .split(/^=== /m)
        .slice(1)
        .map((part): [string, string] => [
          part.slice(0, part.indexOf('\n')),
          part.slice(part.indexOf('\n') + 1),
        ]),
    );
  }, 180_000);

  afterAll(async () => {
    await runyard.stop();
    await rm(directory, { recursive: true, force: true });
  });

  test('the shell runs all of them and exits with 0', () => {
    expect([...outputs.keys()]).toEqual(examples.map(({ name }) => name));
    expect(exit).toEqual([0, null]);
  });

  test.each(examples)('$name of $path is not refused by the service', ({ name }) => {
    expect(outputs.get(name)).not.toContain('"error_code"');
  });

  test.each([
    ['first-job', '"logs":"hello Runyard\\n"'],
    ['logs', 'event: end'],
    ['schedule', '"fire_times"'],
    ['dashboards', '"rows":[[365,"17 of 365 days",17]]'],
    ['pipelines', '"num_output_rows":1679'],
    ['service-principals', '"token_value"'],
  ])('%s prints %s', (name, expected) => {
    expect(outputs.get(name)).toContain(expected);
  });

  test('the job with two tasks passes a parameter to its notebook', async () => {
    const { jobs } = await runyard.callOk('GET', '2.1/jobs/list', { name: 'two steps' });
    const { run_id } = await runyard.callOk('POST', '2.1/jobs/run-now', { job_id: jobs[0].job_id });
    const run = await runyard.waitForRunEnd(run_id);
    expect(run.state.result_state).toBe('SUCCESS');
    const output = await runyard.callOk('GET', '2.1/jobs/runs/get-output', { run_id: run.tasks[1].run_id });
    expect(output.notebook_output.result).toBe('hello team');
  });

  test('the job with parameters passes a task value downstream', async () => {
    const { jobs } = await runyard.callOk('GET', '2.1/jobs/list', { name: 'values' });
    const { runs } = await runyard.callOk('GET', '2.1/jobs/runs/list', { job_id: jobs[0].job_id });
    const last = (await runyard.waitForRunEnd(runs[0].run_id)).tasks[1];
    const { logs } = await runyard.callOk('GET', '2.1/jobs/runs/get-output', { run_id: last.run_id });
    expect(logs).toBe('hello Oslo, counted 4 in job values\n');
  });
});
