/** How runs are stored: cheap updates, the table of active runs, and settings shared by a revision. */
import { sql } from 'kysely';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { RunStore } from '../../../engine/ports/runs.ts';
import { stepOfEvents, type Step } from '../../../engine/run/step.ts';
import { listExpiredRuns, removeUnusedSettings } from '../../../storage/postgres/runs/retention.ts';
import { deleteRun } from '../../../storage/postgres/runs/run-removal.ts';
import { writeInTransaction } from '../../../storage/postgres/runs/state-writer.ts';
import { createTestDatabase, type TestDatabase } from '../../harness/test-database.ts';
import {
  createLaunchPorts,
  createStoredJob,
  createSubmittedRun,
  createTestRunStore,
  launchRunOfJob,
  listRunsOfJob,
  singleTaskSettings,
} from './run-fixtures.ts';

let database: TestDatabase;
let runs: RunStore;
beforeAll(async () => {
  database = await createTestDatabase();
  runs = createTestRunStore(database.db);
});
afterAll(() => database.drop());

/** Writes all steps of a run in one transaction; returns its updates that were HOT, and all of them. */
async function writeAllSteps(): Promise<{ table: string; hot: number; all: number }[]> {
  const { run, tasks } = await createSubmittedRun(runs, singleTaskSettings);
  return database.db.transaction().execute(async (transaction) => {
    let [current, task] = [run, tasks[0]];
    if (task === undefined) throw new Error('The run has no task run.');
    for (const events of ['prepare', 'begin', ['finish', 'clean']] as const) {
      const facts = typeof events === 'string' ? {} : { result: 'SUCCESS' as const };
      const steps: readonly Step[] = [
        stepOfEvents({ kind: 'run', ...current }, events, 9e12, facts),
        stepOfEvents({ kind: 'task', ...task }, events, 9e12, facts),
      ];
      const changes = [
        ...steps.flatMap(({ changeBefore }) => changeBefore ?? []),
        ...steps.map(({ change }) => change),
      ];
      expect(await writeInTransaction(transaction, { changes, notifications: [] })).toBe('written');
      [current, task] = [
        { ...current, progress: steps[0]?.progress ?? current.progress },
        { ...task, progress: steps[1]?.progress ?? task.progress },
      ];
    }
    const { rows } = await sql<{ table: string; hot: number; all: number }>`
      select relname as table, n_tup_hot_upd as hot, n_tup_upd as all from pg_stat_xact_user_tables
      where relname in ('runs', 'task_runs') order by relname`.execute(transaction);
    return rows;
  });
}

test('every update from the preparation of a run to its end is HOT, and the end is one update', async () => {
  // A page of the table may be full: that is not the fault of an index.
  const results = [await writeAllSteps(), await writeAllSteps(), await writeAllSteps()];
  expect(results).toContainEqual([
    { table: 'runs', hot: 3, all: 3 },
    { table: 'task_runs', hot: 3, all: 3 },
  ]);
});

test('the table of active runs follows the runs: queued, admitted, ended, repaired and deleted', async () => {
  const jobId = await createStoredJob(database.db, { ...singleTaskSettings, max_concurrent_runs: 1 });
  const active = (): Promise<{ run_id: number; is_queued: boolean }[]> =>
    database.db
      .selectFrom('active_runs')
      .select(['run_id', 'is_queued'])
      .where('job_id', '=', jobId)
      .orderBy('run_id')
      .execute();
  const update = (runId: number, change: string): Promise<unknown> =>
    sql`update runs set ${sql.raw(change)} where run_id = ${runId}`.execute(database.db);
  const { runId: first } = await launchRunOfJob(createLaunchPorts(runs), jobId);
  // Over the limit: skipped, so it is never active.
  await launchRunOfJob(createLaunchPorts(runs), jobId);
  expect(await active()).toEqual([{ run_id: first, is_queued: false }]);
  await update(first, "state = 'QUEUED', queue_code = 'MAX_CONCURRENT_RUNS_REACHED'");
  expect(await active()).toEqual([{ run_id: first, is_queued: true }]);
  await update(first, "state = 'PENDING', queue_code = null");
  expect(await active()).toEqual([{ run_id: first, is_queued: false }]);
  await update(first, "state = 'SKIPPED', active = false, end_time = 9e15");
  expect(await active()).toEqual([]);
  await update(first, "state = 'PENDING', active = true, end_time = null");
  expect(await active()).toEqual([{ run_id: first, is_queued: false }]);
  await sql`delete from runs where run_id = ${first}`.execute(database.db);
  expect(await active()).toEqual([]);
});

test('a replaced revision of settings is removed after the last of its runs', async () => {
  const jobId = await createStoredJob(database.db, { ...singleTaskSettings, name: 'one' });
  const rename = (name: string): Promise<unknown> =>
    database.db
      .updateTable('jobs')
      .set({ settings: JSON.stringify({ ...singleTaskSettings, name }) })
      .where('job_id', '=', jobId)
      .execute();
  const revisions = async (): Promise<number[]> =>
    (
      await database.db
        .selectFrom('job_settings')
        .select('revision')
        .where('job_id', '=', jobId)
        .orderBy('revision')
        .execute()
    ).map(({ revision }) => revision);
  const { runId } = await launchRunOfJob(createLaunchPorts(runs), jobId);
  await rename('two');
  await rename('three');
  await launchRunOfJob(createLaunchPorts(runs), jobId);
  expect(await revisions()).toEqual([1, 2, 3]);
  await removeUnusedSettings(database.db, 100);
  // The second revision never had a run of its own; the first run keeps what has at most its number.
  expect((await listRunsOfJob(database.db, jobId)).map(({ settings }) => settings.name)).toEqual([
    'one',
    'three',
  ]);
  await sql`update runs set state = 'SKIPPED', active = false, end_time = 9e14 where run_id = ${runId}`.execute(
    database.db,
  );
  expect(await listExpiredRuns(database.db, 9e15, 100)).toContain(runId);
  await deleteRun(database.db, runId, 1);
  await removeUnusedSettings(database.db, 100);
  expect(await revisions()).toEqual([3]);
  expect((await listRunsOfJob(database.db, jobId)).map(({ settings }) => settings.name)).toEqual(['three']);
});
