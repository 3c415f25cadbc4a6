/** Routing: settings of a job or task -> notifications of an event (spec 2.9, 6). */
import {
  subscribableEvents,
  type SubscribableEvent,
  type JobEmailNotifications,
  type JobNotificationSettings,
  type WebhookNotifications,
} from '../job/notification-settings.ts';
import type { Progress } from '../run/run.ts';
import type {
  AttemptNumber,
  RunNotification,
  NotificationEvent,
  NotificationDetails,
  RunStateSnapshot,
  TokenDetails,
} from '../run/notification.ts';

/** Notification settings of a job or task. */
export interface RoutingSettings {
  readonly email_notifications?: JobEmailNotifications;
  readonly webhook_notifications?: WebhookNotifications;
  readonly notification_settings?: JobNotificationSettings;
}

/** Subject of a notification. */
export interface NotificationSubject {
  readonly jobId: number;
  readonly runId: number;
  readonly taskKey?: string;
  /** Epoch ms. */
  readonly now: number;
  /** True when this attempt is a retry. Default: false. */
  readonly isRetry?: boolean;
  /** True when another attempt follows. Default: false. */
  readonly isRetried?: boolean;
  /** Set when there can be several attempts. */
  readonly attempt?: AttemptNumber | undefined;
}

/** Returns the notifications of a start; none for a retry with `alert_on_last_attempt`. */
export function notificationsForStart(
  holder: RoutingSettings,
  subject: NotificationSubject,
): RunNotification[] {
  if (subject.isRetry === true && isLastAttemptOnly(holder)) return [];
  return notificationsFor('on_start', holder, subject);
}

/** Returns the notifications of a run or task that exceeds the duration of its health rule. */
export function notificationsForDuration(
  holder: RoutingSettings,
  subject: NotificationSubject,
): RunNotification[] {
  return notificationsFor('on_duration_warning_threshold_exceeded', holder, subject);
}

/** Returns the notifications of an end, without muted ones. */
export function notificationsForEnd(
  holder: RoutingSettings,
  progress: Progress,
  subject: NotificationSubject,
): RunNotification[] {
  const { attempt } = subject;
  const facts = { state: runStateOf(progress), ...(attempt && { attempt }) };
  if (progress.state === 'TERMINATED' && progress.result === 'SUCCESS')
    return notificationsFor('on_success', holder, subject, facts);
  if (subject.isRetried === true && isLastAttemptOnly(holder)) return [];
  const muted = holder.notification_settings ?? {};
  if (progress.result === 'CANCELED' && muted.no_alert_for_canceled_runs === true) return [];
  if (progress.state !== 'SKIPPED') return notificationsFor('on_failure', holder, subject, facts);
  if (muted.no_alert_for_skipped_runs === true) return [];
  const notifications = notificationsFor('on_failure', holder, subject, facts);
  // This switch of the e-mail settings mutes e-mails only.
  const mailMuted = holder.email_notifications?.no_alert_for_skipped_runs === true;
  return mailMuted ? notifications.filter(({ channel }) => channel !== 'email') : notifications;
}

function isLastAttemptOnly({ notification_settings: settings }: RoutingSettings): boolean {
  return settings?.alert_on_last_attempt === true;
}

/** Returns the notifications of a deleted job: one per address of its e-mail settings (spec 4.1 rule 1). */
export function notificationsForDeletion(
  holder: RoutingSettings,
  jobId: number,
  now: number,
): RunNotification[] {
  const emails = holder.email_notifications ?? {};
  const addresses = new Set(subscribableEvents.flatMap((list) => emails[list] ?? []));
  return [...addresses].map((recipient) =>
    createNotification('job_deleted', 'email', recipient, { jobId, now }),
  );
}

/** Returns the mail to the owner of a token about the enforcement of its scopes (spec 5.7). */
export function notificationForToken(
  event: 'token_scopes_reminder' | 'token_scopes_enforced',
  address: string,
  token: TokenDetails,
  now: number,
): RunNotification {
  return createNotification(event, 'email', address, { now }, { token });
}

function runStateOf({ state, result, message, explanation, startTime, endTime }: Progress): RunStateSnapshot {
  return { state, result, message, explanation, startTime, endTime };
}

function notificationsFor(
  event: SubscribableEvent,
  holder: RoutingSettings,
  subject: NotificationSubject,
  facts?: NotificationDetails,
): RunNotification[] {
  // A recipient listed twice is notified once.
  const addresses = new Set(holder.email_notifications?.[event]);
  const webhooks = new Set(holder.webhook_notifications?.[event]?.map(({ id }) => id));
  return [
    ...[...addresses].map((address) => createNotification(event, 'email', address, subject, facts)),
    ...[...webhooks].map((id) => createNotification(event, 'webhook', id, subject, facts)),
  ];
}

function createNotification(
  event: NotificationEvent,
  channel: RunNotification['channel'],
  recipient: string,
  subject: Pick<NotificationSubject, 'now'> & Partial<NotificationSubject>,
  facts?: NotificationDetails,
): RunNotification {
  return {
    event,
    channel,
    recipient,
    jobId: subject.jobId,
    runId: subject.runId,
    taskKey: subject.taskKey,
    createdTime: subject.now,
    facts,
  };
}
