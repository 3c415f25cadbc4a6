/** The schedule of a job follows its settings, in the transaction that stores them. */
import { sql, type Transaction } from 'kysely';
import type { JobSettings } from '../../../engine/job/settings.ts';
import { decideReschedule } from '../../../engine/schedule/reschedule.ts';
import { scheduleOf } from '../../../engine/job/job-schedule.ts';
import type { Database } from '../schema.ts';

/** The channel on which engines tell each other of fires that may come before what they wait for. */
export const scheduleChannel = 'runyard_schedules';

/**
 * Keeps the schedule of a job whose settings were stored (`before` is undefined for a new job), and tells all
 * engines.
 * @throws ServiceError INVALID_PARAMETER_VALUE for an expression that never fires
 */
export async function saveSchedule(
  transaction: Transaction<Database>,
  jobId: number,
  before: JobSettings | undefined,
  after: JobSettings,
  now: number,
): Promise<void> {
  const former = before && scheduleOf(before);
  const change = decideReschedule(former, scheduleOf(after), now);
  if (change === 'kept' || (change === 'removed' && former === undefined)) return;
  if (change === 'removed') return removeSchedule(transaction, jobId);
  const next_fire_at = change.next ?? null;
  await transaction
    .insertInto('schedules')
    .values({ job_id: jobId, next_fire_at, last_fire_at: null, problem: null })
    .onConflict((conflict) => conflict.column('job_id').doUpdateSet({ next_fire_at, problem: null }))
    .execute();
  if (next_fire_at !== null)
    await sql`select pg_notify(${scheduleChannel}, ${String(next_fire_at)})`.execute(transaction);
}

export async function removeSchedule(transaction: Transaction<Database>, jobId: number): Promise<void> {
  await transaction.deleteFrom('schedules').where('job_id', '=', jobId).execute();
}
