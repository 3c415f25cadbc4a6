/**
 * What the reference model knows of the world. Written from spec section 3 and DESIGN; nothing of the
 * engine's rules is used.
 */
import type { JobPlan, TaskPlan } from './plans.ts';

export type State = 'QUEUED' | 'PENDING' | 'RUNNING' | 'TERMINATED' | 'SKIPPED' | 'INTERNAL_ERROR';
export type Result = 'SUCCESS' | 'FAILED' | 'TIMEDOUT' | 'CANCELED';
export type Reason = 'cancel' | 'timeout';
export type QueueReason =
  | 'ACTIVE_RUNS_LIMIT_REACHED'
  | 'MAX_CONCURRENT_RUNS_REACHED'
  | 'ACTIVE_RUN_JOB_TASKS_LIMIT_REACHED';
type Event = 'on_start' | 'on_success' | 'on_failure' | 'on_duration_warning_threshold_exceeded';

/**
 * Where a run or an attempt stands. TERMINATING is not among the states: nothing rests there while the
 * service is quiet.
 */
interface Standing {
  state: State;
  result?: Result;
  start?: number;
  running?: number;
  terminating?: number;
  end?: number;
  /** Why it is asked to stop; the first reason stays. */
  stop?: Reason;
  warned: boolean;
}

export interface Attempt extends Standing {
  readonly number: number;
  /** Retries before it, within the same repair. */
  readonly retries: number;
  /** A retry does not begin before then. */
  readonly due?: number;
  /** True once nothing but its due time and its cluster keeps it from running. */
  begun: boolean;
  /** When the cluster of its own is there. */
  ready?: number;
  /** The first attempt of the run that it started. */
  child?: ModelRun;
}

export interface ModelTask {
  plan: TaskPlan;
  readonly attempts: Attempt[];
}

export interface ModelJob {
  readonly label: string;
  plan: JobPlan;
  /** Carries a one-time submission: it has no limit. */
  readonly hidden: boolean;
  started: number;
  readonly tokens: Map<number, ModelRun>;
}

export interface ModelRun extends Standing {
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
  waitsFor?: QueueReason;
  admitted?: number;
  /** When its latest repair began. */
  repaired?: number;
  repairs: number;
  /** When its shared cluster is there, while it has one. */
  shared?: number | undefined;
  readonly told: string[];
}

export interface World {
  now: number;
  readonly jobs: ModelJob[];
  readonly runs: ModelRun[];
  submissions: number;
  readonly limits: WorldLimits;
  /** True once two things that do not commute came due in one instant: what follows is nobody's promise. */
  ambiguous: boolean;
}

/** The limits of a world. */
export interface WorldLimits {
  /** How long a cluster takes to start, in milliseconds. */
  readonly clusterMs: number;
  readonly taskRuns: number;
  readonly runJobTasks: number;
  /** How deep run_job_tasks may be nested. */
  readonly depth: number;
  readonly queueMs: number;
}

export function createModel(plans: readonly JobPlan[], limits: WorldLimits, now: number): World {
  const jobs = plans.map((plan, index) => newJob(`job${index}`, plan, false));
  return { now, jobs, runs: [], submissions: 0, limits, ambiguous: false };
}

export function newJob(label: string, plan: JobPlan, hidden: boolean): ModelJob {
  return { label, plan, hidden, started: 0, tokens: new Map() };
}

export const labelOf = (run: ModelRun): string => `${run.job.label}#${run.number}`;
export const isOver = ({ end }: Standing): boolean => end !== undefined;
/** Takes a place of its job and of the workspace. */
export const takesPlace = (run: ModelRun): boolean => !isOver(run) && run.state !== 'QUEUED';

export function latest({ attempts }: ModelTask): Attempt {
  const attempt = attempts.at(-1);
  if (attempt === undefined) throw new Error('A task without attempts.');
  return attempt;
}

/** When the time of a run began: its timeout and its health rule count from here. */
export const countsFrom = (run: ModelRun): number => run.repaired ?? run.admitted ?? run.start ?? 0;

/** Notes a notice of a run, or of one attempt in it. */
export function tell(run: ModelRun, task: ModelTask | undefined, event: Event): void {
  run.told.push(`${task === undefined ? 'run' : `${task.plan.key}:${latest(task).number}`} ${event}`);
}

/** Notes the notice of an end (spec section 6). `retried`: another attempt follows. */
export function tellEnd(run: ModelRun, task: ModelTask | undefined, retried: boolean): void {
  const { state, result } = task === undefined ? run : latest(task);
  if (state === 'TERMINATED' && result === 'SUCCESS') return tell(run, task, 'on_success');
  // The switches of the job are for its runs alone.
  const { lastOnly, muteSkipped, muteCanceled } =
    task === undefined ? run.plan : { lastOnly: task.plan.lastOnly, muteSkipped: false, muteCanceled: false };
  const muted =
    (retried && lastOnly) || (state === 'SKIPPED' && muteSkipped) || (result === 'CANCELED' && muteCanceled);
  if (!muted) tell(run, task, 'on_failure');
}
