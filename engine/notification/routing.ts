/** Who is told of an event: settings of a job or task -> notices (spec 2.9, section 6). */
import {
  subscribableEvents,
  type SubscribableEvent,
  type JobEmailNotifications,
  type JobNotificationSettings,
  type WebhookNotifications,
} from '../job/notification-settings.ts';
import type { Progress } from '../run/run.ts';
import type {
  RunNotification,
  NotificationEvent,
  NotificationDetails,
  RunStateSnapshot,
  TokenDetails,
} from '../run/notification.ts';

/** The part of job or task settings that routing reads. */
export interface RoutingSettings {
  readonly email_notifications?: JobEmailNotifications;
  readonly webhook_notifications?: WebhookNotifications;
  readonly notification_settings?: JobNotificationSettings;
}

/** What the notice is about. */
export interface NotificationSubject {
  readonly jobId: number;
  readonly runId: number;
  readonly taskKey?: string;
  /** Epoch ms. */
  readonly now: number;
  /** Whether this attempt is the retry of another one. Default: false. */
  readonly isRetry?: boolean;
  /** Whether another attempt follows this one. Default: false. */
  readonly isRetried?: boolean;
}

/** Notices of a run or task that begins; for a retry none with `alert_on_last_attempt`. */
export function notificationsForStart(
  holder: RoutingSettings,
  subject: NotificationSubject,
): RunNotification[] {
  if (subject.isRetry === true && isLastAttemptOnly(holder)) return [];
  return notificationsFor('on_start', holder, subject);
}

/** Notices of a run or task that lasts longer than its health rule allows. */
export function notificationsForDuration(
  holder: RoutingSettings,
  subject: NotificationSubject,
): RunNotification[] {
  return notificationsFor('on_duration_warning_threshold_exceeded', holder, subject);
}

/** Notices of a run or task that has ended; muted ones left out. */
export function notificationsForEnd(
  holder: RoutingSettings,
  progress: Progress,
  subject: NotificationSubject,
): RunNotification[] {
  const facts = { state: runStateOf(progress) };
  if (progress.state === 'TERMINATED' && progress.result === 'SUCCESS')
    return notificationsFor('on_success', holder, subject, facts);
  if (subject.isRetried === true && isLastAttemptOnly(holder)) return [];
  const muted = holder.notification_settings ?? {};
  if (progress.result === 'CANCELED' && muted.no_alert_for_canceled_runs === true) return [];
  if (progress.state !== 'SKIPPED') return notificationsFor('on_failure', holder, subject, facts);
  if (muted.no_alert_for_skipped_runs === true) return [];
  const notices = notificationsFor('on_failure', holder, subject, facts);
  // This switch of the e-mail settings speaks of e-mails only.
  const mailMuted = holder.email_notifications?.no_alert_for_skipped_runs === true;
  return mailMuted ? notices.filter(({ channel }) => channel !== 'email') : notices;
}

function isLastAttemptOnly({ notification_settings: settings }: RoutingSettings): boolean {
  return settings?.alert_on_last_attempt === true;
}

/** Notices of a deleted job: to every address that its e-mail settings name (spec 4.1 rule 1). */
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

/** The mail to the owner of a token whose scopes will be enforced, or are from now on (spec 5.7). */
export function notificationForToken(
  event: 'token_scopes_reminder' | 'token_scopes_enforced',
  address: string,
  token: TokenDetails,
  now: number,
): RunNotification {
  return createNotification(event, 'email', address, { now }, { token });
}

function runStateOf({ state, result, message, startTime, endTime }: Progress): RunStateSnapshot {
  return { state, result, message, startTime, endTime };
}

function notificationsFor(
  event: SubscribableEvent,
  holder: RoutingSettings,
  subject: NotificationSubject,
  facts?: NotificationDetails,
): RunNotification[] {
  // Named twice in one list, it is told once.
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
