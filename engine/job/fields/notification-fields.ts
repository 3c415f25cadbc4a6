/** Support of the fields of notifications and health rules. */
import { refused, works, type FieldTable } from './field-support.ts';

const noBacklog = refused('RUN_DURATION_SECONDS is the only metric of health rules');

const noMaintenance = refused('jobs have no maintenance window');

export const emailFields = {
  on_start: works(),
  on_success: works(),
  on_failure: works(),
  on_duration_warning_threshold_exceeded: works(),
  on_streaming_backlog_exceeded: noBacklog,
  on_maintenance_start: noMaintenance,
  on_maintenance_complete: noMaintenance,
  no_alert_for_skipped_runs: works(),
} satisfies FieldTable;

export const webhookFields = {
  on_start: works(),
  on_success: works(),
  on_failure: works(),
  on_duration_warning_threshold_exceeded: works(),
  on_streaming_backlog_exceeded: noBacklog,
  on_maintenance_start: noMaintenance,
  on_maintenance_complete: noMaintenance,
} satisfies FieldTable;

export const webhookEntryFields = { id: works() } satisfies FieldTable;

export const notificationSettingsFields = {
  no_alert_for_skipped_runs: works(),
  no_alert_for_canceled_runs: works(),
  alert_on_last_attempt: works(),
} satisfies FieldTable;

export const healthFields = { rules: works() } satisfies FieldTable;

export const healthRuleFields = {
  metric: works('Refused: every other metric than `RUN_DURATION_SECONDS`.'),
  operator: works(),
  value: works(),
} satisfies FieldTable;
