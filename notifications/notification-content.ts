/** What a notice says, in words: the same facts for mails and chats. */
import type { DeliverySubject, SubjectDetails } from '../engine/notification/delivery.ts';
import type { NotificationEvent, RunStateSnapshot } from '../engine/run/notification.ts';
import { toIsoTime } from '../engine/clock.ts';
import { runPageUrl, type WorkspaceInfo } from '../engine/run/workspace-info.ts';

/** How urgent it looks. */
export type Tone = 'plain' | 'good' | 'bad' | 'warning';

export interface NotificationContent {
  /** One line. */
  readonly headline: string;
  readonly tone: Tone;
  /** Name and value, in the order of reading. */
  readonly rows: readonly (readonly [string, string])[];
  /** Of the run page. */
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

/** A name within one line: control characters would break headers, and a very long one hides the rest. */
export function toSingleLine(text: string, most = 120): string {
  const line = text.replaceAll(/[\p{Cc}\p{Zl}\p{Zp}]+/gu, ' ').trim();
  return line.length <= most ? line : `${line.slice(0, most - 1).toWellFormed()}…`;
}

/** Words for a delivery. `facts`: undefined when run and job are gone. */
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
      footer: 'You get this because somebody tested the destination.',
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
        'You get this because your address was named in the notifications of the job. Its history is gone, and active runs are being stopped.',
    };
  }
  return {
    headline: `${describeSubject(subject, name)} ${verbOf(subject)} (run ${runId})`,
    tone,
    rows: runRowsOf(subject, facts, name),
    link: jobId === undefined || runId === undefined ? undefined : runPageUrl(site, jobId, runId),
    footer: `You get this because the ${subject.taskKey === undefined ? 'job' : 'task'} names you under ${event}.`,
  };
}

function describeSubject({ taskKey }: DeliverySubject, name: string): string {
  return taskKey === undefined ? `Run of ${name}` : `Task ${taskKey} of ${name}`;
}

const failureVerbs: Readonly<Record<string, string>> = {
  SKIPPED: 'was skipped',
  INTERNAL_ERROR: 'met an internal error',
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
  const rows: [string, string | undefined][] = [
    ['Job', facts === undefined ? jobId?.toString() : `${name} (${jobId})`],
    ['Task', taskKey],
    ['Run', facts?.parentRunId === undefined ? String(runId) : `${runId}, part of run ${facts.parentRunId}`],
    // Only an end carries where the run stood: at every other event it is running.
    ['State', describeState(state)],
    ['Message', state?.message === '' ? undefined : state?.message],
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

function describeState(standing: RunStateSnapshot | undefined): string {
  if (standing === undefined) return 'RUNNING';
  return standing.result === undefined ? standing.state : `${standing.state}, ${standing.result}`;
}

function formatElapsed(start: number, end: number | undefined, now: number): string {
  return formatDuration(Math.max(0, (end ?? now) - start)) + (end === undefined ? ' so far' : '');
}

/** `1 h 2 min 3 s`; below a minute with tenths. */
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
      'These scopes were inferred from what the token was used for. Set its scopes by hand if it needs others: PATCH /api/2.0/token/<token_id>.',
  };
}
