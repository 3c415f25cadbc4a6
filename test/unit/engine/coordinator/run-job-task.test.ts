/**
 * Lives of run_job_tasks: one run for each attempt, whatever engine drives it, and its end taken over (spec
 * 2.7).
 */
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import type { JobSettings } from '../../../../engine/job/settings.ts';
import type { RunStore } from '../../../../engine/ports/runs.ts';
import type { Run } from '../../../../engine/run/run.ts';
import { eventually } from '../../../harness/eventually.ts';
import { createTestDatabase, type TestDatabase } from '../../../harness/test-database.ts';
import { singleTaskSettings, createStoredJob } from '../../storage/run-fixtures.ts';
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

/** A job with the task `inner`, and one that runs it by its task `outer`. */
async function nested(
  child: JobSettings = {},
  task: object = {},
): Promise<{ childId: number; settings: JobSettings }> {
  const childId = await createStoredJob(
    database.db,
    { ...singleTaskSettings, ...child },
    harness.clock.now(),
  );
  return {
    childId,
    settings: { tasks: [{ task_key: 'outer', run_job_task: { job_id: childId }, ...task }] },
  };
}

const childrenOf = async (jobId: number): Promise<string[]> =>
  (
    await database.db.selectFrom('runs').selectAll().where('job_id', '=', jobId).orderBy('run_id').execute()
  ).map((row) => `${row.number_in_job} ${row.state}${row.result === null ? '' : `/${row.result}`}`);

describe('spec 2.7: a run_job_task', () => {
  test.each([
    ['success', { kind: 'succeeded' }, 'TERMINATED/SUCCESS', ''],
    ['failure', { kind: 'failed', message: 'Broken' }, 'TERMINATED/FAILED', 'ended as FAILED: Broken'],
    [
      'loss is a failure of the task, not of the service',
      { kind: 'lost', message: 'Gone' },
      'TERMINATED/FAILED',
      'ended as INTERNAL_ERROR: Gone',
    ],
  ] as const)('takes over the end of its run: %s', async (_name, outcome, end, message) => {
    const { settings } = await nested();
    const runId = await harness.launchRun(harness.startCoordinator(), settings);
    await harness.waitForRunningTasks('main');
    harness.pool.endTask('main', outcome);
    const found = await harness.waitForRunEnd(runId);
    expect(describeRun(found)).toEqual([`run ${end}`, `outer ${end}`]);
    expect(found.tasks[0]?.progress.message).toContain(message);
  });

  test('a run that is skipped is a failure that says why', async () => {
    const { settings } = await nested({ max_concurrent_runs: 0 });
    const found = await harness.waitForRunEnd(await harness.launchRun(harness.startCoordinator(), settings));
    expect(found.tasks[0]?.progress).toMatchObject({
      result: 'FAILED',
      message: expect.stringContaining('ended as SKIPPED: Skipping this run because the limit of 0'),
    });
  });

  test('waits for the retries of its run', async () => {
    const { settings, childId } = await nested({ max_retries: 1, min_retry_interval_millis: 60_000 });
    const runId = await harness.launchRun(harness.startCoordinator(), settings);
    await harness.waitForRunningTasks('main');
    harness.pool.endTask('main', { kind: 'failed', message: 'Broken' });
    await eventually(async () =>
      expect(await childrenOf(childId)).toEqual(['1 TERMINATED/FAILED', '2 PENDING']),
    );
    await eventually(() => expect(harness.clock.pendingCount()).toBeGreaterThan(1));
    harness.clock.advance(60_000);
    await harness.waitForRunningTasks('main');
    harness.pool.endTask('main');
    expect(describeRun(await harness.waitForRunEnd(runId))).toEqual([
      'run TERMINATED/SUCCESS',
      'outer TERMINATED/SUCCESS',
    ]);
  });

  test('is cancelled together with its run', async () => {
    const coordinator = harness.startCoordinator();
    const { settings, childId } = await nested();
    const runId = await harness.launchRun(coordinator, settings);
    await harness.waitForRunningTasks('main');
    await harness.runs.requestStop(runId, 'cancel');
    coordinator.stop(runId, 'cancel');
    expect(describeRun(await harness.waitForRunEnd(runId))).toEqual([
      'run TERMINATED/CANCELED',
      'outer TERMINATED/CANCELED',
    ]);
    expect(await childrenOf(childId)).toEqual(['1 TERMINATED/CANCELED']);
  });

  test('its own timeout ends the run that it waits for', async () => {
    const { settings, childId } = await nested({}, { timeout_seconds: 5 });
    const runId = await harness.launchRun(harness.startCoordinator(), settings);
    await harness.waitForRunningTasks('main');
    await harness.waitForRun(runId, ({ tasks }) => tasks[0]?.progress.state === 'RUNNING');
    harness.clock.advance(5_000);
    expect(describeRun(await harness.waitForRunEnd(runId))).toEqual([
      'run TERMINATED/FAILED',
      'outer TERMINATED/TIMEDOUT',
    ]);
    expect(await childrenOf(childId)).toEqual(['1 TERMINATED/CANCELED']);
  });

  test('has one run, however many engines ask for it', async () => {
    const { settings, childId } = await nested();
    const runId = await harness.launchRun(harness.startCoordinator({}, 'kill'), settings);
    await harness.waitForRunningTasks('main');
    for (const node of ['node-2', 'node-3'])
      await harness.adoptRuns(harness.startCoordinator({ nodeId: node }), node);
    await eventually(() =>
      expect(harness.pool.assignments.filter(({ taskKey }) => taskKey === 'main').length).toBeGreaterThan(1),
    );
    harness.pool.endTask('main');
    // The engines do not hear each other: they look now and then.
    const ticking = setInterval(() => harness.clock.advance(5_000), 20);
    expect(describeRun(await harness.waitForRunEnd(runId))).toEqual([
      'run TERMINATED/SUCCESS',
      'outer TERMINATED/SUCCESS',
    ]);
    clearInterval(ticking);
    expect(await childrenOf(childId)).toEqual(['1 TERMINATED/SUCCESS']);
  });

  test('a retry of it starts another run', async () => {
    const { settings, childId } = await nested({}, { max_retries: 1 });
    const runId = await harness.launchRun(harness.startCoordinator(), settings);
    await harness.waitForRunningTasks('main');
    harness.pool.endTask('main', { kind: 'failed', message: 'Broken' });
    await eventually(async () => expect(await childrenOf(childId)).toHaveLength(2));
    await harness.waitForRunningTasks('main');
    harness.pool.endTask('main');
    expect(describeRun(await harness.waitForRunEnd(runId))).toEqual([
      'run TERMINATED/SUCCESS',
      'outer TERMINATED/FAILED',
      'outer TERMINATED/SUCCESS',
    ]);
  });

  test('waits for a database that is away, in whatever it asks', async () => {
    const away = () =>
      Promise.reject(Object.assign(new Error('The database is starting up.'), { code: '57P03' }));
    const runs: RunStore = {
      ...harness.runs,
      find: (runId, options) => (options?.onOutage === 'retry' ? harness.runs.find(runId) : away()),
      requestStop: (runId, reason, options) =>
        options?.onOutage === 'retry' ? harness.runs.requestStop(runId, reason) : away(),
    };
    const coordinator = harness.startCoordinator({ runs });
    const { settings } = await nested();
    const middle = await createStoredJob(database.db, settings, harness.clock.now());
    const runId = await harness.launchRun(coordinator, {
      tasks: [{ task_key: 'outermost', run_job_task: { job_id: middle } }],
    });
    await harness.waitForRunningTasks('main');
    await harness.runs.requestStop(runId, 'cancel');
    coordinator.stop(runId, 'cancel');
    expect(describeRun(await harness.waitForRunEnd(runId))).toEqual([
      'run TERMINATED/CANCELED',
      'outermost TERMINATED/CANCELED',
    ]);
  });

  test('that is cancelled ends the retry of its run, too, that was stored in between', async () => {
    let before: Run | undefined;
    const latestAttempt: RunStore['findLatestAttempt'] = async (runId) => {
      const answer = before ?? (await harness.runs.findLatestAttempt(runId));
      before = undefined;
      return answer;
    };
    const coordinator = harness.startCoordinator({
      runs: { ...harness.runs, findLatestAttempt: latestAttempt },
    });
    const { settings, childId } = await nested({ max_retries: 1, min_retry_interval_millis: 60_000 });
    const runId = await harness.launchRun(coordinator, settings);
    await harness.waitForRunningTasks('main');
    const child = await harness.runs.findLatestAttempt(harness.pool.assignments[0]?.runId ?? 0);
    harness.pool.endTask('main', { kind: 'failed', message: 'Broken' });
    await eventually(async () =>
      expect(await childrenOf(childId)).toEqual(['1 TERMINATED/FAILED', '2 PENDING']),
    );
    before = child;
    await harness.runs.requestStop(runId, 'cancel');
    coordinator.stop(runId, 'cancel');
    const ticking = setInterval(() => harness.clock.advance(5_000), 20);
    expect(describeRun(await harness.waitForRunEnd(runId))).toEqual([
      'run TERMINATED/CANCELED',
      'outer TERMINATED/CANCELED',
    ]);
    clearInterval(ticking);
    expect(await childrenOf(childId)).toEqual(['1 TERMINATED/FAILED', '2 TERMINATED/CANCELED']);
  });

  test('an unknown job is a failure that names it', async () => {
    const found = await harness.waitForRunEnd(
      await harness.launchRun(harness.startCoordinator(), {
        tasks: [{ task_key: 'outer', run_job_task: { job_id: 999_999 } }],
      }),
    );
    expect(found.tasks[0]?.progress.message).toBe(
      'Job 999999 could not be started: Job 999999 does not exist.',
    );
  });

  test('a cycle is refused where it would close', async () => {
    const { childId, settings } = await nested();
    const outer = await createStoredJob(database.db, settings, harness.clock.now());
    await database.db
      .updateTable('jobs')
      .set({
        settings: JSON.stringify({ tasks: [{ task_key: 'back', run_job_task: { job_id: outer } }] }),
        format: 'MULTI_TASK',
      })
      .where('job_id', '=', childId)
      .execute();
    const runId = await harness.launchRun(harness.startCoordinator(), {
      tasks: [{ task_key: 'first', run_job_task: { job_id: outer } }],
    });
    await harness.waitForRunEnd(runId);
    const rows = await database.db
      .selectFrom('task_runs')
      .select('message')
      .where('task_key', '=', 'back')
      .execute();
    expect(rows.map((row) => row.message)).toEqual([
      expect.stringMatching(
        new RegExp(
          `^Job ${outer} would start itself: its run_job_tasks form a cycle \\(\\d+ -> ${outer} -> ${childId} -> ${outer}\\)\\.$`,
        ),
      ),
    ]);
  });

  test('nesting has a limit', async () => {
    let jobId = await createStoredJob(database.db, singleTaskSettings, harness.clock.now());
    for (let depth = 0; depth < 4; depth += 1) {
      jobId = await createStoredJob(
        database.db,
        { tasks: [{ task_key: `level-${depth}`, run_job_task: { job_id: jobId } }] },
        harness.clock.now(),
      );
    }
    await harness.waitForRunEnd(
      await harness.launchRun(harness.startCoordinator(), {
        tasks: [{ task_key: 'top', run_job_task: { job_id: jobId } }],
      }),
    );
    const { message } = await database.db
      .selectFrom('task_runs')
      .select('message')
      .where('task_key', '=', 'level-1')
      .executeTakeFirstOrThrow();
    expect(message).toMatch(
      /^Job \d+ would be started by run_job_tasks nested 4 deep; at most 3 are allowed\.$/,
    );
  });
});
