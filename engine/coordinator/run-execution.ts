/** A run while this node drives it: what is stored, and what only memory holds. */
import type { Clock } from '../clock.ts';
import type { TaskCluster } from '../run/assignment.ts';
import { tasksOf } from '../job/job-format.ts';
import type { TaskSettings } from '../job/settings.ts';
import type { PooledTask } from '../ports/task-pool.ts';
import type { Run, RunWithTasks, TaskRun } from '../run/run.ts';
import { taskStateOf, type TaskState } from '../run/roll-up.ts';
import { isOfLatestRound } from '../run/repair-rounds.ts';
import type { StopReason } from '../run/states.ts';
import type { ClusterStart } from './start-cluster.ts';

/** The latest attempt of one task. */
export interface TaskExecution {
  /** Those of the run's creation; only timeouts may change while it is active. */
  settings: TaskSettings;
  taskRun: TaskRun;
  /** Retries that led to this attempt, within the same repair. */
  retries: number;
  /** True once this node drives it. */
  started: boolean;
  /** Resolves when this node drives it no more. */
  driverDone: Promise<void> | undefined;
  /** Why it is to stop; never taken back. */
  stopReason: StopReason | undefined;
  /** Set while a runner has it. */
  pooledTask: PooledTask | undefined;
  /** Why its cluster is gone under it, which ends it. */
  clusterLossMessage: string | undefined;
  /** Ends the watch over its cluster. */
  unwatchCluster: (() => void) | undefined;
  /** Ends the wait for its cluster. */
  interruptWait: (() => void) | undefined;
  /** Takes back the timer of its timeout. */
  cancelTimeout: (() => void) | undefined;
  /** The same for the warning of its health rule. */
  cancelWarning: (() => void) | undefined;
}

export interface RunExecution {
  run: Run;
  readonly tasks: ReadonlyMap<string, TaskExecution>;
  /** A multi-task run begins with its first task: set by whichever task comes first. */
  begun: boolean;
  /** Shared clusters that this node asked for or found, by their key. */
  readonly sharedClusters: Map<string, Promise<RequestedCluster>>;
  /** Clusters that this node is starting for it, by their id. */
  readonly clusterStarts: Map<string, ClusterStart>;
  /** Keys of shared clusters whose last task is over and which are terminated. */
  readonly releasedClusterKeys: Set<string>;
  /** Decisions about a run are taken one after the other. */
  lastDecision: Promise<void>;
  /** Cancels the timers of the run and its tasks. */
  readonly cancelTimers: Set<() => void>;
  /** Takes back the timer of the run's own timeout. */
  cancelTimeout: (() => void) | undefined;
  /** The same for the warning of its health rule. */
  cancelWarning: (() => void) | undefined;
  /** Warnings that are being stored: an end waits for them, so that none is told twice. */
  readonly pendingWarnings: Set<Promise<void>>;
  /** True when this node has nothing more to do with it. */
  released: boolean;
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
export interface RequestedCluster {
  readonly cluster: ClusterInUse;
  /** Undefined when it runs. */
  starting: ClusterStart | undefined;
}

/** @throws Error when a stored task run belongs to no task of the settings */
export function createRunExecution(stored: RunWithTasks): RunExecution {
  const settings = new Map(tasksOf(stored.run.settings).map((task) => [task.task_key, task]));
  const tasks = new Map<string, TaskExecution>();
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
    tasks.set(taskRun.taskKey, createTaskExecution(own, taskRun, retries));
  }
  return {
    run: stored.run,
    tasks,
    begun: stored.run.progress.state !== 'PENDING',
    sharedClusters: new Map(),
    clusterStarts: new Map(),
    releasedClusterKeys: new Set(),
    lastDecision: Promise.resolve(),
    cancelTimers: new Set(),
    cancelTimeout: undefined,
    cancelWarning: undefined,
    pendingWarnings: new Set(),
    released: false,
  };
}

function createTaskExecution(settings: TaskSettings, taskRun: TaskRun, retries: number): TaskExecution {
  return {
    settings,
    taskRun,
    retries,
    started: false,
    driverDone: undefined,
    stopReason: taskRun.stopReason,
    pooledTask: undefined,
    clusterLossMessage: undefined,
    unwatchCluster: undefined,
    interruptWait: undefined,
    cancelTimeout: undefined,
    cancelWarning: undefined,
  };
}

/** A task whose attempt is over goes on with the next one, which nobody drives yet. */
export function resumeWithRetry(task: TaskExecution, next: TaskRun): void {
  task.cancelTimeout?.();
  task.cancelWarning?.();
  task.unwatchCluster?.();
  Object.assign(task, createTaskExecution(task.settings, next, task.retries + 1));
}

/**
 * Calls `action` at that instant (epoch ms), unless this node has let go of the run by then. The returned
 * function takes it back.
 */
export function setRunTimer(active: RunExecution, clock: Clock, at: number, action: () => void): () => void {
  if (active.released) return () => undefined;
  const cancel = clock.runAt(at, action);
  active.cancelTimers.add(cancel);
  return () => {
    active.cancelTimers.delete(cancel);
    cancel();
  };
}

/**
 * Whether a task has begun, and a process of it or its cleanup is waited for. What a run_job_task waits for
 * has processes of its own.
 */
export function isExecuting({ settings, taskRun }: TaskExecution): boolean {
  const { state } = taskRun.progress;
  return (state === 'RUNNING' || state === 'TERMINATING') && settings.run_job_task === undefined;
}

/** A single-task run and its task are one: they share their id and move together. */
export function isSingleTask(active: RunExecution): boolean {
  return active.run.format === 'SINGLE_TASK';
}

export function taskStatesOf(active: RunExecution): TaskState[] {
  return [...active.tasks.values()].map(({ settings, taskRun, started }) =>
    taskStateOf(settings, taskRun.progress, started),
  );
}
