/** Label of the schedule of a job. */
import type { JobSettings } from '../api/documents.ts';

export function scheduleLabel({ schedule }: JobSettings): string {
  if (schedule === undefined) return 'none';
  const paused = schedule.pause_status === 'PAUSED' ? ', paused' : '';
  return `${schedule.quartz_cron_expression} (${schedule.timezone_id}${paused})`;
}
