/** Validation of schedules and triggers beyond their schema (spec 2.8). */
import { invalid } from '../errors.ts';
import { parseQuartz } from '../schedule/quartz.ts';
import { zoneOf } from '../schedule/zones.ts';
import type { JobSettings } from './settings.ts';
import { isNonEmpty } from '../validation/messages.ts';

/**
 * Refuses an invalid expression, an unknown zone, and unsupported triggers. An expression that never fires is
 * refused later, when the schedule is stored.
 * @throws ServiceError INVALID_PARAMETER_VALUE that names field, value and rule
 */
export function checkSchedule(settings: JobSettings): void {
  const { schedule, trigger } = settings;
  if (schedule !== undefined) {
    parseQuartz(schedule.quartz_cron_expression);
    zoneOf(schedule.timezone_id);
  }
  if (trigger === undefined || !isNonEmpty(trigger)) return;
  const unsupported = Object.keys(trigger).find((kind) => kind !== 'periodic' && kind !== 'pause_status');
  if (unsupported !== undefined)
    throw invalid(`trigger.${unsupported} is not supported; use trigger.periodic.`);
  if (trigger.periodic === undefined) throw invalid('Missing required field: trigger.periodic.');
  if (schedule !== undefined) throw invalid('schedule and trigger are given; only one of them is allowed.');
}
