/** Schedule of a job: a Quartz expression or a fixed interval. */
import { nextFire } from './next-fire.ts';
import { parseQuartz } from './quartz.ts';
import { zoneOf } from './zones.ts';

/** Handling of missed fires: one run for the last of them, no run, or one run for each. */
export type MisfirePolicy = 'FIRE_ONCE' | 'SKIP' | 'FIRE_ALL';

interface Cron {
  readonly kind: 'cron';
  readonly expression: string;
  readonly zone: string;
}

interface Interval {
  readonly kind: 'interval';
  readonly milliseconds: number;
}

export type Schedule = (Cron | Interval) & {
  readonly paused: boolean;
  readonly misfirePolicy: MisfirePolicy;
};

/** Tells whether two schedules fire at the same times. */
export function hasSameFireTimes(one: Schedule | undefined, other: Schedule | undefined): boolean {
  return one === undefined || other === undefined ? one === other : scheduleKey(one) === scheduleKey(other);
}

/** Returns a key that is equal for schedules with the same fire times. */
export function scheduleKey(schedule: Schedule): string {
  return schedule.kind === 'cron'
    ? JSON.stringify([schedule.expression, schedule.zone])
    : String(schedule.milliseconds);
}

/** Returns the first fire strictly after an instant, both in epoch ms; undefined when there is none. */
export type NextFireTime = (after: number) => number | undefined;

/**
 * Creates the function that computes the fires of a schedule, paused or not.
 * @param origin start of the intervals, epoch ms
 * @throws ServiceError INVALID_PARAMETER_VALUE for an invalid expression or zone
 */
export function createNextFireTime(schedule: Schedule, origin: number): NextFireTime {
  if (schedule.kind === 'interval') {
    const { milliseconds } = schedule;
    return (after) => origin + (Math.floor((after - origin) / milliseconds) + 1) * milliseconds;
  }
  const quartz = parseQuartz(schedule.expression);
  const zone = zoneOf(schedule.zone);
  return (after) => nextFire(quartz, zone, after)?.time;
}
