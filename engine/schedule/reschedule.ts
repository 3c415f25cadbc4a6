/** Decides the next fire of a schedule after the settings of its job changed. */
import { neverFiresError } from './never-fires.ts';
import { createNextFireTime, hasSameFireTimes, type Schedule } from './schedule.ts';

/** `kept`: the next fire stays, even if it is due now. `next` is undefined while the schedule is paused. */
export type RescheduleDecision = 'kept' | 'removed' | { readonly next: number | undefined };

/**
 * Decides the next fire after settings were created (`before` is undefined) or changed. A resumed schedule
 * and an interval continue from now; fires during a pause do not count as missed.
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
  // An unchanged expression that never fires again may be resumed; a new one is a mistake.
  if (next === undefined && !same && after.kind === 'cron') throw neverFiresError(after.expression);
  return { next: after.paused ? undefined : next };
}
