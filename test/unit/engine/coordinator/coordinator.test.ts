/** Lives of runs: graphs, outcomes, what runners are handed, notices, and failures of the engine itself. */
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test, vi } from 'vitest';
import { noLibraries } from '../../../../engine/cluster/libraries.ts';
import type { TaskOutcome } from '../../../../engine/run/assignment.ts';
import type { RunStore } from '../../../../engine/ports/runs.ts';
import { createTestDatabase, type TestDatabase } from '../../../harness/database.ts';
import { graph, singleTask } from '../../storage/stored-runs.ts';
import { createWorld, describeRun, patience, type World } from './world.ts';

let database: TestDatabase;
let world: World;
beforeAll(async () => {
  database = await createTestDatabase();
});
afterAll(() => database.drop());
beforeEach(() => {
  world = createWorld(database);
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
    const runId = await world.launch(world.coordinator(), singleTask);
    await world.running('main');
    world.pool.end('main', outcome);
    const found = await world.ended(runId);
    expect(describeRun(found)).toEqual([`run ${end}`, `main ${end}`]);
    expect([found.run.progress.message, found.tasks[0]?.progress.message]).toEqual([message, message]);
  });

  test('has its times from the clock: accepted, running, over', async () => {
    const start = world.clock.now();
    const runId = await world.launch(world.coordinator(), singleTask);
    await world.running('main');
    world.clock.advance(5_000);
    world.pool.end('main');
    const { run } = await world.ended(runId);
    expect(run.progress).toMatchObject({
      startTime: start,
      runningTime: start,
      terminatingTime: start + 5_000,
      endTime: start + 5_000,
    });
  });
});

test('a runner is handed the task with its parameters merged in, its directory and its cluster', async () => {
  const coordinator = world.coordinator();
  const runId = await world.launch(coordinator, {
    tasks: [
      {
        task_key: 'load',
        notebook_task: { notebook_path: '/n', base_parameters: { day: '1' } },
        libraries: [{ pypi: { package: 'x' } }],
        new_cluster: { num_workers: 1, spark_version: 'v', node_type_id: 's', spark_env_vars: { A: 'b' } },
      },
    ],
  });
  await world.running('load');
  const {
    run,
    tasks: [task],
  } = await world.when(runId, ({ tasks }) => tasks[0]?.clusterId !== undefined);
  expect(world.pool.handed).toEqual([
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
    const coordinator = world.coordinator();
    const runId = await world.launch(coordinator, graph('a', 'b', 'c a b', 'd a'));
    await world.running('a', 'b');
    world.pool.end('a');
    await world.running('b', 'd');
    world.pool.end('d');
    await world.running('b');
    world.pool.end('b');
    await world.running('c');
    expect(
      describeRun(await world.when(runId, ({ tasks }) => tasks[2]?.progress.state === 'RUNNING')),
    ).toEqual([
      'run RUNNING',
      'a TERMINATED/SUCCESS',
      'b TERMINATED/SUCCESS',
      'c RUNNING',
      'd TERMINATED/SUCCESS',
    ]);
    world.pool.end('c');
    expect(describeRun(await world.ended(runId))[0]).toBe('run TERMINATED/SUCCESS');
    await vi.waitFor(() => expect(coordinator.countDrivenRuns()).toBe(0), patience);
  });

  test('says of a waiting task what it waits for', async () => {
    const runId = await world.launch(world.coordinator(), graph('a', 'b', 'c b a'));
    const { tasks } = await world.when(runId, () => true);
    expect(tasks.map(({ progress }) => progress.message)).toEqual(['', '', 'Waiting for the tasks a, b']);
  });

  test('behind a failure is skipped, and the run names the task that failed', async () => {
    const runId = await world.launch(world.coordinator(), graph('a', 'b a', 'c b', 'd'));
    await world.running('a', 'd');
    world.pool.end('a', failed);
    world.pool.end('d');
    const found = await world.ended(runId);
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
    const runId = await world.launch(world.coordinator(), graph('a', 'b a'));
    await world.running('a');
    world.pool.end('a', lost);
    expect(describeRun(await world.ended(runId))).toEqual([
      'run TERMINATED/FAILED',
      'a INTERNAL_ERROR/FAILED',
      'b SKIPPED',
    ]);
  });

  test('takes the branch whose condition holds', async () => {
    const settings = graph('a', 'mend a', 'go_on a');
    const [a, mend, goOn] = settings.tasks ?? [];
    if (a === undefined || mend === undefined || goOn === undefined) throw new Error('unreachable');
    const runId = await world.launch(world.coordinator(), {
      tasks: [a, { ...mend, run_if: 'AT_LEAST_ONE_FAILED' }, goOn],
    });
    await world.running('a');
    world.pool.end('a', failed);
    await world.running('mend');
    world.pool.end('mend');
    expect(describeRun(await world.ended(runId))).toEqual([
      'run TERMINATED/FAILED',
      'a TERMINATED/FAILED',
      'go_on SKIPPED',
      'mend TERMINATED/SUCCESS',
    ]);
  });

  test('of a hundred tasks, each after the one before, runs to its end', async () => {
    world.pool.atOnce = { kind: 'succeeded' };
    const keys = Array.from({ length: 100 }, (_, index) => (index === 0 ? 't0' : `t${index} t${index - 1}`));
    const runId = await world.launch(world.coordinator(), graph(...keys));
    expect(
      describeRun(await world.ended(runId)).filter((one) => !one.endsWith('TERMINATED/SUCCESS')),
    ).toEqual([]);
    expect(world.pool.handed.map(({ taskKey }) => taskKey)).toEqual(keys.map((_, index) => `t${index}`));
  });
});

describe('notices', () => {
  const mails = { email_notifications: { on_start: ['s@x'], on_success: ['g@x'], on_failure: ['f@x'] } };

  test.each<[string, TaskOutcome, string[]]>([
    ['success', { kind: 'succeeded' }, ['run on_start', 'run on_success']],
    ['failure', failed, ['run on_start', 'run on_failure']],
    ['internal error', lost, ['run on_start', 'run on_failure']],
  ])('of a single-task run that ends in %s are told once', async (_name, outcome, expected) => {
    const runId = await world.launch(world.coordinator(), { ...singleTask, ...mails });
    await world.running('main');
    world.pool.end('main', outcome);
    await world.ended(runId);
    expect(await world.notices()).toEqual(expected);
  });

  test('of a graph are those of the run, once, and those of each task', async () => {
    const settings = graph('a', 'b a', 'c a');
    const runId = await world.launch(world.coordinator(), {
      ...mails,
      tasks: (settings.tasks ?? []).map((task) => (task.task_key === 'c' ? task : { ...task, ...mails })),
    });
    await world.running('a');
    world.pool.end('a');
    await world.running('b', 'c');
    world.pool.end('c');
    world.pool.end('b', failed);
    await world.ended(runId);
    expect(await world.notices()).toEqual([
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
      clusterDirectory: async () => '/c',
      attemptDirectory: () => Promise.reject(new Error('no space left')),
      taskValues: async () => ({}),
      read: async () => undefined,
    };
    const runId = await world.launch(world.coordinator({ directories: workplace }), singleTask);
    const found = await world.ended(runId);
    expect(describeRun(found)).toEqual(['run INTERNAL_ERROR/FAILED', 'main INTERNAL_ERROR/FAILED']);
    expect(found.run.progress.message).toBe('The engine failed this task: no space left');
  });

  test('a task of no known kind fails', async () => {
    const runId = await world.launch(world.coordinator(), { tasks: [{ task_key: 'a' }] });
    expect((await world.ended(runId)).tasks[0]?.progress).toMatchObject({
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
    const coordinator = world.coordinator({ runs: failing((_to, count) => count === 1) });
    const runId = await world.launch(coordinator, {
      ...graph('a', 'b'),
      email_notifications: { on_start: ['s@x'] },
    });
    await world.running('b');
    expect(
      describeRun(
        await world.when(
          runId,
          ({ run, tasks }) => run.progress.state === 'RUNNING' && tasks[0]?.progress.state !== 'PENDING',
        ),
      ),
    ).toEqual(['run RUNNING', 'a INTERNAL_ERROR', 'b RUNNING']);
    world.pool.end('b');
    expect(describeRun(await world.ended(runId))[0]).toBe('run TERMINATED/FAILED');
    expect(await world.notices()).toEqual(['run on_start']);
  });

  test('a run whose end cannot be stored is let go of, and another engine ends it', async () => {
    const coordinator = world.coordinator({
      runs: failing((to) => to === 'TERMINATING' || to === 'INTERNAL_ERROR'),
    });
    const runId = await world.launch(coordinator, singleTask);
    await world.running('main');
    world.pool.end('main');
    await vi.waitFor(() => expect(coordinator.countDrivenRuns()).toBe(0), patience);
    expect(describeRun(await world.when(runId, () => true))).toEqual(['run RUNNING', 'main RUNNING']);
    await world.adopt(world.coordinator({ nodeId: 'node-2' }));
    expect(describeRun(await world.ended(runId))).toEqual([
      'run TERMINATED/SUCCESS',
      'main TERMINATED/SUCCESS',
    ]);
  });

  test('a run that another engine has adopted is let go of, and nothing of it is written', async () => {
    const coordinator = world.coordinator();
    const runId = await world.launch(coordinator, graph('a', 'b a'));
    await world.running('a');
    await world.runs.adopt('node-2', world.clock.now(), 10);
    world.pool.end('a');
    await vi.waitFor(() => expect(coordinator.countDrivenRuns()).toBe(0), patience);
    expect(describeRun(await world.when(runId, () => true))).toEqual([
      'run RUNNING',
      'a RUNNING',
      'b PENDING',
    ]);
    expect(world.clock.waiting()).toBe(0);
  });
});
