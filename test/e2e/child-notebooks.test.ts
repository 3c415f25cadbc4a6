/** Notebooks that run other notebooks, through HTTP. */
import { describe, expect, test } from 'vitest';
import {
  registerService,
  runyard,
  depth,
  submit,
  outputOf,
  logOf,
  childrenOf,
  waitForChild,
  state,
} from './notebooks-harness.ts';

registerService();

describe('a notebook that runs another one', () => {
  test('gets its exit value; the child is a WORKFLOW_RUN on the same cluster', async () => {
    await runyard.putNotebook('/team/child', ['dbutils.notebook.exit("grown " + dbutils.widgets.get("n"))']);
    const runId = await submit('/team/parent', [
      'dbutils.notebook.exit(dbutils.notebook.run("./child", 60, {"n": 3}) + dbutils.notebook.run("/team/child", 0, {"n": "4"}))',
    ]);
    expect(await state(runId)).toMatchObject({ result_state: 'SUCCESS' });
    expect((await outputOf(runId)).notebook_output.result).toBe('grown 3grown 4');
    const children = await childrenOf('/team/child');
    expect(children.map(({ run_type, state: { result_state } }) => [run_type, result_state])).toEqual([
      ['WORKFLOW_RUN', 'SUCCESS'],
      ['WORKFLOW_RUN', 'SUCCESS'],
    ]);
    const child = await runyard.callOk('GET', '2.0/jobs/runs/get', { run_id: children[0].run_id });
    expect(child.cluster_instance.cluster_id).toBe('c');
  });

  test('runs the child on the new cluster of the parent, with its variables', async () => {
    await runyard.putNotebook('/team/there', [
      'import os\ndbutils.notebook.exit(os.environ["CITY"] + os.environ["RUNYARD_CLUSTER_ID"])',
    ]);
    const new_cluster = {
      spark_version: '16.4.x-scala2.12',
      node_type_id: 'small',
      num_workers: 1,
      spark_env_vars: { CITY: 'Oslo' },
    };
    const runId = await submit(
      '/team/made',
      [
        'import os\ndbutils.notebook.exit(str(dbutils.notebook.run("./there") == "Oslo" + os.environ["RUNYARD_CLUSTER_ID"]))',
      ],
      { existing_cluster_id: undefined, new_cluster },
    );
    expect(await state(runId)).toMatchObject({ result_state: 'SUCCESS' });
    expect((await outputOf(runId)).notebook_output.result).toBe('True');
  });

  test.each<[string, readonly string[], string, RegExp]>([
    [
      'fails, with its message',
      ['raise ValueError("no rain")'],
      '0',
      /^WorkflowError: Run \d+ of notebook \/team\/bad ended as FAILED in cell \d+, line \d+: ValueError: no rain\. Open run \d+: http/,
    ],
    [
      'takes longer than its timeout',
      ['import time\ntime.sleep(600)'],
      '1',
      /^WorkflowError: Run \d+ of notebook \/team\/bad ended as TIMEDOUT/,
    ],
  ])('raises when the other one %s', async (_fact, cells, timeout, error) => {
    await runyard.putNotebook('/team/bad', cells);
    const runId = await submit('/team/asks', [`dbutils.notebook.run("./bad", ${timeout})`]);
    expect(await state(runId)).toMatchObject({ result_state: 'FAILED' });
    expect((await outputOf(runId)).error.replace(/^.*\.(?=WorkflowError)/, '')).toMatch(error);
  });

  test('can catch the failure of the child and run it again', async () => {
    const runId = await submit('/team/catches', [
      'try:\n  dbutils.notebook.run("/team/no-such", 5)\nexcept Exception as e:\n  print(e)\ntry:\n  dbutils.notebook.run("x" * 3, -1)\nexcept ValueError as e:\n  print(e)',
    ]);
    expect(await state(runId)).toMatchObject({ result_state: 'SUCCESS' });
    expect(logOf(runId)).toMatch(
      /^Run \d+ of notebook \/team\/no-such ended as FAILED: Notebook \/team\/no-such was not found.*Open run \d+: \S+\ntimeout_seconds is -1; it must be/,
    );
  });

  test('cancels the child when it is cancelled', async () => {
    await runyard.putNotebook('/team/slow', ['import time\ntime.sleep(600)']);
    const runId = await submit('/team/waits', ['dbutils.notebook.run("./slow")']);
    const child = await waitForChild('/team/slow', (run) => run.state.life_cycle_state === 'RUNNING');
    await runyard.callOk('POST', '2.1/jobs/runs/cancel', { run_id: runId });
    expect(await state(runId)).toMatchObject({ result_state: 'CANCELED' });
    expect(await state(child.run_id)).toMatchObject({
      life_cycle_state: 'TERMINATED',
      result_state: 'CANCELED',
    });
  });

  test('leaves no running child when its own process ends first', async () => {
    await runyard.putNotebook('/team/orphan', ['import time\ntime.sleep(600)']);
    const runId = await submit('/team/leaves', [
      'import os, threading, time\nthreading.Thread(target=lambda: dbutils.notebook.run("./orphan"), daemon=True).start()\nwhile not any(n.endswith(".json") for n in os.listdir("../questions")): time.sleep(0.01)\ntime.sleep(0.3)',
    ]);
    expect(await state(runId)).toMatchObject({ result_state: 'SUCCESS' });
    for (const child of await childrenOf('/team/orphan'))
      expect(await state(child.run_id)).toMatchObject({ result_state: 'CANCELED' });
  });

  test('that runs itself fails at the depth limit', async () => {
    const runId = await submit('/team/self', ['dbutils.notebook.run("./self")']);
    expect(await state(runId)).toMatchObject({ result_state: 'FAILED' });
    expect((await outputOf(runId)).error).toContain('of notebook /team/self ended as FAILED');
    expect(await childrenOf('/team/self')).toHaveLength(depth);
    const deepest = (await childrenOf('/team/self'))
      .map(({ run_id }) => run_id)
      .sort((a, b) => a - b)
      .at(-1);
    expect((await outputOf(deepest)).error).toContain(
      'The notebook /team/self would be started by notebooks nested 4 deep; at most 3 are allowed.',
    );
  });
});
