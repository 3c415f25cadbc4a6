/** Who is told of an event: settings of a job or task -> notices (spec 2.9, section 6). */
import {
  alertLists,
  type AlertList,
  type JobEmailNotifications,
  type JobNotificationSettings,
  type WebhookNotifications,
} from '../job/alerts.ts';
import type { Progress } from '../run/run.ts';
import type { Notice, NoticeEvent, NoticeFacts, Standing, TokenFacts } from '../run/notification.ts';

/** The part of job or task settings that routing reads. */
export interface NoticeHolder {
  readonly email_notifications?: JobEmailNotifications;
  readonly webhook_notifications?: WebhookNotifications;
  readonly notification_settings?: JobNotificationSettings;
}

/** What the notice is about. */
export interface NoticeSubject {
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
export function noticesOfStart(holder: NoticeHolder, subject: NoticeSubject): Notice[] {
  if (subject.isRetry === true && lastAttemptOnly(holder)) return [];
  return noticesOf('on_start', holder, subject);
}

/** Notices of a run or task that lasts longer than its health rule allows. */
export function noticesOfDuration(holder: NoticeHolder, subject: NoticeSubject): Notice[] {
  return noticesOf('on_duration_warning_threshold_exceeded', holder, subject);
}

/** Notices of a run or task that has ended; muted ones left out. */
export function noticesOfEnd(holder: NoticeHolder, progress: Progress, subject: NoticeSubject): Notice[] {
  const facts = { standing: standingOf(progress) };
  if (progress.state === 'TERMINATED' && progress.result === 'SUCCESS')
    return noticesOf('on_success', holder, subject, facts);
  if (subject.isRetried === true && lastAttemptOnly(holder)) return [];
  const muted = holder.notification_settings ?? {};
  if (progress.result === 'CANCELED' && muted.no_alert_for_canceled_runs === true) return [];
  if (progress.state !== 'SKIPPED') return noticesOf('on_failure', holder, subject, facts);
  if (muted.no_alert_for_skipped_runs === true) return [];
  const notices = noticesOf('on_failure', holder, subject, facts);
  // This switch of the e-mail settings speaks of e-mails only.
  const mailMuted = holder.email_notifications?.no_alert_for_skipped_runs === true;
  return mailMuted ? notices.filter(({ channel }) => channel !== 'email') : notices;
}

function lastAttemptOnly({ notification_settings: settings }: NoticeHolder): boolean {
  return settings?.alert_on_last_attempt === true;
}

/** Notices of a deleted job: to every address that its e-mail settings name (spec 4.1 rule 1). */
export function noticesOfDeletion(holder: NoticeHolder, jobId: number, now: number): Notice[] {
  const emails = holder.email_notifications ?? {};
  const addresses = new Set(alertLists.flatMap((list) => emails[list] ?? []));
  return [...addresses].map((recipient) => notice('job_deleted', 'email', recipient, { jobId, now }));
}

/** The mail to the owner of a token whose scopes will be enforced, or are from now on (spec 5.7). */
export function noticeOfToken(
  event: 'token_scopes_reminder' | 'token_scopes_enforced',
  address: string,
  token: TokenFacts,
  now: number,
): Notice {
  return notice(event, 'email', address, { now }, { token });
}

function standingOf({ state, result, message, startTime, endTime }: Progress): Standing {
  return { state, result, message, startTime, endTime };
}

function noticesOf(
  event: AlertList,
  holder: NoticeHolder,
  subject: NoticeSubject,
  facts?: NoticeFacts,
): Notice[] {
  // Named twice in one list, it is told once.
  const addresses = new Set(holder.email_notifications?.[event]);
  const webhooks = new Set(holder.webhook_notifications?.[event]?.map(({ id }) => id));
  return [
    ...[...addresses].map((address) => notice(event, 'email', address, subject, facts)),
    ...[...webhooks].map((id) => notice(event, 'webhook', id, subject, facts)),
  ];
}

function notice(
  event: NoticeEvent,
  channel: Notice['channel'],
  recipient: string,
  subject: Pick<NoticeSubject, 'now'> & Partial<NoticeSubject>,
  facts?: NoticeFacts,
): Notice {
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
