/**
 * Lives of run_job_tasks: one run for each attempt, whatever engine drives it, and its end taken over (spec
 * 2.7).
 */
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test, vi } from 'vitest';
import type { JobSettings } from '../../../../engine/job/settings.ts';
import type { RunStore } from '../../../../engine/ports/runs.ts';
import type { Run } from '../../../../engine/run/run.ts';
import { createTestDatabase, type TestDatabase } from '../../../harness/test-database.ts';
import { singleTaskSettings, createStoredJob } from '../../storage/run-fixtures.ts';
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

/** A job with the task `inner`, and one that runs it by its task `outer`. */
async function nested(
  child: JobSettings = {},
  task: object = {},
): Promise<{ childId: number; settings: JobSettings }> {
  const childId = await createStoredJob(database.db, { ...singleTaskSettings, ...child }, world.clock.now());
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
    const runId = await world.launchRun(world.startCoordinator(), settings);
    await world.waitForRunningTasks('main');
    world.pool.endTask('main', outcome);
    const found = await world.waitForRunEnd(runId);
    expect(describeRun(found)).toEqual([`run ${end}`, `outer ${end}`]);
    expect(found.tasks[0]?.progress.message).toContain(message);
  });

  test('a run that is skipped is a failure that says why', async () => {
    const { settings } = await nested({ max_concurrent_runs: 0 });
    const found = await world.waitForRunEnd(await world.launchRun(world.startCoordinator(), settings));
    expect(found.tasks[0]?.progress).toMatchObject({
      result: 'FAILED',
      message: expect.stringContaining('ended as SKIPPED: Skipping this run because the limit of 0'),
    });
  });

  test('waits for the retries of its run', async () => {
    const { settings, childId } = await nested({ max_retries: 1, min_retry_interval_millis: 60_000 });
    const runId = await world.launchRun(world.startCoordinator(), settings);
    await world.waitForRunningTasks('main');
    world.pool.endTask('main', { kind: 'failed', message: 'Broken' });
    await vi.waitFor(
      async () => expect(await childrenOf(childId)).toEqual(['1 TERMINATED/FAILED', '2 PENDING']),
      waitOptions,
    );
    await vi.waitFor(() => expect(world.clock.pendingCount()).toBeGreaterThan(1), waitOptions);
    world.clock.advance(60_000);
    await world.waitForRunningTasks('main');
    world.pool.endTask('main');
    expect(describeRun(await world.waitForRunEnd(runId))).toEqual([
      'run TERMINATED/SUCCESS',
      'outer TERMINATED/SUCCESS',
    ]);
  });

  test('is cancelled together with its run', async () => {
    const coordinator = world.startCoordinator();
    const { settings, childId } = await nested();
    const runId = await world.launchRun(coordinator, settings);
    await world.waitForRunningTasks('main');
    await world.runs.requestStop(runId, 'cancel');
    coordinator.stop(runId, 'cancel');
    expect(describeRun(await world.waitForRunEnd(runId))).toEqual([
      'run TERMINATED/CANCELED',
      'outer TERMINATED/CANCELED',
    ]);
    expect(await childrenOf(childId)).toEqual(['1 TERMINATED/CANCELED']);
  });

  test('its own timeout ends the run that it waits for', async () => {
    const { settings, childId } = await nested({}, { timeout_seconds: 5 });
    const runId = await world.launchRun(world.startCoordinator(), settings);
    await world.waitForRunningTasks('main');
    await world.waitForRun(runId, ({ tasks }) => tasks[0]?.progress.state === 'RUNNING');
    world.clock.advance(5_000);
    expect(describeRun(await world.waitForRunEnd(runId))).toEqual([
      'run TERMINATED/FAILED',
      'outer TERMINATED/TIMEDOUT',
    ]);
    expect(await childrenOf(childId)).toEqual(['1 TERMINATED/CANCELED']);
  });

  test('has one run, however many engines ask for it', async () => {
    const { settings, childId } = await nested();
    const runId = await world.launchRun(world.startCoordinator({}, 'kill'), settings);
    await world.waitForRunningTasks('main');
    for (const node of ['node-2', 'node-3'])
      await world.adoptRuns(world.startCoordinator({ nodeId: node }), node);
    await vi.waitFor(
      () =>
        expect(world.pool.assignments.filter(({ taskKey }) => taskKey === 'main').length).toBeGreaterThan(1),
      waitOptions,
    );
    world.pool.endTask('main');
    // The engines do not hear each other: they look now and then.
    const ticking = setInterval(() => world.clock.advance(5_000), 20);
    expect(describeRun(await world.waitForRunEnd(runId))).toEqual([
      'run TERMINATED/SUCCESS',
      'outer TERMINATED/SUCCESS',
    ]);
    clearInterval(ticking);
    expect(await childrenOf(childId)).toEqual(['1 TERMINATED/SUCCESS']);
  });

  test('a retry of it starts another run', async () => {
    const { settings, childId } = await nested({}, { max_retries: 1 });
    const runId = await world.launchRun(world.startCoordinator(), settings);
    await world.waitForRunningTasks('main');
    world.pool.endTask('main', { kind: 'failed', message: 'Broken' });
    await vi.waitFor(async () => expect(await childrenOf(childId)).toHaveLength(2), waitOptions);
    await world.waitForRunningTasks('main');
    world.pool.endTask('main');
    expect(describeRun(await world.waitForRunEnd(runId))).toEqual([
      'run TERMINATED/SUCCESS',
      'outer TERMINATED/FAILED',
      'outer TERMINATED/SUCCESS',
    ]);
  });

  test('waits for a database that is away, in whatever it asks', async () => {
    const away = () =>
      Promise.reject(Object.assign(new Error('The database is starting up.'), { code: '57P03' }));
    const runs: RunStore = {
      ...world.runs,
      find: (runId, how) => (how === 'retry' ? world.runs.find(runId) : away()),
      requestStop: (runId, reason, how) => (how === 'retry' ? world.runs.requestStop(runId, reason) : away()),
    };
    const coordinator = world.startCoordinator({ runs });
    const { settings } = await nested();
    const middle = await createStoredJob(database.db, settings, world.clock.now());
    const runId = await world.launchRun(coordinator, {
      tasks: [{ task_key: 'outermost', run_job_task: { job_id: middle } }],
    });
    await world.waitForRunningTasks('main');
    await world.runs.requestStop(runId, 'cancel');
    coordinator.stop(runId, 'cancel');
    expect(describeRun(await world.waitForRunEnd(runId))).toEqual([
      'run TERMINATED/CANCELED',
      'outermost TERMINATED/CANCELED',
    ]);
  });

  test('that is cancelled ends the retry of its run, too, that was stored in between', async () => {
    let before: Run | undefined;
    const latestAttempt: RunStore['findLatestAttempt'] = async (runId) => {
      const answer = before ?? (await world.runs.findLatestAttempt(runId));
      before = undefined;
      return answer;
    };
    const coordinator = world.startCoordinator({ runs: { ...world.runs, findLatestAttempt: latestAttempt } });
    const { settings, childId } = await nested({ max_retries: 1, min_retry_interval_millis: 60_000 });
    const runId = await world.launchRun(coordinator, settings);
    await world.waitForRunningTasks('main');
    const child = await world.runs.findLatestAttempt(world.pool.assignments[0]?.runId ?? 0);
    world.pool.endTask('main', { kind: 'failed', message: 'Broken' });
    await vi.waitFor(
      async () => expect(await childrenOf(childId)).toEqual(['1 TERMINATED/FAILED', '2 PENDING']),
      waitOptions,
    );
    before = child;
    await world.runs.requestStop(runId, 'cancel');
    coordinator.stop(runId, 'cancel');
    const ticking = setInterval(() => world.clock.advance(5_000), 20);
    expect(describeRun(await world.waitForRunEnd(runId))).toEqual([
      'run TERMINATED/CANCELED',
      'outer TERMINATED/CANCELED',
    ]);
    clearInterval(ticking);
    expect(await childrenOf(childId)).toEqual(['1 TERMINATED/FAILED', '2 TERMINATED/CANCELED']);
  });

  test('an unknown job is a failure that names it', async () => {
    const found = await world.waitForRunEnd(
      await world.launchRun(world.startCoordinator(), {
        tasks: [{ task_key: 'outer', run_job_task: { job_id: 999_999 } }],
      }),
    );
    expect(found.tasks[0]?.progress.message).toBe(
      'Job 999999 could not be started: Job 999999 does not exist.',
    );
  });

  test('a cycle is refused where it would close', async () => {
    const { childId, settings } = await nested();
    const outer = await createStoredJob(database.db, settings, world.clock.now());
    await database.db
      .updateTable('jobs')
      .set({
        settings: JSON.stringify({ tasks: [{ task_key: 'back', run_job_task: { job_id: outer } }] }),
        format: 'MULTI_TASK',
      })
      .where('job_id', '=', childId)
      .execute();
    const runId = await world.launchRun(world.startCoordinator(), {
      tasks: [{ task_key: 'first', run_job_task: { job_id: outer } }],
    });
    await world.waitForRunEnd(runId);
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
    let jobId = await createStoredJob(database.db, singleTaskSettings, world.clock.now());
    for (let depth = 0; depth < 4; depth += 1) {
      jobId = await createStoredJob(
        database.db,
        { tasks: [{ task_key: `level-${depth}`, run_job_task: { job_id: jobId } }] },
        world.clock.now(),
      );
    }
    await world.waitForRunEnd(
      await world.launchRun(world.startCoordinator(), {
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
