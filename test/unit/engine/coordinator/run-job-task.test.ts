/** Tasks that run another job (spec 2.7): one run per attempt, whose end becomes the end of the task. */
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

/** Stores a job, and returns its id and the settings of a job whose task `outer` runs it. */
async function createNestedJobs(
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

describe('spec 2.7: a run_job_task', () => {
  test.each([
    ['success', { kind: 'succeeded' }, 'TERMINATED/SUCCESS', ''],
    ['failure', { kind: 'failed', message: 'Broken' }, 'TERMINATED/FAILED', 'failed: Broken'],
    [
      'loss, as a failure of the task',
      { kind: 'lost', message: 'Gone' },
      'TERMINATED/FAILED',
      'ended with an internal error: Gone',
    ],
  ] as const)('ends like its run: %s', async (_name, outcome, state, message) => {
    const { settings } = await createNestedJobs();
    const runId = await harness.launchRun(harness.startCoordinator(), settings);
    await harness.waitForRunningTasks('main');
    harness.pool.endTask('main', outcome);
    const found = await harness.waitForRunEnd(runId);
    expect(describeRun(found)).toEqual([`run ${state}`, `outer ${state}`]);
    expect(found.tasks[0]?.progress.message).toContain(message);
  });

  test('whose run is skipped fails with the reason', async () => {
    const { settings } = await createNestedJobs({ max_concurrent_runs: 0 });
    const found = await harness.waitForRunEnd(await harness.launchRun(harness.startCoordinator(), settings));
    expect(found.tasks[0]?.progress).toMatchObject({
      result: 'FAILED',
      message: expect.stringContaining('was skipped: Skipping this run because the limit of 0'),
    });
  });

  test('waits for the retries of its run', async () => {
    const { settings, childId } = await createNestedJobs({
      max_retries: 1,
      min_retry_interval_millis: 60_000,
    });
    const runId = await harness.launchRun(harness.startCoordinator(), settings);
    await harness.waitForRunningTasks('main');
    harness.pool.endTask('main', { kind: 'failed', message: 'Broken' });
    await eventually(async () =>
      expect(await harness.describeRunsOfJob(childId)).toEqual(['1 TERMINATED/FAILED', '2 PENDING']),
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
    const { settings, childId } = await createNestedJobs();
    const runId = await harness.launchRun(coordinator, settings);
    await harness.waitForRunningTasks('main');
    await harness.runs.requestStop(runId, 'cancel');
    coordinator.stop(runId, 'cancel');
    expect(describeRun(await harness.waitForRunEnd(runId))).toEqual([
      'run TERMINATED/CANCELED',
      'outer TERMINATED/CANCELED',
    ]);
    expect(await harness.describeRunsOfJob(childId)).toEqual(['1 TERMINATED/CANCELED']);
  });

  test('that times out cancels its run', async () => {
    const { settings, childId } = await createNestedJobs({}, { timeout_seconds: 5 });
    const runId = await harness.launchRun(harness.startCoordinator(), settings);
    await harness.waitForRunningTasks('main');
    await harness.waitForRun(runId, ({ tasks }) => tasks[0]?.progress.state === 'RUNNING');
    harness.clock.advance(5_000);
    expect(describeRun(await harness.waitForRunEnd(runId))).toEqual([
      'run TERMINATED/FAILED',
      'outer TERMINATED/TIMEDOUT',
    ]);
    expect(await harness.describeRunsOfJob(childId)).toEqual(['1 TERMINATED/CANCELED']);
  });

  test('that several engines adopt starts one run', async () => {
    const { settings, childId } = await createNestedJobs();
    const runId = await harness.launchRun(harness.startCoordinator({}, 'kill'), settings);
    await harness.waitForRunningTasks('main');
    for (const node of ['node-2', 'node-3'])
      await harness.adoptRuns(harness.startCoordinator({ nodeId: node }), node);
    await eventually(() =>
      expect(harness.pool.assignments.filter(({ taskKey }) => taskKey === 'main').length).toBeGreaterThan(1),
    );
    harness.pool.endTask('main');
    // An engine finds the end of a run that another engine drives when it polls.
    expect(describeRun(await harness.advanceUntilRunEnd(runId))).toEqual([
      'run TERMINATED/SUCCESS',
      'outer TERMINATED/SUCCESS',
    ]);
    expect(await harness.describeRunsOfJob(childId)).toEqual(['1 TERMINATED/SUCCESS']);
  });

  test('that is retried starts another run', async () => {
    const { settings, childId } = await createNestedJobs({}, { max_retries: 1 });
    const runId = await harness.launchRun(harness.startCoordinator(), settings);
    await harness.waitForRunningTasks('main');
    harness.pool.endTask('main', { kind: 'failed', message: 'Broken' });
    await eventually(async () => expect(await harness.describeRunsOfJob(childId)).toHaveLength(2));
    await harness.waitForRunningTasks('main');
    harness.pool.endTask('main');
    expect(describeRun(await harness.waitForRunEnd(runId))).toEqual([
      'run TERMINATED/SUCCESS',
      'outer TERMINATED/FAILED',
      'outer TERMINATED/SUCCESS',
    ]);
  });

  test('waits for the database in all its queries while the database is away', async () => {
    const failAway = () =>
      Promise.reject(Object.assign(new Error('The database is starting up.'), { code: '57P03' }));
    const runs: RunStore = {
      ...harness.runs,
      find: (runId, options) => (options?.onOutage === 'retry' ? harness.runs.find(runId) : failAway()),
      requestStop: (runId, reason, options) =>
        options?.onOutage === 'retry' ? harness.runs.requestStop(runId, reason) : failAway(),
    };
    const coordinator = harness.startCoordinator({ runs });
    const { settings } = await createNestedJobs();
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

  test('that is cancelled also cancels a retry of its run that was stored meanwhile', async () => {
    let staleAttempt: Run | undefined;
    const findLatestAttempt: RunStore['findLatestAttempt'] = async (runId) => {
      const answer = staleAttempt ?? (await harness.runs.findLatestAttempt(runId));
      staleAttempt = undefined;
      return answer;
    };
    const coordinator = harness.startCoordinator({ runs: { ...harness.runs, findLatestAttempt } });
    const { settings, childId } = await createNestedJobs({
      max_retries: 1,
      min_retry_interval_millis: 60_000,
    });
    const runId = await harness.launchRun(coordinator, settings);
    await harness.waitForRunningTasks('main');
    const child = await harness.runs.findLatestAttempt(harness.pool.assignments[0]?.runId ?? 0);
    harness.pool.endTask('main', { kind: 'failed', message: 'Broken' });
    await eventually(async () =>
      expect(await harness.describeRunsOfJob(childId)).toEqual(['1 TERMINATED/FAILED', '2 PENDING']),
    );
    staleAttempt = child;
    await harness.runs.requestStop(runId, 'cancel');
    coordinator.stop(runId, 'cancel');
    expect(describeRun(await harness.advanceUntilRunEnd(runId))).toEqual([
      'run TERMINATED/CANCELED',
      'outer TERMINATED/CANCELED',
    ]);
    expect(await harness.describeRunsOfJob(childId)).toEqual([
      '1 TERMINATED/FAILED',
      '2 TERMINATED/CANCELED',
    ]);
  });

  test('of an unknown job fails with the id of the job', async () => {
    const found = await harness.waitForRunEnd(
      await harness.launchRun(harness.startCoordinator(), {
        tasks: [{ task_key: 'outer', run_job_task: { job_id: 999_999 } }],
      }),
    );
    expect(found.tasks[0]?.progress.message).toContain(
      'Job 999999 could not be started: Job 999999 does not exist',
    );
  });

  test('that would close a cycle fails with the cycle', async () => {
    const { childId, settings } = await createNestedJobs();
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
          `^Job ${outer} would start itself: its run_job_tasks form a cycle \\(\\d+ -> ${outer} -> ${childId} -> ${outer}\\)`,
        ),
      ),
    ]);
  });

  test('that is nested too deep fails with the limit', async () => {
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
      /^Job \d+ would be started by run_job_tasks nested 4 deep; at most 3 are allowed\b/,
    );
  });
});
