/** Schedule of a job, from its Quartz schedule or its periodic trigger. */
import type { Schedule } from '../schedule/schedule.ts';
import type { JobSettings } from './settings.ts';

const unitMs = { MINUTES: 60_000, HOURS: 3_600_000, DAYS: 86_400_000, WEEKS: 604_800_000 };

/** Returns the schedule of a job; undefined when it starts only on demand. */
export function scheduleOf({ schedule, trigger }: JobSettings): Schedule | undefined {
  if (schedule !== undefined) {
    return {
      kind: 'cron',
      expression: schedule.quartz_cron_expression,
      zone: schedule.timezone_id,
      paused: schedule.pause_status === 'PAUSED',
      misfirePolicy: schedule.misfire_policy ?? 'FIRE_ONCE',
    };
  }
  if (trigger?.periodic === undefined) return undefined;
  const { interval, unit } = trigger.periodic;
  return {
    kind: 'interval',
    milliseconds: interval * unitMs[unit],
    paused: trigger.pause_status === 'PAUSED',
    misfirePolicy: 'FIRE_ONCE',
  };
}
