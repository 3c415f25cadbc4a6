/** What a schedule must meet before its expression is parsed (spec 2.8). */
import { invalid } from '../errors.ts';
import type { CronSchedule } from './settings.ts';
import { cut, quote } from './wording.ts';

/** Refuses an expression that cannot be Quartz by its number of fields, and an empty time zone. */
export function checkSchedule(schedule: CronSchedule): void {
  const { quartz_cron_expression: expression, timezone_id: zone } = schedule;
  const fields = expression.split(/\s+/).filter((field) => field !== '').length;
  if (fields !== 6 && fields !== 7) {
    throw invalid(
      `Invalid quartz_cron_expression: "${cut(expression)}". It has ${fields} fields; 6 or 7 are required: second minute hour day-of-month month day-of-week [year].`,
    );
  }
  if (zone.trim() === '') throw invalid(`schedule.timezone_id is ${quote(zone)}; it must be a Java time zone id, for example Europe/Berlin.`);
}
