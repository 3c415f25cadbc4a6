/** Bundles of runs. */
import { describe, expect, test } from 'vitest';
import type { ResponseBody } from '../harness/api-client.ts';
import { downloadBundle } from '../harness/run-logs.ts';
import { eventually } from '../harness/eventually.ts';
import {
  registerService,
  runyard,
  cluster,
  shell,
  submit,
  taskRun,
  logs,
  open,
  atGate,
} from './run-logs-harness.ts';

registerService();

describe('the bundle of a run', () => {
  test('holds settings, states, events, and the logs and output of every attempt, and names missing files', async () => {
    await runyard.putNotebook('/result', ['print("in a cell")', 'dbutils.notebook.exit("42")']);
    const runId = await submit(
      shell('flaky', 'echo try; exit 5', { max_retries: 1, min_retry_interval_millis: 0 }),
      { task_key: 'nb', new_cluster: cluster, notebook_task: { notebook_path: '/result' } },
      shell('never', 'true', { depends_on: [{ task_key: 'flaky' }] }),
    );
    await runyard.waitForRunEnd(runId);
    const { files } = await downloadBundle(runyard, await taskRun(runId, 'nb'));
    expect([...files.keys()].toSorted()).toEqual([
      'events.json',
      'explanation.txt',
      'run.json',
      'tasks/flaky/attempt-0/output.json',
      'tasks/flaky/attempt-0/stderr',
      'tasks/flaky/attempt-0/stdout',
      'tasks/flaky/attempt-1/output.json',
      'tasks/flaky/attempt-1/stderr',
      'tasks/flaky/attempt-1/stdout',
      'tasks/nb/attempt-0/notebook.html',
      'tasks/nb/attempt-0/output.json',
      'tasks/nb/attempt-0/stderr',
      'tasks/nb/attempt-0/stdout',
      'tasks/never/attempt-0/missing.txt',
    ]);
    const read = (name: string): ResponseBody => JSON.parse(files.get(name) ?? '');
    expect(read('run.json')).toMatchObject({
      run_id: runId,
      state: { result_state: 'FAILED' },
      settings: { tasks: [{ task_key: 'flaky' }, {}, {}] },
      repair_history: [{ type: 'ORIGINAL' }],
    });
    expect(read('events.json').events.map(({ event }: ResponseBody) => event)).toEqual(
      expect.arrayContaining(['STARTED', 'RUNNING', 'TERMINATING', 'TERMINATED', 'SKIPPED']),
    );
    expect(files.get('tasks/flaky/attempt-1/stdout')).toBe('try\n');
    expect(read('tasks/flaky/attempt-0/output.json').error).toContain('exit code 5');
    expect(read('tasks/nb/attempt-0/output.json')).toMatchObject({ result: '42' });
    expect(files.get('tasks/nb/attempt-0/notebook.html')).toContain('in a cell');
    expect(files.get('tasks/never/attempt-0/missing.txt')).toMatch(
      /^stdout: the file does not exist\. The attempt never started: Upstream task flaky failed/,
    );
  });

  test('of an active run holds its current content', async () => {
    const runId = await submit(shell('main', `echo so far; ${atGate('g')}; echo later`));
    const main = await taskRun(runId);
    await eventually(() => logs({ run_id: main }), { until: ({ content }) => content !== '' });
    const { files } = await downloadBundle(runyard, runId);
    expect(files.get('tasks/main/attempt-0/stdout')).toBe('so far\n');
    expect(files.get('tasks/main/attempt-0/missing.txt')).toBe(
      'output.json: the attempt has no output. The attempt has not finished.\n',
    );
    await open('g');
    await runyard.waitForRunEnd(runId);
  });

  test('of a missing run is refused', async () => {
    expect(await runyard.call('GET', '2.1/jobs/runs/bundle', { run_id: 4_711_000 })).toMatchObject({
      status: 400,
      body: { message: 'Run 4711000 does not exist.' },
    });
  });
});
