/** What makes a job start by itself: a Quartz schedule or a fixed interval, each as a rhythm of instants. */
import { nextFire } from './next-fire.ts';
import { parseQuartz } from './quartz.ts';
import { zoneOf } from './zones.ts';

/** What happens to fires that were missed: one run for the last of them, none, or one each. */
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

/** When a job starts by itself. */
export type Schedule = (Cron | Interval) & {
  readonly paused: boolean;
  readonly misfirePolicy: MisfirePolicy;
};

/** Whether two timings fire at the same times. */
export function hasSameFireTimes(one: Schedule | undefined, other: Schedule | undefined): boolean {
  return one === undefined || other === undefined ? one === other : scheduleKey(one) === scheduleKey(other);
}

/** What two timings share that fire at the same times. */
export function scheduleKey(timing: Schedule): string {
  return timing.kind === 'cron'
    ? JSON.stringify([timing.expression, timing.zone])
    : String(timing.milliseconds);
}

/** The first fire strictly after an instant; both in epoch ms. Undefined when there is none any more. */
export type NextFireTime = (after: number) => number | undefined;

/**
 * The rhythm of a timing, paused or not.
 * @param origin an instant from which intervals are counted, epoch ms
 * @throws ServiceError INVALID_PARAMETER_VALUE for an expression or zone that is refused
 */
export function createNextFireTime(timing: Schedule, origin: number): NextFireTime {
  if (timing.kind === 'interval') {
    const { milliseconds } = timing;
    return (after) => origin + (Math.floor((after - origin) / milliseconds) + 1) * milliseconds;
  }
  const quartz = parseQuartz(timing.expression);
  const zone = zoneOf(timing.zone);
  return (after) => nextFire(quartz, zone, after)?.time;
}
