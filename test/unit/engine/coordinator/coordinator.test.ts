/** Execution of runs: outcomes, task graphs, assignments and notifications. */
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { noLibraries } from '../../../../engine/cluster/libraries.ts';
import type { TaskOutcome } from '../../../../engine/run/assignment.ts';
import { eventually } from '../../../harness/eventually.ts';
import { createTestDatabase, type TestDatabase } from '../../../harness/test-database.ts';
import { graphSettings, singleTaskSettings } from '../../storage/run-fixtures.ts';
import { createCoordinatorHarness, describeRun, type CoordinatorHarness } from './coordinator-harness.ts';
import { emailSettings } from './run-settings.ts';

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
const lost: TaskOutcome = { kind: 'lost', message: 'The process vanished.' };

describe('a single-task run', () => {
  test.each<[string, TaskOutcome, string, string]>([
    ['SUCCESS', { kind: 'succeeded' }, 'TERMINATED/SUCCESS', ''],
    [
      'FAILED',
      failed,
      'TERMINATED/FAILED',
      expect.stringContaining('Workload failed, see run output for details'),
    ],
    ['INTERNAL_ERROR', lost, 'INTERNAL_ERROR/FAILED', expect.stringContaining('The process vanished')],
  ])(
    'that ends as %s gives run and task the same state and message',
    async (_name, outcome, state, message) => {
      const runId = await harness.launchRun(harness.startCoordinator(), singleTaskSettings);
      await harness.waitForRunningTasks('main');
      harness.pool.endTask('main', outcome);
      const found = await harness.waitForRunEnd(runId);
      expect(describeRun(found)).toEqual([`run ${state}`, `main ${state}`]);
      expect([found.run.progress.message, found.tasks[0]?.progress.message]).toEqual([message, message]);
    },
  );

  test('stores the times of its acceptance, start and end', async () => {
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

test('an assignment contains the task with merged parameters, its directory and its cluster', async () => {
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
        nodeType: undefined,
        runtime: 'cold',
        spark: undefined,
        workers: 1,
      },
    }),
  ]);
});

describe('a task graph', () => {
  test('runs independent tasks in parallel, and a task after all its dependencies', async () => {
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

  test('names the dependencies of a waiting task in its message', async () => {
    const runId = await harness.launchRun(harness.startCoordinator(), graphSettings('a', 'b', 'c b a'));
    const { tasks } = await harness.getRun(runId);
    expect(tasks.map(({ progress }) => progress.message)).toEqual(['', '', 'Waiting for the tasks a, b']);
  });

  test('skips the tasks downstream of a failure, and the run names the failed task', async () => {
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
    expect(found.run.progress.message).toContain(
      'Task a failed with message: Workload failed, see run output for details',
    );
    expect(found.tasks.map(({ progress }) => progress.message)).toEqual([
      expect.stringContaining(failed.kind === 'failed' ? failed.message : ''),
      expect.stringContaining('Upstream task a failed'),
      expect.stringContaining('Upstream task b was skipped because task a failed'),
      '',
    ]);
  });

  test('with a lost task ends as TERMINATED/FAILED, and the task as INTERNAL_ERROR', async () => {
    const runId = await harness.launchRun(harness.startCoordinator(), graphSettings('a', 'b a'));
    await harness.waitForRunningTasks('a');
    harness.pool.endTask('a', lost);
    expect(describeRun(await harness.waitForRunEnd(runId))).toEqual([
      'run TERMINATED/FAILED',
      'a INTERNAL_ERROR/FAILED',
      'b SKIPPED',
    ]);
  });

  test('runs the branch whose run_if condition holds', async () => {
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

  test('of 100 consecutive tasks runs them all in order', async () => {
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

describe('notifications', () => {
  test.each<[string, TaskOutcome, string[]]>([
    ['success', { kind: 'succeeded' }, ['run on_start', 'run on_success']],
    ['failure', failed, ['run on_start', 'run on_failure']],
    ['internal error', lost, ['run on_start', 'run on_failure']],
  ])('of a single-task run that ends in %s are stored once', async (_name, outcome, expected) => {
    const runId = await harness.launchRun(harness.startCoordinator(), {
      ...singleTaskSettings,
      ...emailSettings,
    });
    await harness.waitForRunningTasks('main');
    harness.pool.endTask('main', outcome);
    await harness.waitForRunEnd(runId);
    expect(await harness.describeNotifications()).toEqual(expected);
  });

  test('of a graph are stored once for the run and once for each task', async () => {
    const settings = graphSettings('a', 'b a', 'c a');
    const runId = await harness.launchRun(harness.startCoordinator(), {
      ...emailSettings,
      tasks: (settings.tasks ?? []).map((task) =>
        task.task_key === 'c' ? task : { ...task, ...emailSettings },
      ),
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
