/** Retry policy: whether and when an unsuccessful attempt is retried (spec 2.2, 2.3). */
import { toIsoTime } from '../clock.ts';
import { renderCause } from './explain/explanation.ts';
import { tasksOf } from '../job/job-format.ts';
import type { NewRun } from './new-run.ts';
import { countParallelTasks } from './parallel-tasks.ts';
import { pendingProgress, type Progress, type Run, type RunWithTasks, type TaskRun } from './run.ts';

/** Retry settings of a job or task. */
export interface RetryPolicy {
  readonly max_retries?: number;
  readonly min_retry_interval_millis?: number;
  readonly retry_on_timeout?: boolean;
}

/** An attempt that has just ended. */
export interface EndedAttempt {
  readonly progress: Progress;
  /** Epoch ms; the retry interval counts from here. */
  readonly startTime: number;
  /** Retries before this attempt; for a task, those of the same repair. */
  readonly retries: number;
  readonly runId: number;
}

/** The next attempt. */
export interface Retry {
  /** Earliest begin, epoch ms. */
  readonly dueTime: number;
  /** Its state_message while it waits. */
  readonly message: string;
}

/**
 * Decides about the retry of an attempt that has ended as FAILED, INTERNAL_ERROR, or TIMEDOUT with
 * `retry_on_timeout` (spec 2.2). Returns undefined for every other end and after the last retry. The interval
 * counts from the start of the failed attempt.
 */
export function decideRetry(
  policy: RetryPolicy,
  { progress, startTime, retries, runId }: EndedAttempt,
  now: number,
): Retry | undefined {
  const { max_retries: maxRetries = 0, min_retry_interval_millis: interval = 0 } = policy;
  if (!isRetryable(progress, policy.retry_on_timeout === true)) return undefined;
  if (maxRetries >= 0 && retries >= maxRetries) return undefined;
  const dueTime = Math.max(now, startTime + interval);
  const end = progress.state === 'INTERNAL_ERROR' ? progress.state : progress.result;
  const reason =
    progress.explanation === undefined
      ? progress.message
      : renderCause(progress.explanation.cause, progress.explanation.place);
  const cause = reason === '' ? '.' : `: ${reason}`;
  const start = dueTime > now ? ` It starts at ${toIsoTime(dueTime)}.` : '';
  return {
    dueTime,
    message: `Retry ${retries + 1}${maxRetries < 0 ? '' : ` of ${maxRetries}`} of run ${runId}, which ended as ${end}${endWithPeriod(cause)}${start}`,
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

/** Creates the next attempt of a task in a multi-task run. @param runId id of the new attempt */
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

/** Returns whether a run was started as the retry of a single-task run. A repair keeps its start. */
export function isPlannedRetry({ attempt, repair }: Pick<Run, 'attempt' | 'repair'>): boolean {
  return attempt > 0 && repair === undefined;
}

/** Ids and owner of the retry of a single-task run. */
export interface RunRetryFacts {
  readonly runId: number;
  readonly numberInJob: number;
  /** The node that drives the retry. */
  readonly owner: string;
  readonly now: number;
}

/**
 * Creates the run that retries a single-task run: with the same settings and parameters, and a number of its
 * own (DESIGN section 8).
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
    trigger: 'RETRY',
    // The retry does the work of the same scheduled time.
    scheduledTime,
    attempt: attempt + 1,
    creator: creatorUserName,
    state: 'PENDING',
    queueCode: undefined,
    launchedBy: undefined,
    parallelTasks: countParallelTasks(tasksOf(settings)),
    message: retry.message,
    startTime: now,
    tasks: [{ runId, taskKey: task?.taskKey ?? '', message: retry.message, dueTime: retry.dueTime }],
    notifications: [],
  };
}
