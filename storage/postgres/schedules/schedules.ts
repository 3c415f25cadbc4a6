/** Store of schedules: rows with the time of the next fire, claimed when they are due. */
import { sql, type Kysely, type Transaction } from 'kysely';
import type { ScheduleClaim, ScheduleUpdate, ScheduleStore } from '../../../engine/ports/schedules.ts';
import { jobOf } from '../jobs/jobs.ts';
import { createBatchedLaunchTransaction } from '../runs/batched-launches.ts';
import type { Database } from '../schema.ts';

export function createScheduleStore(db: Kysely<Database>): ScheduleStore {
  return {
    async getNextDueTime() {
      const first = await db
        .selectFrom('schedules')
        .select('next_fire_at')
        .where('next_fire_at', 'is not', null)
        .orderBy('next_fire_at')
        .limit(1)
        .executeTakeFirst();
      return first?.next_fire_at ?? undefined;
    },
    claimDue: (claim, decide) =>
      db.transaction().execute(async (transaction) => {
        const due = await claimDueSchedules(transaction, claim);
        if (due.length === 0) return 0;
        const { updates, launchRuns } = decide(due);
        await saveFiredSchedules(transaction, updates);
        await launchRuns(createBatchedLaunchTransaction(transaction));
        return due.length;
      }),
    skipFire: (dueAt, { jobId, lastFireAt, nextFireAt, problem }) =>
      db
        .updateTable('schedules')
        .set({ last_fire_at: lastFireAt ?? null, next_fire_at: nextFireAt ?? null, problem: problem ?? null })
        .where('job_id', '=', jobId)
        .where('next_fire_at', '=', dueAt)
        .execute()
        .then(() => undefined),
  };
}

async function claimDueSchedules(transaction: Transaction<Database>, { now, limit, jobId }: ScheduleClaim) {
  let query = transaction
    .selectFrom('schedules')
    .innerJoin('jobs', 'jobs.job_id', 'schedules.job_id')
    .selectAll('jobs')
    .select('schedules.next_fire_at')
    .where('schedules.next_fire_at', '<=', now)
    .where('jobs.deleted_time', 'is', null);
  if (jobId !== undefined) query = query.where('schedules.job_id', '=', jobId);
  // skip locked: a change of a job locks the job before its schedule, and waiting here could deadlock with
  // it.
  const rows = await query
    .orderBy('schedules.next_fire_at')
    .orderBy('schedules.job_id')
    .limit(limit)
    .forUpdate()
    .skipLocked()
    .execute();
  return rows.map((row) => ({ job: jobOf(row), nextFireAt: row.next_fire_at ?? now }));
}

async function saveFiredSchedules(
  transaction: Transaction<Database>,
  fired: readonly ScheduleUpdate[],
): Promise<void> {
  const rows = JSON.stringify(
    fired.map((schedule) => ({
      job_id: schedule.jobId,
      next_fire_at: schedule.nextFireAt,
      last_fire_at: schedule.lastFireAt,
      problem: schedule.problem,
    })),
  );
  await sql`
    update schedules set next_fire_at = fired.next_fire_at, problem = fired.problem,
      last_fire_at = coalesce(fired.last_fire_at, schedules.last_fire_at)
    from jsonb_to_recordset(${rows}::jsonb)
      as fired (job_id bigint, next_fire_at bigint, last_fire_at bigint, problem text)
    where schedules.job_id = fired.job_id`.execute(transaction);
}
