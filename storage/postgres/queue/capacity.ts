/**
 * How many task runs are active, counted so that many launches at once can decide on it without exceeding a
 * limit (spec 8).
 */
import { sql, type Transaction } from 'kysely';
import type { WorkspaceLoad } from '../../../engine/ports/runs.ts';
import type { Database } from '../schema.ts';

/**
 * Far from the limit launches go side by side, each in a lane of its own: at most this many at a time, each
 * with at most so many task runs. Near the limit, and with more task runs, a launch takes all lanes and goes
 * alone.
 */
const lockSlots = 16;
const taskRunsPerSlot = 10;

/** Any number that nobody else takes for advisory locks of this database. */
const capacityLockFamily = 7_022;

/**
 * Counts the active task runs of all runs, queued ones left out. Whoever adds `added` of them only if that
 * stays within `most` does not exceed it, whatever others do until the transaction ends: alone, the number is
 * exact. In a lane, those that can commit after the last launch has counted are at most the others in their
 * lanes, and there is room for all of them.
 */
export async function countActiveTaskRuns(
  transaction: Transaction<Database>,
  added: number,
  most: number,
  runJobTasks: boolean,
): Promise<WorkspaceLoad> {
  const reserve = lockSlots * taskRunsPerSlot;
  // The limit of run_job_tasks is small, and they are rare: those launches go alone.
  if (added <= taskRunsPerSlot && reserve < most && !runJobTasks) {
    await sql`savepoint before_lane`.execute(transaction);
    await sql`select pg_advisory_xact_lock(${capacityLockFamily}, pg_backend_pid() % ${lockSlots})`.execute(
      transaction,
    );
    const load = await countTaskRuns(transaction);
    if (load.taskRuns + reserve <= most) return { ...load, runJobTasks: 0 };
    // Whoever kept a lane while waiting for all of them could wait for ever: this gives it back.
    await sql`rollback to savepoint before_lane`.execute(transaction);
  }
  await sql`select pg_advisory_xact_lock(${capacityLockFamily}, lane) from generate_series(0, ${lockSlots - 1}) as lane`.execute(
    transaction,
  );
  return {
    ...(await countTaskRuns(transaction)),
    runJobTasks: runJobTasks ? await countRunJobTasks(transaction) : 0,
  };
}

/**
 * Run by run: active runs are few and have an index, and the state of a task run must have none (its updates
 * stay cheap). So the time this takes does not grow with the runs that are stored.
 */
async function countTaskRuns(
  transaction: Transaction<Database>,
): Promise<Pick<WorkspaceLoad, 'taskRuns' | 'hasWaitingRuns'>> {
  const { rows } = await sql<{ count: number; awaited: boolean }>`
    select coalesce(sum((select count(*) from task_runs where job_run_id = runs.run_id and task_runs.active)), 0)::bigint as count,
      exists (select from runs where queue_code = 'ACTIVE_RUNS_LIMIT_REACHED') as awaited
    from runs where runs.active and runs.queue_code is null`.execute(transaction);
  return { taskRuns: rows[0]?.count ?? 0, hasWaitingRuns: rows[0]?.awaited ?? false };
}

/** Active task runs that are run_job_tasks: by the settings of their runs, in both formats. */
async function countRunJobTasks(transaction: Transaction<Database>): Promise<number> {
  const { rows } = await sql<{ count: number }>`
    select count(*)::bigint as count from runs join task_runs on task_runs.job_run_id = runs.run_id and task_runs.active
    where runs.active and runs.queue_code is null and (runs.settings ? 'run_job_task' or exists (
      select from jsonb_array_elements(runs.settings -> 'tasks') as task
      where task ->> 'task_key' = task_runs.task_key and task ? 'run_job_task'))`.execute(transaction);
  return rows[0]?.count ?? 0;
}
