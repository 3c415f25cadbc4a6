/** Updates the schedule of a job in the transaction that stores its settings. */
import type { Transaction } from 'kysely';
import type { JobSettings } from '../../../engine/job/settings.ts';
import { decideReschedule } from '../../../engine/schedule/reschedule.ts';
import { scheduleOf } from '../../../engine/job/job-schedule.ts';
import { notify } from '../listen.ts';
import type { Database } from '../schema.ts';

/** NOTIFY channel for stored fires; the payload is the time of the fire (epoch ms). */
export const scheduleChannel = 'runyard_schedules';

/**
 * Stores the schedule of a job whose settings changed (`before` is undefined for a new job), and notifies all
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
  const previous = before && scheduleOf(before);
  const change = decideReschedule(previous, scheduleOf(after), now);
  if (change === 'kept' || (change === 'removed' && previous === undefined)) return;
  if (change === 'removed') return removeSchedule(transaction, jobId);
  const next_fire_at = change.next ?? null;
  await transaction
    .insertInto('schedules')
    .values({ job_id: jobId, next_fire_at, last_fire_at: null, problem: null })
    .onConflict((conflict) => conflict.column('job_id').doUpdateSet({ next_fire_at, problem: null }))
    .execute();
  if (next_fire_at !== null) await notify(transaction, scheduleChannel, String(next_fire_at));
}

export async function removeSchedule(transaction: Transaction<Database>, jobId: number): Promise<void> {
  await transaction.deleteFrom('schedules').where('job_id', '=', jobId).execute();
}
