/** Repairs: reopens a run and keeps the rounds before. */
import type { Kysely, Transaction } from 'kysely';
import type { NewRepair } from '../../../engine/run/repair.ts';
import type { Repair } from '../../../engine/run/repair-rounds.ts';
import type { Run, RunWithTasks } from '../../../engine/run/run.ts';
import { isTerminal } from '../../../engine/run/states.ts';
import { attemptRow, progressOf } from './run-rows.ts';
import { visibleRuns, withTasks } from './runs.ts';
import type { Database } from '../schema.ts';

/** Finds a run by its own id, with all attempts, and locks it until the transaction ends. */
export async function lockRun(
  transaction: Transaction<Database>,
  runId: number,
): Promise<RunWithTasks | undefined> {
  const row = await visibleRuns(transaction)
    .where('runs.run_id', '=', runId)
    .forUpdate('runs')
    .executeTakeFirst();
  return row === undefined ? undefined : (await withTasks(transaction, [row]))[0];
}

/**
 * Reopens a locked run that has ended: keeps the end of its last round, makes the run active, and adds
 * attempts.
 */
export async function insertRepair(
  transaction: Transaction<Database>,
  { before, after, attempts, queueCode }: NewRepair,
): Promise<void> {
  const { repair, progress } = after;
  const keepsSettings = isSameDocument(before.settings, after.settings);
  await transaction
    .insertInto('repairs')
    .values({
      repair_id: repair.repairId,
      run_id: after.runId,
      start_time: repair.startTime,
      ...endColumnsOf(before),
      earlier_parameters: jsonOrNull(before.overridingParameters),
      earlier_settings: keepsSettings ? null : JSON.stringify(before.settings),
    })
    .execute();
  await transaction
    .updateTable('runs')
    .set({
      state: progress.state,
      active: true,
      result: null,
      message: progress.message,
      explanation: null,
      cause_code: null,
      stop_request: null,
      running_time: null,
      terminating_time: null,
      end_time: null,
      stop_reason: null,
      stop_message: null,
      queue_code: queueCode ?? null,
      ...(!keepsSettings && { settings: JSON.stringify(after.settings) }),
      parallel_task_runs: after.parallelTasks?.taskRuns ?? null,
      parallel_run_job_tasks: after.parallelTasks?.runJobTasks ?? null,
      warned_time: null,
      owner: after.owner ?? null,
      fence: after.fence,
      overriding_parameters: jsonOrNull(after.overridingParameters),
      repair_id: repair.repairId,
      repair_count: repair.count,
      repair_start_time: repair.startTime,
      earlier_duration: repair.earlierDuration,
    })
    .where('run_id', '=', after.runId)
    .execute();
  await transaction.insertInto('task_runs').values(attempts.map(attemptRow)).execute();
}

/** Lists the repairs of a run, oldest first. Sends no query for a run without repairs. */
export async function repairsOf(db: Kysely<Database>, { runId, repair }: Run): Promise<Repair[]> {
  if (repair === undefined) return [];
  const rows = await db
    .selectFrom('repairs')
    .selectAll()
    .where('run_id', '=', runId)
    .orderBy('repair_id')
    .execute();
  return rows.map((row) => ({
    repairId: row.repair_id,
    startTime: row.start_time,
    ended: progressOf({
      state: row.ended_state,
      result: row.ended_result,
      message: row.ended_message,
      explanation: row.ended_explanation,
      end_time: row.ended_time,
      start_time: null,
      running_time: null,
      terminating_time: null,
    }),
    earlierParameters: row.earlier_parameters ?? undefined,
    earlierSettings: row.earlier_settings ?? undefined,
  }));
}

/** Returns the columns of the end of a round. @throws Error for a run that has not ended: a bug of the caller */
function endColumnsOf({ runId, progress: { state, result, message, endTime, explanation } }: Run) {
  if (!isTerminal(state) || endTime === undefined)
    throw new Error(`Run ${runId} is ${state}; it has no end to keep.`);
  return {
    ended_state: state,
    ended_result: result ?? null,
    ended_message: message,
    ended_time: endTime,
    ended_explanation: jsonOrNull(explanation),
  };
}

/** Compares documents of the database, whose fields have one order. */
function isSameDocument(one: object, other: object): boolean {
  return one === other || JSON.stringify(one) === JSON.stringify(other);
}

function jsonOrNull(value: object | undefined): string | null {
  return value === undefined ? null : JSON.stringify(value);
}
