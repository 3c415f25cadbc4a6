/** Lives of runs: graphs, outcomes, what runners are handed, notices, and failures of the engine itself. */
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test, vi } from 'vitest';
import { noLibraries } from '../../../../engine/cluster/libraries.ts';
import type { TaskOutcome } from '../../../../engine/run/assignment.ts';
import type { RunStore } from '../../../../engine/ports/runs.ts';
import { createTestDatabase, type TestDatabase } from '../../../harness/test-database.ts';
import { graphSettings, singleTaskSettings } from '../../storage/run-fixtures.ts';
import {
  createCoordinatorHarness,
  describeRun,
  waitOptions,
  type CoordinatorHarness,
} from './coordinator-harness.ts';

let database: TestDatabase;
let world: CoordinatorHarness;
beforeAll(async () => {
  database = await createTestDatabase();
});
afterAll(() => database.drop());
beforeEach(() => {
  world = createCoordinatorHarness(database);
});
afterEach(() => world.close());

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
    const runId = await world.launchRun(world.startCoordinator(), singleTaskSettings);
    await world.waitForRunningTasks('main');
    world.pool.endTask('main', outcome);
    const found = await world.waitForRunEnd(runId);
    expect(describeRun(found)).toEqual([`run ${end}`, `main ${end}`]);
    expect([found.run.progress.message, found.tasks[0]?.progress.message]).toEqual([message, message]);
  });

  test('has its times from the clock: accepted, running, over', async () => {
    const start = world.clock.now();
    const runId = await world.launchRun(world.startCoordinator(), singleTaskSettings);
    await world.waitForRunningTasks('main');
    world.clock.advance(5_000);
    world.pool.endTask('main');
    const { run } = await world.waitForRunEnd(runId);
    expect(run.progress).toMatchObject({
      startTime: start,
      runningTime: start,
      terminatingTime: start + 5_000,
      endTime: start + 5_000,
    });
  });
});

test('a runner is handed the task with its parameters merged in, its directory and its cluster', async () => {
  const coordinator = world.startCoordinator();
  const runId = await world.launchRun(coordinator, {
    tasks: [
      {
        task_key: 'load',
        notebook_task: { notebook_path: '/n', base_parameters: { day: '1' } },
        libraries: [{ pypi: { package: 'x' } }],
        new_cluster: { num_workers: 1, spark_version: 'v', node_type_id: 's', spark_env_vars: { A: 'b' } },
      },
    ],
  });
  await world.waitForRunningTasks('load');
  const {
    run,
    tasks: [task],
  } = await world.waitForRun(runId, ({ tasks }) => tasks[0]?.clusterId !== undefined);
  expect(world.pool.assignments).toEqual([
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
    const coordinator = world.startCoordinator();
    const runId = await world.launchRun(coordinator, graphSettings('a', 'b', 'c a b', 'd a'));
    await world.waitForRunningTasks('a', 'b');
    world.pool.endTask('a');
    await world.waitForRunningTasks('b', 'd');
    world.pool.endTask('d');
    await world.waitForRunningTasks('b');
    world.pool.endTask('b');
    await world.waitForRunningTasks('c');
    expect(
      describeRun(await world.waitForRun(runId, ({ tasks }) => tasks[2]?.progress.state === 'RUNNING')),
    ).toEqual([
      'run RUNNING',
      'a TERMINATED/SUCCESS',
      'b TERMINATED/SUCCESS',
      'c RUNNING',
      'd TERMINATED/SUCCESS',
    ]);
    world.pool.endTask('c');
    expect(describeRun(await world.waitForRunEnd(runId))[0]).toBe('run TERMINATED/SUCCESS');
    await vi.waitFor(() => expect(coordinator.countDrivenRuns()).toBe(0), waitOptions);
  });

  test('says of a waiting task what it waits for', async () => {
    const runId = await world.launchRun(world.startCoordinator(), graphSettings('a', 'b', 'c b a'));
    const { tasks } = await world.waitForRun(runId, () => true);
    expect(tasks.map(({ progress }) => progress.message)).toEqual(['', '', 'Waiting for the tasks a, b']);
  });

  test('behind a failure is skipped, and the run names the task that failed', async () => {
    const runId = await world.launchRun(world.startCoordinator(), graphSettings('a', 'b a', 'c b', 'd'));
    await world.waitForRunningTasks('a', 'd');
    world.pool.endTask('a', failed);
    world.pool.endTask('d');
    const found = await world.waitForRunEnd(runId);
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
    const runId = await world.launchRun(world.startCoordinator(), graphSettings('a', 'b a'));
    await world.waitForRunningTasks('a');
    world.pool.endTask('a', lost);
    expect(describeRun(await world.waitForRunEnd(runId))).toEqual([
      'run TERMINATED/FAILED',
      'a INTERNAL_ERROR/FAILED',
      'b SKIPPED',
    ]);
  });

  test('takes the branch whose condition holds', async () => {
    const settings = graphSettings('a', 'mend a', 'go_on a');
    const [a, mend, goOn] = settings.tasks ?? [];
    if (a === undefined || mend === undefined || goOn === undefined) throw new Error('unreachable');
    const runId = await world.launchRun(world.startCoordinator(), {
      tasks: [a, { ...mend, run_if: 'AT_LEAST_ONE_FAILED' }, goOn],
    });
    await world.waitForRunningTasks('a');
    world.pool.endTask('a', failed);
    await world.waitForRunningTasks('mend');
    world.pool.endTask('mend');
    expect(describeRun(await world.waitForRunEnd(runId))).toEqual([
      'run TERMINATED/FAILED',
      'a TERMINATED/FAILED',
      'go_on SKIPPED',
      'mend TERMINATED/SUCCESS',
    ]);
  });

  test('of a hundred tasks, each after the one before, runs to its end', async () => {
    world.pool.immediateOutcome = { kind: 'succeeded' };
    const keys = Array.from({ length: 100 }, (_, index) => (index === 0 ? 't0' : `t${index} t${index - 1}`));
    const runId = await world.launchRun(world.startCoordinator(), graphSettings(...keys));
    expect(
      describeRun(await world.waitForRunEnd(runId)).filter((one) => !one.endsWith('TERMINATED/SUCCESS')),
    ).toEqual([]);
    expect(world.pool.assignments.map(({ taskKey }) => taskKey)).toEqual(keys.map((_, index) => `t${index}`));
  });
});

describe('notices', () => {
  const mails = { email_notifications: { on_start: ['s@x'], on_success: ['g@x'], on_failure: ['f@x'] } };

  test.each<[string, TaskOutcome, string[]]>([
    ['success', { kind: 'succeeded' }, ['run on_start', 'run on_success']],
    ['failure', failed, ['run on_start', 'run on_failure']],
    ['internal error', lost, ['run on_start', 'run on_failure']],
  ])('of a single-task run that ends in %s are told once', async (_name, outcome, expected) => {
    const runId = await world.launchRun(world.startCoordinator(), { ...singleTaskSettings, ...mails });
    await world.waitForRunningTasks('main');
    world.pool.endTask('main', outcome);
    await world.waitForRunEnd(runId);
    expect(await world.describeNotifications()).toEqual(expected);
  });

  test('of a graph are those of the run, once, and those of each task', async () => {
    const settings = graphSettings('a', 'b a', 'c a');
    const runId = await world.launchRun(world.startCoordinator(), {
      ...mails,
      tasks: (settings.tasks ?? []).map((task) => (task.task_key === 'c' ? task : { ...task, ...mails })),
    });
    await world.waitForRunningTasks('a');
    world.pool.endTask('a');
    await world.waitForRunningTasks('b', 'c');
    world.pool.endTask('c');
    world.pool.endTask('b', failed);
    await world.waitForRunEnd(runId);
    expect(await world.describeNotifications()).toEqual([
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
    const runId = await world.launchRun(
      world.startCoordinator({ directories: workplace }),
      singleTaskSettings,
    );
    const found = await world.waitForRunEnd(runId);
    expect(describeRun(found)).toEqual(['run INTERNAL_ERROR/FAILED', 'main INTERNAL_ERROR/FAILED']);
    expect(found.run.progress.message).toBe('The engine failed this task: no space left');
  });

  test('a task of no known kind fails', async () => {
    const runId = await world.launchRun(world.startCoordinator(), { tasks: [{ task_key: 'a' }] });
    expect((await world.waitForRunEnd(runId)).tasks[0]?.progress).toMatchObject({
      state: 'TERMINATED',
      result: 'FAILED',
      message: 'This task has no kind that Runyard knows.',
    });
  });

  /** The store, failing the writes that `fails` picks. */
  const failing = (fails: (to: string | undefined, count: number) => boolean): RunStore => {
    let count = 0;
    return {
      ...world.runs,
      write: (set) =>
        fails(set.changes[0]?.to, (count += 1))
          ? Promise.reject(new Error('the store is broken'))
          : world.runs.write(set),
    };
  };

  test('a write that fails once ends its task, not the run of others: the run begins with the next task', async () => {
    const coordinator = world.startCoordinator({ runs: failing((_to, count) => count === 1) });
    const runId = await world.launchRun(coordinator, {
      ...graphSettings('a', 'b'),
      email_notifications: { on_start: ['s@x'] },
    });
    await world.waitForRunningTasks('b');
    expect(
      describeRun(
        await world.waitForRun(
          runId,
          ({ run, tasks }) => run.progress.state === 'RUNNING' && tasks[0]?.progress.state !== 'PENDING',
        ),
      ),
    ).toEqual(['run RUNNING', 'a INTERNAL_ERROR', 'b RUNNING']);
    world.pool.endTask('b');
    expect(describeRun(await world.waitForRunEnd(runId))[0]).toBe('run TERMINATED/FAILED');
    expect(await world.describeNotifications()).toEqual(['run on_start']);
  });

  test('a run whose end cannot be stored is let go of, and another engine ends it', async () => {
    const coordinator = world.startCoordinator({
      runs: failing((to) => to === 'TERMINATING' || to === 'INTERNAL_ERROR'),
    });
    const runId = await world.launchRun(coordinator, singleTaskSettings);
    await world.waitForRunningTasks('main');
    world.pool.endTask('main');
    await vi.waitFor(() => expect(coordinator.countDrivenRuns()).toBe(0), waitOptions);
    expect(describeRun(await world.waitForRun(runId, () => true))).toEqual(['run RUNNING', 'main RUNNING']);
    await world.adoptRuns(world.startCoordinator({ nodeId: 'node-2' }));
    expect(describeRun(await world.waitForRunEnd(runId))).toEqual([
      'run TERMINATED/SUCCESS',
      'main TERMINATED/SUCCESS',
    ]);
  });

  test('a run that another engine has adopted is let go of, and nothing of it is written', async () => {
    const coordinator = world.startCoordinator();
    const runId = await world.launchRun(coordinator, graphSettings('a', 'b a'));
    await world.waitForRunningTasks('a');
    await world.runs.adopt('node-2', world.clock.now(), 10);
    world.pool.endTask('a');
    await vi.waitFor(() => expect(coordinator.countDrivenRuns()).toBe(0), waitOptions);
    expect(describeRun(await world.waitForRun(runId, () => true))).toEqual([
      'run RUNNING',
      'a RUNNING',
      'b PENDING',
    ]);
    expect(world.clock.pendingCount()).toBe(0);
  });
});
