/** Names of events for receivers and in the delivery log. */
import type { NotificationEvent } from '../run/notification.ts';

/** Event -> public name. */
export const eventTypeOf = {
  on_start: 'jobs.on_start',
  on_success: 'jobs.on_success',
  on_failure: 'jobs.on_failure',
  on_duration_warning_threshold_exceeded: 'jobs.on_duration_warning_threshold_exceeded',
  job_deleted: 'jobs.deleted',
  token_scopes_reminder: 'tokens.scopes_reminder',
  token_scopes_enforced: 'tokens.scopes_enforced',
  test: 'destinations.test',
} as const satisfies Record<NotificationEvent, string>;
