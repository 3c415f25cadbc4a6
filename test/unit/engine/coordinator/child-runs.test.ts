/**
 * What a task starts while it runs (`launchJob` of the runner contract): one run for each key, its end handed
 * back.
 */
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest';
import type { ChildRunRequest } from '../../../../engine/run/child-run.ts';
import { defaultLimits } from '../../../../engine/limits.ts';
import { createTestDatabase, type TestDatabase } from '../../../harness/test-database.ts';
import { singleTaskSettings, createStoredJob } from '../../storage/run-fixtures.ts';
import { createCoordinatorHarness, type CoordinatorHarness } from './coordinator-harness.ts';

let database: TestDatabase;
let harness: CoordinatorHarness;
beforeAll(async () => {
  database = await createTestDatabase();
});
afterAll(() => database.drop());
beforeEach(() => {
  harness = createCoordinatorHarness(database);
});
afterEach(async () => {
  await harness.close();
  await database.db.deleteFrom('idempotency_tokens').execute();
});

const notebook: ChildRunRequest = {
  kind: 'notebook',
  path: '/child',
  arguments: { n: '1' },
  timeoutSeconds: 0,
};
const never = new AbortController().signal;
const parent = {
  tasks: [{ task_key: 'asks', existing_cluster_id: 'c', spark_python_task: { python_file: '/a.py' } }],
};

async function asking(changes: Parameters<CoordinatorHarness['startCoordinator']>[0] = {}): Promise<number> {
  const runId = await harness.launchRun(harness.startCoordinator(changes), parent);
  await harness.waitForRunningTasks('asks');
  return runId;
}

const children = async () =>
  await database.db
    .selectFrom('runs')
    .select(['run_type', 'state', 'result', 'parent_task_run_id'])
    .where('parent_task_run_id', 'is not', null)
    .orderBy('run_id')
    .execute();
/** The key of a one-time task that has no name of its own. */
const child = 'main';

test('one key is one run, another key another one; a notebook is a WORKFLOW_RUN of the task', async () => {
  await asking();
  const door = harness.pool.childRunsOf('asks');
  const first = [door.launchChild('a', notebook, never), door.launchChild('a', notebook, never)];
  await harness.waitForRunningTasks('asks', child);
  harness.pool.endTask(child);
  const [one, same] = await Promise.all(first);
  expect(one).toEqual({ runId: expect.any(Number), result: 'SUCCESS', message: '' });
  expect(same).toEqual(one);
  expect(await door.launchChild('a', notebook, never)).toEqual(one);
  const other = door.launchChild('b', notebook, never);
  await harness.waitForRunningTasks('asks', child);
  harness.pool.endTask(child, { kind: 'failed', message: 'Broken' });
  expect(await other).toEqual({
    runId: expect.any(Number),
    result: 'FAILED',
    message: expect.stringMatching(/^Run \d+ of notebook \/child ended as FAILED: Broken$/),
  });
  expect((await children()).map(({ run_type: type, result }) => [type, result])).toEqual([
    ['WORKFLOW_RUN', 'SUCCESS'],
    ['WORKFLOW_RUN', 'FAILED'],
  ]);
});

test('a stored job runs as by run-now, with its retries', async () => {
  const jobId = await createStoredJob(
    database.db,
    { ...singleTaskSettings, max_retries: 1 },
    harness.clock.now(),
  );
  await asking();
  const ended = harness.pool
    .childRunsOf('asks')
    .launchChild('job', { kind: 'job', jobId, parameters: {} }, never);
  for (const outcome of [{ kind: 'failed', message: 'Broken' }, { kind: 'succeeded' }] as const) {
    await harness.waitForRunningTasks('asks', 'main');
    harness.pool.endTask('main', outcome);
  }
  expect(await ended).toMatchObject({ result: 'SUCCESS' });
  expect((await children()).map(({ run_type: type }) => type)).toEqual(['JOB_RUN']);
});

test('it is cancelled when nobody wants it any more, and handed back when it is over', async () => {
  await asking();
  const stop = new AbortController();
  const ended = harness.pool.childRunsOf('asks').launchChild('a', notebook, stop.signal);
  await harness.waitForRunningTasks('asks', child);
  stop.abort();
  expect(await ended).toMatchObject({ result: 'CANCELED' });
});

test('what is asked for after the stop is never started; what was started before is cancelled', async () => {
  const runId = await asking();
  const door = harness.pool.childRunsOf('asks');
  expect(await door.launchChild('late', notebook, AbortSignal.abort())).toEqual({
    result: 'CANCELED',
    message: 'It was not started: the task that asked for it was stopped.',
  });
  expect(await door.launchChild('late', notebook, never)).toMatchObject({
    result: 'FAILED',
    message: expect.stringContaining('could not be started'),
  });
  void door.launchChild('early', notebook, never);
  await harness.waitForRunningTasks('asks', child);
  expect(await door.launchChild('early', notebook, AbortSignal.abort())).toMatchObject({
    result: 'CANCELED',
  });
  expect((await children()).map(({ result, parent_task_run_id: by }) => [result, by])).toEqual([
    ['CANCELED', (await harness.runs.find(runId))?.tasks[0]?.runId],
  ]);
});

test('the engine that adopts the task finds the run that was started before', async () => {
  await harness.launchRun(harness.startCoordinator({}, 'kill'), parent);
  await harness.waitForRunningTasks('asks');
  void harness.pool.childRunsOf('asks').launchChild('a', notebook, never);
  await harness.waitForRunningTasks('asks', child);
  const next = harness.startCoordinator({ nodeId: 'node-2' });
  await harness.adoptRuns(next);
  while (harness.pool.assignments.filter(({ taskKey }) => taskKey === 'asks').length < 2)
    await new Promise((resolve) => {
      setTimeout(resolve, 5);
    });
  const ended = harness.pool.childRunsOf('asks').launchChild('a', notebook, never);
  harness.pool.endTask(child);
  expect(await ended).toMatchObject({ result: 'SUCCESS' });
  expect(await children()).toHaveLength(1);
});

test('an engine that waits for its running tasks still starts what they wait for', async () => {
  const coordinator = harness.startCoordinator();
  const runId = await harness.launchRun(coordinator, parent);
  await harness.waitForRunningTasks('asks');
  const drained = coordinator.drain();
  const ended = harness.pool.childRunsOf('asks').launchChild('a', notebook, never);
  await harness.waitForRunningTasks('asks', child);
  harness.pool.endTask(child);
  expect(await ended).toMatchObject({ result: 'SUCCESS' });
  harness.pool.endTask('asks');
  await drained;
  expect((await harness.waitForRunEnd(runId)).run.progress.result).toBe('SUCCESS');
});

test.each<[string, ChildRunRequest, object, RegExp]>([
  [
    'a job that there is not',
    { kind: 'job', jobId: 999_999, parameters: {} },
    {},
    /^Job 999999 could not be started: Job 999999 does not exist\.$/,
  ],
  [
    'a path without a slash',
    { ...notebook, path: 'child' },
    {},
    /^Notebook child could not be started: .*notebook_path is "child"/,
  ],
  [
    'arguments that are not ASCII',
    { ...notebook, arguments: { n: 'ü' } },
    {},
    /^Notebook \/child could not be started: /,
  ],
  [
    'a workspace that is full',
    notebook,
    { limits: { ...defaultLimits, concurrentTaskRuns: 1 } },
    /^Notebook \/child could not be started: /,
  ],
  [
    'notebooks nested too deep',
    notebook,
    { limits: { ...defaultLimits, notebookRunDepth: 0 } },
    /^The notebook \/child would be started by notebooks nested 1 deep; at most 0 are allowed\.$/,
  ],
  [
    'too many runs an hour',
    notebook,
    { limits: { ...defaultLimits, jobsCreatedPerHour: 0 } },
    /^Notebook \/child could not be started: /,
  ],
])(
  'spec 8: refused with a sentence, and nothing is started: %s',
  async (_fact, request, changes, message) => {
    await asking(changes);
    expect(await harness.pool.childRunsOf('asks').launchChild('a', request, never)).toEqual({
      result: 'FAILED',
      message: expect.stringMatching(message),
    });
    expect(await children()).toEqual([]);
  },
);
