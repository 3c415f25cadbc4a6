/** Whether an unsuccessful attempt is followed by another one, and when (spec 2.2, 2.3). */
import { toIsoTime } from '../clock.ts';
import type { NewRun } from './new-run.ts';
import { pendingProgress, type Progress, type RunWithTasks, type TaskRun } from './run.ts';

/** The part of job or task settings that says it. */
export interface RetryPolicy {
  readonly max_retries?: number;
  readonly min_retry_interval_millis?: number;
  readonly retry_on_timeout?: boolean;
}

/** An attempt that has just ended. */
export interface EndedAttempt {
  readonly progress: Progress;
  /** When it began (epoch ms), for the interval. */
  readonly startTime: number;
  /** Retries that were made before it: within the same repair, for a task. */
  readonly retries: number;
  readonly runId: number;
}

/** The attempt that follows. */
export interface Retry {
  /** It does not begin before this instant (epoch ms). */
  readonly dueTime: number;
  /** What it says while it waits. */
  readonly message: string;
}

/**
 * The retry of an attempt that is over; undefined when there is none: it succeeded, was cancelled or skipped,
 * ran out of time without `retry_on_timeout`, or was the last one. FAILED and INTERNAL_ERROR are unsuccessful
 * (spec 2.2). The interval counts from the start of the failed attempt.
 */
export function decideRetry(
  policy: RetryPolicy,
  { progress, startTime, retries, runId }: EndedAttempt,
  now: number,
): Retry | undefined {
  const { max_retries: most = 0, min_retry_interval_millis: interval = 0 } = policy;
  if (!isRetryable(progress, policy.retry_on_timeout === true)) return undefined;
  if (most >= 0 && retries >= most) return undefined;
  const dueTime = Math.max(now, startTime + interval);
  const end = progress.state === 'INTERNAL_ERROR' ? progress.state : progress.result;
  const why = progress.message === '' ? '.' : `: ${progress.message}`;
  const when = dueTime > now ? ` It starts at ${toIsoTime(dueTime)}.` : '';
  return {
    dueTime,
    message: `Retry ${retries + 1}${most < 0 ? '' : ` of ${most}`} of run ${runId}, which ended as ${end}${endWithPeriod(why)}${when}`,
  };
}

function isRetryable({ state, result }: Progress, onTimeout: boolean): boolean {
  if (state === 'INTERNAL_ERROR') return true;
  if (state !== 'TERMINATED') return false;
  return result === 'FAILED' || (result === 'TIMEDOUT' && onTimeout);
}

function endWithPeriod(text: string): string {
  return /[.!?]$/.test(text) ? text : `${text}.`;
}

/** The next attempt of a task of a multi-task run. @param runId its own id */
export function createTaskRetry(ended: TaskRun, retry: Retry, runId: number): TaskRun {
  const { jobRunId, taskKey, fence } = ended;
  return {
    runId,
    jobRunId,
    taskKey,
    fence,
    attempt: ended.attempt + 1,
    dueTime: retry.dueTime,
    clusterId: undefined,
    sparkContextId: undefined,
    stopReason: undefined,
    warned: false,
    progress: pendingProgress(undefined, retry.message),
  };
}

/** What a retry of a single-task run takes when it is stored. */
export interface RunRetryFacts {
  readonly runId: number;
  readonly numberInJob: number;
  /** The node that drives it. */
  readonly owner: string;
  readonly now: number;
}

/**
 * The new run that is the retry of a single-task run: its settings and parameters, and a number of its own
 * (DESIGN section 8).
 */
export function createRunRetry(
  { run, tasks: [task] }: RunWithTasks,
  retry: Retry,
  { runId, numberInJob, owner, now }: RunRetryFacts,
): NewRun {
  const {
    jobId,
    format,
    version,
    name,
    type,
    settings,
    overridingParameters,
    originalAttemptRunId,
    attempt,
    scheduledTime,
    creatorUserName = '',
  } = run;
  return {
    jobId,
    format,
    version,
    name,
    type,
    settings,
    overridingParameters,
    originalAttemptRunId,
    runId,
    numberInJob,
    owner,
    // It does the work of the same time again.
    trigger: 'RETRY',
    scheduledTime,
    attempt: attempt + 1,
    creator: creatorUserName,
    state: 'PENDING',
    queueCode: undefined,
    launchedBy: undefined,
    message: retry.message,
    startTime: now,
    tasks: [{ runId, taskKey: task?.taskKey ?? '', message: retry.message, dueTime: retry.dueTime }],
    notifications: [],
  };
}
