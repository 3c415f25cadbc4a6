/**
 * What the reference model knows of the world. Written from spec section 3 and DESIGN; nothing of the
 * engine's rules is used.
 */
import type { JobPlan, TaskPlan } from './job-plans.ts';

export type State = 'QUEUED' | 'PENDING' | 'RUNNING' | 'TERMINATED' | 'SKIPPED' | 'INTERNAL_ERROR';
export type Result = 'SUCCESS' | 'FAILED' | 'TIMEDOUT' | 'CANCELED';
export type StopReason = 'cancel' | 'timeout';
export type QueueReason =
  | 'ACTIVE_RUNS_LIMIT_REACHED'
  | 'MAX_CONCURRENT_RUNS_REACHED'
  | 'ACTIVE_RUN_JOB_TASKS_LIMIT_REACHED';
type NotificationEvent = 'on_start' | 'on_success' | 'on_failure' | 'on_duration_warning_threshold_exceeded';

/**
 * Where a run or an attempt stands. TERMINATING is not among the states: nothing rests there while the
 * service is quiet.
 */
interface ModelProgress {
  state: State;
  result?: Result;
  start?: number;
  running?: number;
  terminating?: number;
  end?: number;
  /** Why it is asked to stop; the first reason stays. */
  stopReason?: StopReason;
  warned: boolean;
}

export interface ModelAttempt extends ModelProgress {
  readonly number: number;
  /** Retries before it, within the same repair. */
  readonly retries: number;
  /** A retry does not begin before then. */
  readonly due?: number;
  /** True once nothing but its due time and its cluster keeps it from running. */
  eligible: boolean;
  /** When the cluster of its own is there. */
  clusterReadyAt?: number;
  /** The first attempt of the run that it started. */
  childRun?: ModelRun;
}

export interface ModelTask {
  plan: TaskPlan;
  readonly attempts: ModelAttempt[];
}

export interface ModelJob {
  readonly label: string;
  plan: JobPlan;
  /** Carries a one-time submission: it has no limit. */
  readonly hidden: boolean;
  runsStarted: number;
  readonly tokens: Map<number, ModelRun>;
}

export interface ModelRun extends ModelProgress {
  readonly job: ModelJob;
  readonly number: number;
  readonly attempt: number;
  /** The first attempt; undefined when it is this one. */
  readonly original: ModelRun | undefined;
  /** As the job was when the run was launched; timeouts change with those of the job. */
  plan: JobPlan;
  readonly tasks: ModelTask[];
  /** How many run_job_tasks led to it. */
  readonly depth: number;
  queueReason?: QueueReason;
  admittedAt?: number;
  /** When its latest repair began. */
  repairedAt?: number;
  repairCount: number;
  /** When its shared cluster is there, while it has one. */
  sharedClusterReadyAt?: number | undefined;
  readonly notifications: string[];
}

export interface ModelState {
  now: number;
  readonly jobs: ModelJob[];
  readonly runs: ModelRun[];
  submissionCount: number;
  readonly limits: ModelLimits;
  /** True once two things that do not commute came due in one instant: what follows is nobody's promise. */
  ambiguous: boolean;
}

/** The limits of a world. */
export interface ModelLimits {
  /** How long a cluster takes to start, in milliseconds. */
  readonly clusterMs: number;
  readonly taskRuns: number;
  readonly runJobTasks: number;
  /** How deep run_job_tasks may be nested. */
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
/** Takes a place of its job and of the workspace. */
export const occupiesCapacity = (run: ModelRun): boolean => !isOver(run) && run.state !== 'QUEUED';

export function latestAttempt({ attempts }: ModelTask): ModelAttempt {
  const attempt = attempts.at(-1);
  if (attempt === undefined) throw new Error('A task without attempts.');
  return attempt;
}

/** When the time of a run began: its timeout and its health rule count from here. */
export const timeoutStartOf = (run: ModelRun): number => run.repairedAt ?? run.admittedAt ?? run.start ?? 0;

/** Notes a notice of a run, or of one attempt in it. */
export function recordNotification(
  run: ModelRun,
  task: ModelTask | undefined,
  event: NotificationEvent,
): void {
  run.notifications.push(
    `${task === undefined ? 'run' : `${task.plan.key}:${latestAttempt(task).number}`} ${event}`,
  );
}

/** Notes the notice of an end (spec section 6). `retried`: another attempt follows. */
export function recordEndNotification(run: ModelRun, task: ModelTask | undefined, retried: boolean): void {
  const { state, result } = task === undefined ? run : latestAttempt(task);
  if (state === 'TERMINATED' && result === 'SUCCESS') return recordNotification(run, task, 'on_success');
  // The switches of the job are for its runs alone.
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
