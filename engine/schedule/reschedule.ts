/** What a change of a job's settings means for its next fire. */
import { neverFiresError } from './never-fires.ts';
import { createNextFireTime, hasSameFireTimes, type Schedule } from './schedule.ts';

/**
 * `kept`: nothing changes, not even a fire that is due this very moment. `next` is undefined while it is
 * paused.
 */
export type RescheduleDecision = 'kept' | 'removed' | { readonly next: number | undefined };

/**
 * The next fire after settings were created (`before` is undefined) or changed. A schedule that is resumed
 * goes on from now: paused time is not missed. An interval is counted from now, too.
 * @throws ServiceError INVALID_PARAMETER_VALUE for a new expression that never fires
 */
export function decideReschedule(
  before: Schedule | undefined,
  after: Schedule | undefined,
  now: number,
): RescheduleDecision {
  if (after === undefined) return 'removed';
  const same = hasSameFireTimes(before, after);
  if (same && before?.paused === after.paused) return 'kept';
  const next = createNextFireTime(after, now)(now);
  // One that has run out may be resumed or changed in other ways without a word; a new one would be a
  // mistake.
  if (next === undefined && !same && after.kind === 'cron') throw neverFiresError(after.expression);
  return { next: after.paused ? undefined : next };
}
