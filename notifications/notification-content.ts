/** Content of a notification, shared by e-mails and chat messages. */
import type { DeliverySubject, SubjectDetails } from '../engine/notification/delivery.ts';
import type { NotificationEvent, RunStateSnapshot } from '../engine/run/notification.ts';
import { explanationRowsOf } from './explanation-rows.ts';
import { toIsoTime } from '../engine/clock.ts';
import { runPageUrl, type WorkspaceInfo } from '../engine/run/workspace-info.ts';

/** Urgency of a notification, shown as a colour or an icon. */
export type Tone = 'plain' | 'good' | 'bad' | 'warning';

export interface NotificationContent {
  /** One line. */
  readonly headline: string;
  readonly tone: Tone;
  /** Name and value, in the order of reading. */
  readonly rows: readonly (readonly [string, string])[];
  /** URL of the run page. */
  readonly link: string | undefined;
  readonly footer: string;
}

const tones: Readonly<Record<NotificationEvent, Tone>> = {
  on_start: 'plain',
  on_success: 'good',
  on_failure: 'bad',
  on_duration_warning_threshold_exceeded: 'warning',
  job_deleted: 'plain',
  token_scopes_reminder: 'warning',
  token_scopes_enforced: 'plain',
  test: 'plain',
};

/** Makes a text fit one line: control characters would break headers, and long names hide the rest. */
export function toSingleLine(text: string, maximum = 120): string {
  const line = text.replaceAll(/[\p{Cc}\p{Zl}\p{Zp}]+/gu, ' ').trim();
  return line.length <= maximum ? line : `${line.slice(0, maximum - 1).toWellFormed()}…`;
}

/**
 * Creates the content of a delivery.
 * @param facts undefined when the run and the job do not exist any more
 */
export function createContent(
  subject: DeliverySubject,
  facts: SubjectDetails | undefined,
  site: WorkspaceInfo,
): NotificationContent {
  const { event, jobId, runId } = subject;
  const tone = tones[event];
  if (event === 'test') {
    return {
      headline: 'This destination works',
      tone,
      rows: [['Sent', formatTime(subject.createdTime)]],
      link: undefined,
      footer: 'You receive this message because the destination was tested.',
    };
  }
  if (event === 'token_scopes_reminder' || event === 'token_scopes_enforced')
    return createTokenContent(subject);
  const name = toSingleLine(facts?.jobName ?? `job ${jobId}`);
  if (event === 'job_deleted') {
    return {
      headline: `Job ${name} was deleted`,
      tone,
      link: undefined,
      rows: [
        ['Job', `${name} (${jobId})`],
        ['Deleted', formatTime(subject.createdTime)],
      ],
      footer:
        'You receive this message because your address is in the notification settings of the job. Its run history was removed, and its active runs are being stopped.',
    };
  }
  return {
    headline: `${describeSubject(subject, name)} ${verbOf(subject)} (run ${runId})${attemptText(subject)}`,
    tone,
    rows: runRowsOf(subject, facts, name),
    link: jobId === undefined || runId === undefined ? undefined : runPageUrl(site, jobId, runId),
    footer: `You receive this message because the ${subject.taskKey === undefined ? 'job' : 'task'} lists this recipient under ${event}.`,
  };
}

/** Numbers the messages about attempts of the same work. */
function attemptText({ facts: { attempt } }: DeliverySubject): string {
  if (attempt === undefined) return '';
  return `, attempt ${attempt.number}${attempt.of === undefined ? '' : ` of ${attempt.of}`}`;
}

function describeSubject({ taskKey }: DeliverySubject, name: string): string {
  return taskKey === undefined ? `Run of ${name}` : `Task ${taskKey} of ${name}`;
}

const failureVerbs: Readonly<Record<string, string>> = {
  SKIPPED: 'was skipped',
  INTERNAL_ERROR: 'ended with an internal error',
  TIMEDOUT: 'timed out',
  CANCELED: 'was cancelled',
};

function verbOf({ event, facts: { state } }: DeliverySubject): string {
  switch (event) {
    case 'on_start':
      return 'started';
    case 'on_success':
      return 'succeeded';
    case 'on_duration_warning_threshold_exceeded':
      return 'takes longer than expected';
    default:
      return failureVerbs[state?.state ?? ''] ?? failureVerbs[state?.result ?? ''] ?? 'failed';
  }
}

function runRowsOf(
  subject: DeliverySubject,
  facts: SubjectDetails | undefined,
  name: string,
): [string, string][] {
  const {
    jobId,
    runId,
    taskKey,
    facts: { state },
    createdTime,
  } = subject;
  const start = state?.startTime ?? (subject.event === 'on_start' ? createdTime : facts?.startTime);
  const rows: (readonly [string, string | undefined])[] = [
    ['Job', facts === undefined ? jobId?.toString() : `${name} (${jobId})`],
    ['Task', taskKey],
    ['Run', facts?.parentRunId === undefined ? String(runId) : `${runId}, part of run ${facts.parentRunId}`],
    // Only the event of an end carries a state; at all other events the run is running.
    ['State', describeState(state)],
    ...explanationRowsOf(state, taskKey),
    ['Started', start === undefined ? undefined : formatTime(start)],
    [
      'Duration',
      subject.event === 'on_start' || start === undefined
        ? undefined
        : formatElapsed(start, state?.endTime, createdTime),
    ],
  ];
  return rows.flatMap(([label, value]): [string, string][] => (value === undefined ? [] : [[label, value]]));
}

function describeState(snapshot: RunStateSnapshot | undefined): string {
  if (snapshot === undefined) return 'RUNNING';
  return snapshot.result === undefined ? snapshot.state : `${snapshot.state}, ${snapshot.result}`;
}

function formatElapsed(start: number, end: number | undefined, now: number): string {
  return formatDuration(Math.max(0, (end ?? now) - start)) + (end === undefined ? ' so far' : '');
}

/** Formats a duration as `1 h 2 min 3 s`; below one minute with tenths of a second. */
export function formatDuration(ms: number): string {
  if (ms < 60_000) return `${Number((ms / 1_000).toFixed(1))} s`;
  const seconds = Math.floor(ms / 1_000);
  const [hours, minutes] = [Math.floor(seconds / 3_600), Math.floor((seconds % 3_600) / 60)];
  return [hours > 0 && `${hours} h`, minutes > 0 && `${minutes} min`, seconds % 60 > 0 && `${seconds % 60} s`]
    .filter(Boolean)
    .join(' ');
}

function formatTime(at: number): string {
  return `${toIsoTime(at).slice(0, 19).replace('T', ' ')} UTC`;
}

function createTokenContent({ event, facts: { token } }: DeliverySubject): NotificationContent {
  const comment = toSingleLine(token?.comment === '' ? 'without a comment' : (token?.comment ?? ''));
  const reminder = event === 'token_scopes_reminder';
  return {
    headline: reminder
      ? `The scopes of your token ${comment} will be enforced`
      : `The scopes of your token ${comment} are enforced now`,
    tone: tones[event],
    link: undefined,
    rows: [
      ['Token', `${comment} (${token?.tokenId.slice(0, 12)}…)`],
      ['Scopes', token?.scopes.join(', ') ?? ''],
      [
        reminder ? 'Enforced from' : 'Enforced since',
        token === undefined ? '' : formatTime(token.enforcementTime),
      ],
    ],
    footer:
      'These scopes were inferred from the use of the token. If it needs others, set its scopes with PATCH /api/2.0/token/<token_id>.',
  };
}
