/** A run while this node drives it: what is stored, and what only memory holds. */
import type { Clock } from '../clock.ts';
import type { TaskCluster } from '../run/assignment.ts';
import { tasksOf } from '../job/format.ts';
import type { TaskSettings } from '../job/settings.ts';
import type { PooledTask } from '../ports/engine.ts';
import type { Run, RunWithTasks, TaskRun } from '../run/run.ts';
import { standingOf, type TaskStanding } from '../run/roll-up.ts';
import { isOfLatestRound } from '../run/rounds.ts';
import type { StopReason } from '../run/states.ts';
import type { Starting } from './start-cluster.ts';

/** The latest attempt of one task. */
export interface ActiveTask {
  /** Those of the run's creation; only timeouts may change while it is active. */
  settings: TaskSettings;
  taskRun: TaskRun;
  /** Retries that led to this attempt, within the same repair. */
  retries: number;
  /** True once this node drives it. */
  started: boolean;
  /** Resolves when this node drives it no more. */
  driven: Promise<void> | undefined;
  /** Why it is to stop; never taken back. */
  stopReason: StopReason | undefined;
  /** Set while a runner has it. */
  pooled: PooledTask | undefined;
  /** Why its cluster is gone under it, which ends it. */
  lostCluster: string | undefined;
  /** Ends the watch over its cluster. */
  leaveCluster: (() => void) | undefined;
  /** Ends the wait for its cluster. */
  interrupt: (() => void) | undefined;
  /** Takes back the timer of its timeout. */
  disarm: (() => void) | undefined;
  /** The same for the warning of its health rule. */
  disarmWarning: (() => void) | undefined;
}

export interface ActiveRun {
  run: Run;
  readonly tasks: ReadonlyMap<string, ActiveTask>;
  /** A multi-task run begins with its first task: set by whichever task comes first. */
  begun: boolean;
  /** Shared clusters that this node asked for or found, by their key. */
  readonly sharedClusters: Map<string, Promise<AskedCluster>>;
  /** Clusters that this node is starting for it, by their id. */
  readonly starts: Map<string, Starting>;
  /** Keys of shared clusters whose last task is over and which are terminated. */
  readonly servedClusters: Set<string>;
  /** Decisions about a run are taken one after the other. */
  turn: Promise<void>;
  /** Cancels the timers of the run and its tasks. */
  readonly timers: Set<() => void>;
  /** Takes back the timer of the run's own timeout. */
  disarm: (() => void) | undefined;
  /** The same for the warning of its health rule. */
  disarmWarning: (() => void) | undefined;
  /** Warnings that are being stored: an end waits for them, so that none is told twice. */
  readonly warnings: Set<Promise<void>>;
  /** True when this node has nothing more to do with it. */
  retired: boolean;
}

/** Without its libraries: those come when a task is about to start there. */
export interface ClusterInUse extends Omit<TaskCluster, 'libraries'> {
  readonly sparkContextId: string;
  /** What people call it. */
  readonly names: readonly string[];
  /** Whether its size follows the tasks on it. */
  readonly autoscales: boolean;
  /** Whether it ends when it is idle for long. */
  readonly autoterminates: boolean;
  readonly deliversLogs: boolean;
}

/** A cluster that was asked for. */
export interface AskedCluster {
  readonly cluster: ClusterInUse;
  /** Undefined when it runs. */
  starting: Starting | undefined;
}

/** @throws Error when a stored task run belongs to no task of the settings */
export function activeRunOf(stored: RunWithTasks): ActiveRun {
  const settings = new Map(tasksOf(stored.run.settings).map((task) => [task.task_key, task]));
  const tasks = new Map<string, ActiveTask>();
  // Attempts come oldest first: the latest of each task stays.
  for (const taskRun of stored.tasks) {
    const own = settings.get(taskRun.taskKey);
    if (own === undefined)
      throw new Error(`Run ${stored.run.runId} has a task run of the unknown task ${taskRun.taskKey}.`);
    const earlier = tasks.get(taskRun.taskKey)?.taskRun;
    const retries =
      earlier !== undefined && isOfLatestRound(stored.run, earlier)
        ? (tasks.get(taskRun.taskKey)?.retries ?? 0) + 1
        : 0;
    tasks.set(taskRun.taskKey, activeTaskOf(own, taskRun, retries));
  }
  return {
    run: stored.run,
    tasks,
    begun: stored.run.progress.state !== 'PENDING',
    sharedClusters: new Map(),
    starts: new Map(),
    servedClusters: new Set(),
    turn: Promise.resolve(),
    timers: new Set(),
    disarm: undefined,
    disarmWarning: undefined,
    warnings: new Set(),
    retired: false,
  };
}

function activeTaskOf(settings: TaskSettings, taskRun: TaskRun, retries: number): ActiveTask {
  return {
    settings,
    taskRun,
    retries,
    started: false,
    driven: undefined,
    stopReason: taskRun.stopReason,
    pooled: undefined,
    lostCluster: undefined,
    leaveCluster: undefined,
    interrupt: undefined,
    disarm: undefined,
    disarmWarning: undefined,
  };
}

/** A task whose attempt is over goes on with the next one, which nobody drives yet. */
export function takeUpRetry(task: ActiveTask, next: TaskRun): void {
  task.disarm?.();
  task.disarmWarning?.();
  task.leaveCluster?.();
  Object.assign(task, activeTaskOf(task.settings, next, task.retries + 1));
}

/**
 * Calls `action` at that instant (epoch ms), unless this node has let go of the run by then. The returned
 * function takes it back.
 */
export function atTime(active: ActiveRun, clock: Clock, at: number, action: () => void): () => void {
  if (active.retired) return () => undefined;
  const cancel = clock.at(at, action);
  active.timers.add(cancel);
  return () => {
    active.timers.delete(cancel);
    cancel();
  };
}

/**
 * Whether a task has begun, and a process of it or its cleanup is waited for. What a run_job_task waits for
 * has processes of its own.
 */
export function isWorking({ settings, taskRun }: ActiveTask): boolean {
  const { state } = taskRun.progress;
  return (state === 'RUNNING' || state === 'TERMINATING') && settings.run_job_task === undefined;
}

/** A single-task run and its task are one: they share their id and move together. */
export function isSingle(active: ActiveRun): boolean {
  return active.run.format === 'SINGLE_TASK';
}

export function standingsOf(active: ActiveRun): TaskStanding[] {
  return [...active.tasks.values()].map(({ settings, taskRun, started }) =>
    standingOf(settings, taskRun.progress, started),
  );
}
