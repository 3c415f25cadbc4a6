/** What schedules and triggers must meet beyond their schema (spec 2.8). */
import { invalid } from '../errors.ts';
import { parseQuartz } from '../schedule/quartz.ts';
import { zoneOf } from '../schedule/zones.ts';
import type { JobSettings } from './settings.ts';
import { isNonEmpty } from '../validation/messages.ts';

/**
 * Refuses an expression that Quartz refuses or misreads, a zone that Java does not know, and triggers that
 * this version does not have. Whether the expression ever fires is found out when the schedule is stored.
 * @throws ServiceError INVALID_PARAMETER_VALUE that names field, value and rule
 */
export function checkSchedule(settings: JobSettings): void {
  const { schedule, trigger } = settings;
  if (schedule !== undefined) {
    parseQuartz(schedule.quartz_cron_expression);
    zoneOf(schedule.timezone_id);
  }
  if ('continuous' in settings && isNonEmpty(settings.continuous)) {
    throw invalid(
      'continuous is given; runs that follow one another without end are not supported. Use schedule or trigger.periodic.',
    );
  }
  if (trigger === undefined || !isNonEmpty(trigger)) return;
  const other = Object.keys(trigger).find((kind) => kind !== 'periodic' && kind !== 'pause_status');
  if (other !== undefined)
    throw invalid(`trigger.${other} is given; of all triggers only trigger.periodic is supported.`);
  if (trigger.periodic === undefined) throw invalid('Missing required field: trigger.periodic.');
  if (schedule !== undefined) throw invalid('schedule and trigger are given; a job has one of them.');
}
