/** State of the reference model. It follows spec section 3 and uses no rules of the engine. */
import type { JobPlan, TaskPlan } from './job-plans.ts';

export type State = 'QUEUED' | 'PENDING' | 'RUNNING' | 'TERMINATED' | 'SKIPPED' | 'INTERNAL_ERROR';
export type Result = 'SUCCESS' | 'FAILED' | 'TIMEDOUT' | 'CANCELED';
export type StopReason = 'cancel' | 'timeout';
export type QueueReason =
  | 'ACTIVE_RUNS_LIMIT_REACHED'
  | 'MAX_CONCURRENT_RUNS_REACHED'
  | 'ACTIVE_RUN_JOB_TASKS_LIMIT_REACHED';
type NotificationEvent = 'on_start' | 'on_success' | 'on_failure' | 'on_duration_warning_threshold_exceeded';

/** State of a run or an attempt. TERMINATING is missing because an idle service has no run in that state. */
interface ModelProgress {
  state: State;
  result?: Result;
  start?: number;
  running?: number;
  terminating?: number;
  end?: number;
  /** Reason of the first stop request. */
  stopReason?: StopReason;
  warned: boolean;
}

export interface ModelAttempt extends ModelProgress {
  readonly number: number;
  /** Number of earlier retries within the same repair. */
  readonly retries: number;
  /** Earliest start of a retry. */
  readonly due?: number;
  /** True when only the due time and the cluster delay the start. */
  eligible: boolean;
  /** Time at which the cluster of the attempt is ready. */
  clusterReadyAt?: number;
  /** First attempt of its child run. */
  childRun?: ModelRun;
}

export interface ModelTask {
  plan: TaskPlan;
  readonly attempts: ModelAttempt[];
}

export interface ModelJob {
  readonly label: string;
  plan: JobPlan;
  /** True for the job of a one-time submission, which has no limit. */
  readonly hidden: boolean;
  runsStarted: number;
  readonly tokens: Map<number, ModelRun>;
}

export interface ModelRun extends ModelProgress {
  readonly job: ModelJob;
  readonly number: number;
  readonly attempt: number;
  /** First attempt; undefined for the first attempt itself. */
  readonly original: ModelRun | undefined;
  /** Plan of the job at the launch; timeouts change with those of the job. */
  plan: JobPlan;
  readonly tasks: ModelTask[];
  /** Tasks of the latest round: all of the run, or those that a repair runs again. */
  round: readonly TaskPlan[];
  /** Number of run_job_tasks between the run and its root run. */
  readonly depth: number;
  queueReason?: QueueReason;
  admittedAt?: number;
  /** Start of the latest repair. */
  repairedAt?: number;
  repairCount: number;
  /** Time at which the shared cluster is ready; undefined without one. */
  sharedClusterReadyAt?: number | undefined;
  readonly notifications: string[];
}

export interface ModelState {
  now: number;
  readonly jobs: ModelJob[];
  readonly runs: ModelRun[];
  submissionCount: number;
  readonly limits: ModelLimits;
  /** True after two events that do not commute were due at one instant: the outcome is unspecified. */
  ambiguous: boolean;
}

/** Limits of a scenario. */
export interface ModelLimits {
  /** Start time of a cluster in milliseconds. */
  readonly clusterMs: number;
  readonly taskRuns: number;
  readonly runJobTasks: number;
  /** Maximum nesting of run_job_tasks. */
  readonly depth: number;
  readonly queueMs: number;
}

export function createModel(plans: readonly JobPlan[], limits: ModelLimits, now: number): ModelState {
  const jobs = plans.map((plan, index) => createModelJob(`job${index}`, plan, false));
  return { now, jobs, runs: [], submissionCount: 0, limits, ambiguous: false };
}

export function createModelJob(label: string, plan: JobPlan, hidden: boolean): ModelJob {
  return { label, plan, hidden, runsStarted: 0, tokens: new Map() };
}

export const labelOf = (run: ModelRun): string => `${run.job.label}#${run.number}`;
export const isOver = ({ end }: ModelProgress): boolean => end !== undefined;
/** Returns true for a run that uses capacity of its job and of the workspace. */
export const occupiesCapacity = (run: ModelRun): boolean => !isOver(run) && run.state !== 'QUEUED';

export function latestAttempt({ attempts }: ModelTask): ModelAttempt {
  const attempt = attempts.at(-1);
  if (attempt === undefined) throw new Error('The task has no attempts.');
  return attempt;
}

/** Returns the time from which the timeout and the health rule of a run count: not in the queue. */
export const timeoutStartOf = (run: ModelRun): number =>
  run.repairedAt === undefined
    ? (run.admittedAt ?? run.start ?? 0)
    : Math.max(run.repairedAt, run.admittedAt ?? 0);

/** Returns when the latest round of a run was requested. */
export const requestTimeOf = (run: ModelRun): number => run.repairedAt ?? run.start ?? 0;

/** Returns true for the retry of a single-task run until it is repaired: it starts with its task. */
export const isPlannedRetry = (run: ModelRun): boolean => run.attempt > 0 && run.repairCount === 0;

/** Records a notification of a run or of its latest attempt of a task. */
export function recordNotification(
  run: ModelRun,
  task: ModelTask | undefined,
  event: NotificationEvent,
): void {
  run.notifications.push(
    `${task === undefined ? 'run' : `${task.plan.key}:${latestAttempt(task).number}`} ${event}`,
  );
}

/** Records the notification of an end (spec section 6). @param retried true when another attempt follows */
export function recordEndNotification(run: ModelRun, task: ModelTask | undefined, retried: boolean): void {
  const { state, result } = task === undefined ? run : latestAttempt(task);
  if (state === 'TERMINATED' && result === 'SUCCESS') return recordNotification(run, task, 'on_success');
  // The mute settings of a job apply to its runs only.
  const { alertOnLastAttempt, muteSkipped, muteCanceled } =
    task === undefined
      ? run.plan
      : { alertOnLastAttempt: task.plan.alertOnLastAttempt, muteSkipped: false, muteCanceled: false };
  const muted =
    (retried && alertOnLastAttempt) ||
    (state === 'SKIPPED' && muteSkipped) ||
    (result === 'CANCELED' && muteCanceled);
  if (!muted) recordNotification(run, task, 'on_failure');
}

/** Returns the latest attempts that are not over; a repair leaves the others as they are. */
function openAttempts({ tasks }: ModelRun): ModelAttempt[] {
  return tasks.map(latestAttempt).filter((attempt) => !isOver(attempt));
}

export function setStateOfRunAndTasks(run: ModelRun, state: State): void {
  run.state = state;
  for (const attempt of openAttempts(run)) attempt.state = state;
}

export function endRunAndTasks(run: ModelRun, now: number): void {
  run.end = now;
  for (const attempt of openAttempts(run)) attempt.end = now;
}
