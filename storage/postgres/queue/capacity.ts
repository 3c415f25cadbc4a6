/**
 * Counts active task runs so that concurrent launches can decide on the count without exceeding a limit
 * (spec 8).
 */
import { sql, type Transaction } from 'kysely';
import type { WorkspaceLoad } from '../../../engine/ports/runs.ts';
import { advisoryLocks } from '../advisory-locks.ts';
import { runSettings } from '../runs/run-rows.ts';
import type { Database } from '../schema.ts';

/**
 * Far from the limit launches run concurrently: each holds one of `lockSlots` locks and adds at most
 * `taskRunsPerSlot` task runs. Near the limit, or with more task runs, a launch takes all locks and runs
 * alone.
 */
export const lockSlots = 16;
export const taskRunsPerSlot = 10;
const lock = advisoryLocks.launchCapacity;

/**
 * Counts the active task runs of all runs except queued ones. A caller that adds `added` task runs only when
 * the sum stays within `maximum` never exceeds the maximum, whatever other transactions do: a launch that
 * runs alone reads the exact number; a launch in a slot leaves a reserve for all task runs that the launches
 * in the other slots can add.
 */
export async function countActiveTaskRuns(
  transaction: Transaction<Database>,
  added: number,
  maximum: number,
  runJobTasks: boolean,
): Promise<WorkspaceLoad> {
  const reserve = lockSlots * taskRunsPerSlot;
  // run_job_tasks are rare and their limit is small: those launches run alone.
  if (added <= taskRunsPerSlot && reserve < maximum && !runJobTasks) {
    await sql`savepoint before_slot`.execute(transaction);
    await sql`select pg_advisory_xact_lock(${lock}, pg_backend_pid() % ${lockSlots})`.execute(transaction);
    const load = await countTaskRuns(transaction);
    if (load.taskRuns + reserve <= maximum) return { ...load, runJobTasks: 0 };
    // Release the slot first: two launches that each hold one slot and wait for all would deadlock.
    await sql`rollback to savepoint before_slot`.execute(transaction);
  }
  await sql`
    select pg_advisory_xact_lock(${lock}, slot) from generate_series(0, ${lockSlots - 1}) as slot`.execute(
    transaction,
  );
  return {
    ...(await countTaskRuns(transaction)),
    runJobTasks: runJobTasks ? await countRunJobTasks(transaction) : 0,
  };
}

/**
 * Counts for each run the task runs that can be active at the same time: the least of the tasks that can run in
 * parallel and of the task runs that are not over (`least` ignores a null). Counts by run: active runs have an index, and the state of a task run has none, which keeps its updates
 * cheap. The time does not grow with the number of stored runs.
 */
async function countTaskRuns(
  transaction: Transaction<Database>,
): Promise<Pick<WorkspaceLoad, 'taskRuns' | 'hasWaitingRuns'>> {
  const { rows } = await sql<{ count: number; has_waiting: boolean }>`
    select coalesce(sum(least(active_runs.parallel_task_runs, (
        select count(*) from task_runs where job_run_id = active_runs.run_id and task_runs.active))), 0)::bigint as count,
      exists (select from runs where queue_code = 'ACTIVE_RUNS_LIMIT_REACHED') as has_waiting
    from active_runs where not active_runs.is_queued`.execute(transaction);
  return { taskRuns: rows[0]?.count ?? 0, hasWaitingRuns: rows[0]?.has_waiting ?? false };
}

/** Counts likewise the run_job_tasks, found by the settings of their runs in both job formats. */
async function countRunJobTasks(transaction: Transaction<Database>): Promise<number> {
  const { rows } = await sql<{ count: number }>`
    select coalesce(sum(least(runs.parallel_run_job_tasks, (
      select count(*) from task_runs
      where task_runs.job_run_id = runs.run_id and task_runs.active and (stored.settings ? 'run_job_task' or exists (
        select from jsonb_array_elements(stored.settings -> 'tasks') as task
        where task ->> 'task_key' = task_runs.task_key and task ? 'run_job_task'))))), 0)::bigint as count
    from active_runs join runs on runs.run_id = active_runs.run_id,
      lateral (select ${runSettings} as settings) as stored
    where not active_runs.is_queued and (runs.parallel_run_job_tasks is null or runs.parallel_run_job_tasks > 0)`.execute(
    transaction,
  );
  return rows[0]?.count ?? 0;
}
