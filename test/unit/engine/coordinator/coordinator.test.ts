/** Lives of runs: graphs, outcomes, what runners are handed, notices, and failures of the engine itself. */
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { noLibraries } from '../../../../engine/cluster/libraries.ts';
import type { TaskOutcome } from '../../../../engine/run/assignment.ts';
import type { RunStore } from '../../../../engine/ports/runs.ts';
import { eventually } from '../../../harness/eventually.ts';
import { createTestDatabase, type TestDatabase } from '../../../harness/test-database.ts';
import { graphSettings, singleTaskSettings } from '../../storage/run-fixtures.ts';
import { createCoordinatorHarness, describeRun, type CoordinatorHarness } from './coordinator-harness.ts';

let database: TestDatabase;
let harness: CoordinatorHarness;
beforeAll(async () => {
  database = await createTestDatabase();
});
afterAll(() => database.drop());
beforeEach(() => {
  harness = createCoordinatorHarness(database);
});
afterEach(() => harness.close());

const failed: TaskOutcome = { kind: 'failed', message: 'Workload failed, see run output for details' };
const lost: TaskOutcome = { kind: 'lost', message: 'Its process vanished.' };

describe('a single-task run', () => {
  test.each<[string, TaskOutcome, string, string]>([
    ['succeeds', { kind: 'succeeded' }, 'TERMINATED/SUCCESS', ''],
    [
      'fails with its own message',
      failed,
      'TERMINATED/FAILED',
      'Workload failed, see run output for details',
    ],
    ['that is lost meets an internal error', lost, 'INTERNAL_ERROR/FAILED', 'Its process vanished.'],
  ])('%s: run and task are one', async (_name, outcome, end, message) => {
    const runId = await harness.launchRun(harness.startCoordinator(), singleTaskSettings);
    await harness.waitForRunningTasks('main');
    harness.pool.endTask('main', outcome);
    const found = await harness.waitForRunEnd(runId);
    expect(describeRun(found)).toEqual([`run ${end}`, `main ${end}`]);
    expect([found.run.progress.message, found.tasks[0]?.progress.message]).toEqual([message, message]);
  });

  test('has its times from the clock: accepted, running, over', async () => {
    const start = harness.clock.now();
    const runId = await harness.launchRun(harness.startCoordinator(), singleTaskSettings);
    await harness.waitForRunningTasks('main');
    harness.clock.advance(5_000);
    harness.pool.endTask('main');
    const { run } = await harness.waitForRunEnd(runId);
    expect(run.progress).toMatchObject({
      startTime: start,
      runningTime: start,
      terminatingTime: start + 5_000,
      endTime: start + 5_000,
    });
  });
});

test('a runner is handed the task with its parameters merged in, its directory and its cluster', async () => {
  const coordinator = harness.startCoordinator();
  const runId = await harness.launchRun(coordinator, {
    tasks: [
      {
        task_key: 'load',
        notebook_task: { notebook_path: '/n', base_parameters: { day: '1' } },
        libraries: [{ pypi: { package: 'x' } }],
        new_cluster: { num_workers: 1, spark_version: 'v', node_type_id: 's', spark_env_vars: { A: 'b' } },
      },
    ],
  });
  await harness.waitForRunningTasks('load');
  const {
    run,
    tasks: [task],
  } = await harness.waitForRun(runId, ({ tasks }) => tasks[0]?.clusterId !== undefined);
  expect(harness.pool.assignments).toEqual([
    expect.objectContaining({
      jobId: run.jobId,
      jobRunId: runId,
      runId: task?.runId,
      taskKey: 'load',
      attempt: 0,
      kind: 'notebook_task',
      task: { notebook_path: '/n', base_parameters: { day: '1' } },
      parameters: {},
      libraries: [{ pypi: { package: 'x' } }],
      directory: `/runs/${task?.runId}`,
      cluster: {
        clusterId: task?.clusterId,
        directory: `/clusters/${task?.clusterId}`,
        environment: expect.objectContaining({
          A: 'b',
          DB_CLUSTER_ID: task?.clusterId,
          DB_IS_DRIVER: 'TRUE',
        }),
        libraries: noLibraries,
        workers: 1,
      },
    }),
  ]);
});

describe('a graph', () => {
  test('runs independent tasks at the same time, and a task after all its dependencies', async () => {
    const coordinator = harness.startCoordinator();
    const runId = await harness.launchRun(coordinator, graphSettings('a', 'b', 'c a b', 'd a'));
    await harness.waitForRunningTasks('a', 'b');
    harness.pool.endTask('a');
    await harness.waitForRunningTasks('b', 'd');
    harness.pool.endTask('d');
    await harness.waitForRunningTasks('b');
    harness.pool.endTask('b');
    await harness.waitForRunningTasks('c');
    expect(
      describeRun(await harness.waitForRun(runId, ({ tasks }) => tasks[2]?.progress.state === 'RUNNING')),
    ).toEqual([
      'run RUNNING',
      'a TERMINATED/SUCCESS',
      'b TERMINATED/SUCCESS',
      'c RUNNING',
      'd TERMINATED/SUCCESS',
    ]);
    harness.pool.endTask('c');
    expect(describeRun(await harness.waitForRunEnd(runId))[0]).toBe('run TERMINATED/SUCCESS');
    await eventually(() => expect(coordinator.countDrivenRuns()).toBe(0));
  });

  test('says of a waiting task what it waits for', async () => {
    const runId = await harness.launchRun(harness.startCoordinator(), graphSettings('a', 'b', 'c b a'));
    const { tasks } = await harness.waitForRun(runId, () => true);
    expect(tasks.map(({ progress }) => progress.message)).toEqual(['', '', 'Waiting for the tasks a, b']);
  });

  test('behind a failure is skipped, and the run names the task that failed', async () => {
    const runId = await harness.launchRun(harness.startCoordinator(), graphSettings('a', 'b a', 'c b', 'd'));
    await harness.waitForRunningTasks('a', 'd');
    harness.pool.endTask('a', failed);
    harness.pool.endTask('d');
    const found = await harness.waitForRunEnd(runId);
    expect(describeRun(found)).toEqual([
      'run TERMINATED/FAILED',
      'a TERMINATED/FAILED',
      'b SKIPPED',
      'c SKIPPED',
      'd TERMINATED/SUCCESS',
    ]);
    expect(found.run.progress.message).toBe(
      'Task a failed with message: Workload failed, see run output for details.',
    );
    expect(found.tasks.map(({ progress }) => progress.message)).toEqual([
      failed.kind === 'failed' && failed.message,
      'Upstream task a failed',
      'Upstream task b failed',
      '',
    ]);
  });

  test('with a lost task ends as TERMINATED/FAILED, the task as INTERNAL_ERROR', async () => {
    const runId = await harness.launchRun(harness.startCoordinator(), graphSettings('a', 'b a'));
    await harness.waitForRunningTasks('a');
    harness.pool.endTask('a', lost);
    expect(describeRun(await harness.waitForRunEnd(runId))).toEqual([
      'run TERMINATED/FAILED',
      'a INTERNAL_ERROR/FAILED',
      'b SKIPPED',
    ]);
  });

  test('takes the branch whose condition holds', async () => {
    const settings = graphSettings('a', 'mend a', 'go_on a');
    const [a, mend, goOn] = settings.tasks ?? [];
    if (a === undefined || mend === undefined || goOn === undefined) throw new Error('unreachable');
    const runId = await harness.launchRun(harness.startCoordinator(), {
      tasks: [a, { ...mend, run_if: 'AT_LEAST_ONE_FAILED' }, goOn],
    });
    await harness.waitForRunningTasks('a');
    harness.pool.endTask('a', failed);
    await harness.waitForRunningTasks('mend');
    harness.pool.endTask('mend');
    expect(describeRun(await harness.waitForRunEnd(runId))).toEqual([
      'run TERMINATED/FAILED',
      'a TERMINATED/FAILED',
      'go_on SKIPPED',
      'mend TERMINATED/SUCCESS',
    ]);
  });

  test('of a hundred tasks, each after the one before, runs to its end', async () => {
    harness.pool.immediateOutcome = { kind: 'succeeded' };
    const keys = Array.from({ length: 100 }, (_, index) => (index === 0 ? 't0' : `t${index} t${index - 1}`));
    const runId = await harness.launchRun(harness.startCoordinator(), graphSettings(...keys));
    expect(
      describeRun(await harness.waitForRunEnd(runId)).filter((one) => !one.endsWith('TERMINATED/SUCCESS')),
    ).toEqual([]);
    expect(harness.pool.assignments.map(({ taskKey }) => taskKey)).toEqual(
      keys.map((_, index) => `t${index}`),
    );
  });
});

describe('notices', () => {
  const mails = { email_notifications: { on_start: ['s@x'], on_success: ['g@x'], on_failure: ['f@x'] } };

  test.each<[string, TaskOutcome, string[]]>([
    ['success', { kind: 'succeeded' }, ['run on_start', 'run on_success']],
    ['failure', failed, ['run on_start', 'run on_failure']],
    ['internal error', lost, ['run on_start', 'run on_failure']],
  ])('of a single-task run that ends in %s are told once', async (_name, outcome, expected) => {
    const runId = await harness.launchRun(harness.startCoordinator(), { ...singleTaskSettings, ...mails });
    await harness.waitForRunningTasks('main');
    harness.pool.endTask('main', outcome);
    await harness.waitForRunEnd(runId);
    expect(await harness.describeNotifications()).toEqual(expected);
  });

  test('of a graph are those of the run, once, and those of each task', async () => {
    const settings = graphSettings('a', 'b a', 'c a');
    const runId = await harness.launchRun(harness.startCoordinator(), {
      ...mails,
      tasks: (settings.tasks ?? []).map((task) => (task.task_key === 'c' ? task : { ...task, ...mails })),
    });
    await harness.waitForRunningTasks('a');
    harness.pool.endTask('a');
    await harness.waitForRunningTasks('b', 'c');
    harness.pool.endTask('c');
    harness.pool.endTask('b', failed);
    await harness.waitForRunEnd(runId);
    expect(await harness.describeNotifications()).toEqual([
      'run on_start',
      'a on_start',
      'a on_success',
      'b on_start',
      'b on_failure',
      'run on_failure',
    ]);
  });
});

describe('failures of the engine itself', () => {
  test('a task that cannot be prepared meets an internal error and says why', async () => {
    const workplace = {
      ensureClusterDirectory: async () => '/c',
      ensureAttemptDirectory: () => Promise.reject(new Error('no space left')),
      readTaskValues: async () => ({}),
      readOutput: async () => undefined,
    };
    const runId = await harness.launchRun(
      harness.startCoordinator({ directories: workplace }),
      singleTaskSettings,
    );
    const found = await harness.waitForRunEnd(runId);
    expect(describeRun(found)).toEqual(['run INTERNAL_ERROR/FAILED', 'main INTERNAL_ERROR/FAILED']);
    expect(found.run.progress.message).toBe('The engine failed this task: no space left');
  });

  test('a task of no known kind fails', async () => {
    const runId = await harness.launchRun(harness.startCoordinator(), { tasks: [{ task_key: 'a' }] });
    expect((await harness.waitForRunEnd(runId)).tasks[0]?.progress).toMatchObject({
      state: 'TERMINATED',
      result: 'FAILED',
      message: 'This task has no kind that Runyard knows.',
    });
  });

  /** The store, failing the writes that `fails` picks. */
  const failing = (fails: (to: string | undefined, count: number) => boolean): RunStore => {
    let count = 0;
    return {
      ...harness.runs,
      write: (set) =>
        fails(set.changes[0]?.to, (count += 1))
          ? Promise.reject(new Error('the store is broken'))
          : harness.runs.write(set),
    };
  };

  test('a write that fails once ends its task, not the run of others: the run begins with the next task', async () => {
    const coordinator = harness.startCoordinator({ runs: failing((_to, count) => count === 1) });
    const runId = await harness.launchRun(coordinator, {
      ...graphSettings('a', 'b'),
      email_notifications: { on_start: ['s@x'] },
    });
    await harness.waitForRunningTasks('b');
    expect(
      describeRun(
        await harness.waitForRun(
          runId,
          ({ run, tasks }) => run.progress.state === 'RUNNING' && tasks[0]?.progress.state !== 'PENDING',
        ),
      ),
    ).toEqual(['run RUNNING', 'a INTERNAL_ERROR', 'b RUNNING']);
    harness.pool.endTask('b');
    expect(describeRun(await harness.waitForRunEnd(runId))[0]).toBe('run TERMINATED/FAILED');
    expect(await harness.describeNotifications()).toEqual(['run on_start']);
  });

  test('a run whose end cannot be stored is let go of, and another engine ends it', async () => {
    const coordinator = harness.startCoordinator({
      runs: failing((to) => to === 'TERMINATING' || to === 'INTERNAL_ERROR'),
    });
    const runId = await harness.launchRun(coordinator, singleTaskSettings);
    await harness.waitForRunningTasks('main');
    harness.pool.endTask('main');
    await eventually(() => expect(coordinator.countDrivenRuns()).toBe(0));
    expect(describeRun(await harness.waitForRun(runId, () => true))).toEqual(['run RUNNING', 'main RUNNING']);
    await harness.adoptRuns(harness.startCoordinator({ nodeId: 'node-2' }));
    expect(describeRun(await harness.waitForRunEnd(runId))).toEqual([
      'run TERMINATED/SUCCESS',
      'main TERMINATED/SUCCESS',
    ]);
  });

  test('a run that another engine has adopted is let go of, and nothing of it is written', async () => {
    const coordinator = harness.startCoordinator();
    const runId = await harness.launchRun(coordinator, graphSettings('a', 'b a'));
    await harness.waitForRunningTasks('a');
    await harness.runs.adopt('node-2', harness.clock.now(), 10);
    harness.pool.endTask('a');
    await eventually(() => expect(coordinator.countDrivenRuns()).toBe(0));
    expect(describeRun(await harness.waitForRun(runId, () => true))).toEqual([
      'run RUNNING',
      'a RUNNING',
      'b PENDING',
    ]);
    expect(harness.clock.pendingCount()).toBe(0);
  });
});
