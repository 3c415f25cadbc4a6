/** Reading of runs, and stop requests. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { RunFilter } from '../../../engine/ports/run-reader.ts';
import type { RunStore } from '../../../engine/ports/runs.ts';
import { deleteJob } from '../../../storage/postgres/jobs/jobs.ts';
import { findRun, listRuns, requestStop } from '../../../storage/postgres/runs/runs.ts';
import { createManualClock } from '../../harness/manual-clock.ts';
import { createTestDatabase, type TestDatabase } from '../../harness/test-database.ts';
import {
  graphSettings,
  createLaunchPorts,
  launchRunOfJob,
  createTestRunStore,
  singleTaskSettings,
  createStoredJob,
  createSubmittedRun,
} from './run-fixtures.ts';

let database: TestDatabase;
let runs: RunStore;

beforeAll(async () => {
  database = await createTestDatabase();
  runs = createTestRunStore(database.db);
});
afterAll(() => database.drop());

async function end(runId: number): Promise<void> {
  await database.db
    .updateTable('runs')
    .set({ state: 'INTERNAL_ERROR', active: false, end_time: 9e12 })
    .where('run_id', '=', runId)
    .execute();
}

describe('a list of runs', () => {
  const everything: RunFilter = {
    jobId: undefined,
    active: undefined,
    type: undefined,
    startFrom: undefined,
    startTo: undefined,
    before: undefined,
    offset: 0,
    limit: 999,
  };
  /** Six runs, started at 1000, 2000, ..; the first is the oldest. */
  const ids: number[] = [];
  let jobId = 0;

  beforeAll(async () => {
    const clock = createManualClock(1_000);
    jobId = await createStoredJob(database.db, { ...singleTaskSettings, max_concurrent_runs: 9 });
    for (let count = 0; count < 3; count += 1) {
      ids.push((await launchRunOfJob(createLaunchPorts(runs, [], 'node-1', clock), jobId)).runId);
      clock.advance(1_000);
      ids.push((await createSubmittedRun(runs, graphSettings('a', 'b'), 'node-1', clock)).run.runId);
      clock.advance(1_000);
    }
    for (const index of [0, 1]) await end(ids[index] ?? 0);
    const deleted = await createStoredJob(database.db);
    await launchRunOfJob(createLaunchPorts(runs, [], 'node-1', clock), deleted);
    await deleteJob(database.db, deleted, 5, () => []);
  });

  test.each<[string, () => Partial<RunFilter>, number[]]>([
    ['everything, newest first, without runs of deleted jobs', () => ({}), [5, 4, 3, 2, 1, 0]],
    ['of one job', () => ({ jobId }), [4, 2, 0]],
    ['of a job that has none', () => ({ jobId: 999_999 }), []],
    ['active ones', () => ({ active: true }), [5, 4, 3, 2]],
    ['completed ones', () => ({ active: false }), [1, 0]],
    ['runs of jobs', () => ({ type: 'JOB_RUN' }), [4, 2, 0]],
    ['one-time runs', () => ({ type: 'SUBMIT_RUN' }), [5, 3, 1]],
    ['workflow runs', () => ({ type: 'WORKFLOW_RUN' }), []],
    ['started at or after a time', () => ({ startFrom: 5_000 }), [5, 4]],
    ['started at or before a time', () => ({ startTo: 2_000 }), [1, 0]],
    ['started in a span, both ends included', () => ({ startFrom: 2_000, startTo: 4_000 }), [3, 2, 1]],
    ['a first page', () => ({ limit: 2 }), [5, 4]],
    ['a page by offset', () => ({ limit: 2, offset: 2 }), [3, 2]],
    ['a page after the last', () => ({ offset: 6 }), []],
    [
      'a page by the run where the last one ended',
      () => ({ limit: 2, before: { startTime: 5_000, runId: ids[4] ?? 0 } }),
      [3, 2],
    ],
    [
      'a page among runs that started at once',
      () => ({ limit: 2, before: { startTime: 5_000, runId: 9e15 } }),
      [4, 3],
    ],
    [
      'several filters at once',
      () => ({ jobId, active: true, startFrom: 3_000, startTo: 5_000, limit: 1, offset: 1 }),
      [2],
    ],
  ])('%s', async (_name, filter, expected) => {
    const found = await listRuns(database.db, { ...everything, ...filter() });
    expect(found.map(({ runId }) => ids.indexOf(runId))).toEqual(expected);
  });
});

describe('a run is found', () => {
  test('by its own id and by that of each task run, with all attempts, oldest first within a task', async () => {
    const stored = await createSubmittedRun(runs, graphSettings('b', 'a'));
    const [b] = stored.tasks;
    await database.db
      .insertInto('task_runs')
      .values({
        run_id: 900_000 + stored.run.runId,
        job_run_id: stored.run.runId,
        task_key: 'b',
        attempt: 1,
        cluster_id: null,
        spark_context_id: null,
        state: 'PENDING',
        active: true,
        result: null,
        message: '',
        start_time: null,
        running_time: null,
        terminating_time: null,
        end_time: null,
      })
      .execute();
    for (const runId of [stored.run.runId, b?.runId ?? 0, 900_000 + stored.run.runId]) {
      const found = await findRun(database.db, runId);
      expect(found?.run.runId).toBe(stored.run.runId);
      expect(found?.tasks.map(({ taskKey, attempt }) => `${taskKey} ${attempt}`)).toEqual([
        'a 0',
        'b 0',
        'b 1',
      ]);
    }
  });

  test('unless it is unknown or its job was deleted', async () => {
    const jobId = await createStoredJob(database.db, graphSettings('a'));
    const { runId } = await launchRunOfJob(createLaunchPorts(runs), jobId);
    const taskRunId = (await findRun(database.db, runId))?.tasks[0]?.runId ?? 0;
    await deleteJob(database.db, jobId, 5, () => []);
    for (const gone of [runId, taskRunId, 999_999]) expect(await findRun(database.db, gone)).toBeUndefined();
  });
});

describe('a stop request', () => {
  test('keeps the first reason', async () => {
    const {
      run: { runId },
    } = await createSubmittedRun(runs, singleTaskSettings);
    expect((await requestStop(database.db, runId, 'timeout'))?.stopReason).toBe('timeout');
    expect((await requestStop(database.db, runId, 'cancel'))?.stopReason).toBe('timeout');
  });

  test('for an ended run is ignored', async () => {
    const {
      run: { runId },
    } = await createSubmittedRun(runs, singleTaskSettings);
    await end(runId);
    expect((await requestStop(database.db, runId, 'cancel'))?.stopReason).toBeUndefined();
  });

  test('for an unknown run finds no run', async () => {
    expect(await requestStop(database.db, 999_999, 'cancel')).toBeUndefined();
  });

  test('changes nothing else of the run', async () => {
    const { run } = await createSubmittedRun(runs, singleTaskSettings);
    expect(await requestStop(database.db, run.runId, 'cancel')).toEqual({ ...run, stopReason: 'cancel' });
  });
});
