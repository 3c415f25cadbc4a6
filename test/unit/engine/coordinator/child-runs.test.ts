/** Child runs that a running task starts (`launchJob` of the runner contract): one run per key. */
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest';
import type { ChildRunRequest } from '../../../../engine/run/child-run.ts';
import { defaultLimits } from '../../../../engine/limits.ts';
import { eventually } from '../../../harness/eventually.ts';
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
const neverAborted = new AbortController().signal;
const parentSettings = {
  tasks: [{ task_key: 'parent', existing_cluster_id: 'c', spark_python_task: { python_file: '/a.py' } }],
};

async function startParent(
  changes: Parameters<CoordinatorHarness['startCoordinator']>[0] = {},
): Promise<number> {
  const runId = await harness.launchRun(harness.startCoordinator(changes), parentSettings);
  await harness.waitForRunningTasks('parent');
  return runId;
}

const listChildren = async () =>
  await database.db
    .selectFrom('runs')
    .select(['run_type', 'state', 'result', 'parent_task_run_id'])
    .where('parent_task_run_id', 'is not', null)
    .orderBy('run_id')
    .execute();
/** Default key of a one-time task. */
const childKey = 'main';

test('calls with the same key share one child run, another key starts another one, and a notebook is a WORKFLOW_RUN', async () => {
  await startParent();
  const childRuns = harness.pool.childRunsOf('parent');
  const first = [
    childRuns.launchChild('a', notebook, neverAborted),
    childRuns.launchChild('a', notebook, neverAborted),
  ];
  await harness.waitForRunningTasks(childKey, 'parent');
  harness.pool.endTask(childKey);
  const [one, same] = await Promise.all(first);
  expect(one).toEqual({ runId: expect.any(Number), result: 'SUCCESS', message: '' });
  expect(same).toEqual(one);
  expect(await childRuns.launchChild('a', notebook, neverAborted)).toEqual(one);
  const other = childRuns.launchChild('b', notebook, neverAborted);
  await harness.waitForRunningTasks(childKey, 'parent');
  harness.pool.endTask(childKey, { kind: 'failed', message: 'Broken' });
  expect(await other).toEqual({
    runId: expect.any(Number),
    result: 'FAILED',
    message: expect.stringMatching(
      /^Run \d+ of notebook \/child ended as FAILED: Broken\. Open run \d+: http/,
    ),
  });
  expect((await listChildren()).map(({ run_type: type, result }) => [type, result])).toEqual([
    ['WORKFLOW_RUN', 'SUCCESS'],
    ['WORKFLOW_RUN', 'FAILED'],
  ]);
});

test('a child run of a stored job is retried like a run of run-now', async () => {
  const jobId = await createStoredJob(
    database.db,
    { ...singleTaskSettings, max_retries: 1 },
    harness.clock.now(),
  );
  await startParent();
  const ended = harness.pool
    .childRunsOf('parent')
    .launchChild('job', { kind: 'job', jobId, parameters: {} }, neverAborted);
  for (const outcome of [{ kind: 'failed', message: 'Broken' }, { kind: 'succeeded' }] as const) {
    await harness.waitForRunningTasks('main', 'parent');
    harness.pool.endTask('main', outcome);
  }
  expect(await ended).toMatchObject({ result: 'SUCCESS' });
  expect((await listChildren()).map(({ run_type: type }) => type)).toEqual(['JOB_RUN']);
});

test('a child run whose caller aborts is cancelled, and the call returns its end', async () => {
  await startParent();
  const stop = new AbortController();
  const ended = harness.pool.childRunsOf('parent').launchChild('a', notebook, stop.signal);
  await harness.waitForRunningTasks(childKey, 'parent');
  stop.abort();
  expect(await ended).toMatchObject({ result: 'CANCELED' });
});

test('a child run requested after the stop of its task never starts, and one started before is cancelled', async () => {
  const runId = await startParent();
  const childRuns = harness.pool.childRunsOf('parent');
  expect(await childRuns.launchChild('late', notebook, AbortSignal.abort())).toEqual({
    result: 'CANCELED',
    message: 'It was not started: the task that asked for it was stopped.',
  });
  expect(await childRuns.launchChild('late', notebook, neverAborted)).toMatchObject({
    result: 'FAILED',
    message: expect.stringContaining('could not be started'),
  });
  void childRuns.launchChild('early', notebook, neverAborted);
  await harness.waitForRunningTasks(childKey, 'parent');
  expect(await childRuns.launchChild('early', notebook, AbortSignal.abort())).toMatchObject({
    result: 'CANCELED',
  });
  expect((await listChildren()).map(({ result, parent_task_run_id: parent }) => [result, parent])).toEqual([
    ['CANCELED', (await harness.runs.find(runId))?.tasks[0]?.runId],
  ]);
});

test('an engine that adopts the task attaches to the child run that was started before', async () => {
  await harness.launchRun(harness.startCoordinator({}, 'kill'), parentSettings);
  await harness.waitForRunningTasks('parent');
  void harness.pool.childRunsOf('parent').launchChild('a', notebook, neverAborted);
  await harness.waitForRunningTasks(childKey, 'parent');
  const next = harness.startCoordinator({ nodeId: 'node-2' });
  await harness.adoptRuns(next);
  await eventually(() =>
    expect(harness.pool.assignments.filter(({ taskKey }) => taskKey === 'parent')).toHaveLength(2),
  );
  const ended = harness.pool.childRunsOf('parent').launchChild('a', notebook, neverAborted);
  harness.pool.endTask(childKey);
  expect(await ended).toMatchObject({ result: 'SUCCESS' });
  expect(await listChildren()).toHaveLength(1);
});

test('a draining engine still starts the child runs of its running tasks', async () => {
  const coordinator = harness.startCoordinator();
  const runId = await harness.launchRun(coordinator, parentSettings);
  await harness.waitForRunningTasks('parent');
  const drained = coordinator.drain();
  const ended = harness.pool.childRunsOf('parent').launchChild('a', notebook, neverAborted);
  await harness.waitForRunningTasks(childKey, 'parent');
  harness.pool.endTask(childKey);
  expect(await ended).toMatchObject({ result: 'SUCCESS' });
  harness.pool.endTask('parent');
  await drained;
  expect((await harness.waitForRunEnd(runId)).run.progress.result).toBe('SUCCESS');
});

test.each<[string, ChildRunRequest, object, RegExp]>([
  [
    'an unknown job',
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
  'spec 8: a rejected child run fails with a reason and is not stored: %s',
  async (_name, request, changes, message) => {
    await startParent(changes);
    expect(await harness.pool.childRunsOf('parent').launchChild('a', request, neverAborted)).toEqual({
      result: 'FAILED',
      message: expect.stringMatching(message),
    });
    expect(await listChildren()).toEqual([]);
  },
);
