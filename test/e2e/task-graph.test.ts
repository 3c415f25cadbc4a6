/**
 * Task graphs through HTTP: order, parallelism, skips, and the states and times of spec 2.5 and 3.
 */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { ResponseBody } from '../harness/api-client.ts';
import { startTestService, type TestService } from '../harness/test-service.ts';

let runyard: TestService;
beforeAll(async () => {
  runyard = await startTestService();
  await runyard.putFile('/ok.py', 'print("ok")\n');
  await runyard.putFile('/fail.py', 'raise ValueError("no good")\n');
  // Ends only when the other task has started, so two of them succeed only when they run in parallel.
  await runyard.putFile(
    '/meet.py',
    `
import os, pathlib, sys, time
own, other = sys.argv[1:]
place = pathlib.Path(os.environ["RUNYARD_MANAGED_FS"])
(place / own).touch()
while not (place / other).exists():
    time.sleep(0.01)
`,
  );
});
afterAll(() => runyard.stop());

const task = (task_key: string, depends_on: readonly string[] = [], file = 'ok.py', more: object = {}) => ({
  task_key,
  depends_on: depends_on.map((key) => ({ task_key: key })),
  existing_cluster_id: 'shared-cluster',
  spark_python_task: { python_file: `managed_fs:/${file}` },
  ...more,
});

async function submitted(tasks: readonly object[], more: object = {}): Promise<ResponseBody> {
  const { run_id } = await runyard.callOk('POST', '2.1/jobs/runs/submit', {
    run_name: 'graph',
    tasks,
    ...more,
  });
  return runyard.waitForRunEnd(run_id);
}

const states = (run: ResponseBody): Record<string, string> =>
  Object.fromEntries(
    run.tasks.map((one: ResponseBody) => [
      one.task_key,
      `${one.state.life_cycle_state} ${one.state.result_state ?? '-'}`,
    ]),
  );

describe('spec 2.3 depends_on: a graph of 100 tasks', () => {
  test('starts each task after its upstream tasks, and independent tasks overlap', async () => {
    // A generator with a fixed seed gives the same graph each time.
    let seed = 20_261_120;
    const random = (below: number): number => {
      seed = (seed * 1_103_515_245 + 12_345) % 2_147_483_648;
      return seed % below;
    };
    const tasks = Array.from({ length: 100 }, (_, index) => {
      const dependencies = new Set(
        Array.from({ length: index === 0 ? 0 : random(4) }, () => `t${random(index)}`),
      );
      return task(`t${index}`, [...dependencies]);
    });
    const run = await submitted(tasks);
    expect(run.state).toMatchObject({ life_cycle_state: 'TERMINATED', result_state: 'SUCCESS' });
    const byKey = new Map<string, ResponseBody>(run.tasks.map((one: ResponseBody) => [one.task_key, one]));
    expect(byKey.size).toBe(100);
    for (const { task_key, depends_on } of tasks) {
      const own = byKey.get(task_key);
      for (const dependency of depends_on) {
        expect(own.start_time, `${task_key} after ${dependency.task_key}`).toBeGreaterThanOrEqual(
          byKey.get(dependency.task_key).end_time,
        );
      }
    }
    const overlaps = run.tasks.some((a: ResponseBody) =>
      run.tasks.some((b: ResponseBody) => a !== b && a.start_time < b.end_time && b.start_time < a.end_time),
    );
    expect(overlaps).toBe(true);
  });
});

describe('spec 2.3, 2.4: parallel tasks', () => {
  test('run at the same time', async () => {
    const meet = (own: string, other: string) =>
      task(own, [], 'meet.py', {
        spark_python_task: { python_file: 'managed_fs:/meet.py', parameters: [own, other] },
      });
    const run = await submitted([meet('left', 'right'), meet('right', 'left')]);
    expect(states(run)).toEqual({ left: 'TERMINATED SUCCESS', right: 'TERMINATED SUCCESS' });
  });
});

describe('spec 2.3 depends_on: when a task fails', () => {
  test('its downstream tasks are skipped with its name, the others run, and the run fails', async () => {
    const run = await submitted([
      task('a'),
      task('bad', ['a'], 'fail.py'),
      task('side', ['a']),
      task('end', ['bad', 'side']),
      task('after', ['end']),
    ]);
    expect(states(run)).toEqual({
      a: 'TERMINATED SUCCESS',
      bad: 'TERMINATED FAILED',
      side: 'TERMINATED SUCCESS',
      end: 'SKIPPED -',
      after: 'SKIPPED -',
    });
    expect(run.state).toEqual({
      life_cycle_state: 'TERMINATED',
      result_state: 'FAILED',
      user_cancelled_or_timedout: false,
      state_message: expect.stringContaining(
        'Task bad failed with message: Workload failed, see run output for details',
      ),
    });
    const end = run.tasks.find((one: ResponseBody) => one.task_key === 'end');
    expect(end.state.state_message).toContain('Upstream task bad failed');
    const bad = run.tasks.find((one: ResponseBody) => one.task_key === 'bad');
    const output = await runyard.callOk('GET', '2.1/jobs/runs/get-output', { run_id: bad.run_id });
    expect(output).toMatchObject({ error: 'ValueError: no good', metadata: { task_key: 'bad' } });
    expect(output.error_trace).toContain('Traceback');
  });

  test('run_if conditions other than ALL_SUCCESS decide which tasks still run', async () => {
    const run = await submitted([
      task('bad', [], 'fail.py'),
      task('repair', ['bad'], 'ok.py', { run_if: 'AT_LEAST_ONE_FAILED' }),
      task('report', ['bad', 'repair'], 'ok.py', { run_if: 'ALL_DONE' }),
    ]);
    expect(states(run)).toEqual({
      bad: 'TERMINATED FAILED',
      repair: 'TERMINATED SUCCESS',
      report: 'TERMINATED SUCCESS',
    });
    expect(run.state.result_state).toBe('SUCCESS');
  });
});

describe('spec 2.5: times', () => {
  test('a multi-task run shows zero for the three durations, run_duration at its end, and real durations of its tasks', async () => {
    const run = await submitted([task('a'), task('b', ['a'])]);
    expect(run).toMatchObject({ setup_duration: 0, execution_duration: 0, cleanup_duration: 0 });
    expect(run.run_duration).toBe(run.end_time - run.start_time);
    for (const one of run.tasks) {
      expect(one.setup_duration + one.execution_duration + one.cleanup_duration).toBe(
        one.end_time - one.start_time,
      );
      expect(one.execution_duration).toBeGreaterThan(0);
    }
  });

  test('the three durations of a single-task run in 2.0 add up to its total', async () => {
    const { run_id } = await runyard.callOk('POST', '2.0/jobs/runs/submit', {
      run_name: 'single',
      existing_cluster_id: 'shared-cluster',
      spark_python_task: { python_file: 'managed_fs:/ok.py' },
    });
    await runyard.waitForRunEnd(run_id);
    const run = await runyard.callOk('GET', '2.0/jobs/runs/get', { run_id });
    expect(run.setup_duration + run.execution_duration + run.cleanup_duration).toBe(
      run.end_time - run.start_time,
    );
    expect(run.format).toBe('SINGLE_TASK');
  });
});
