/** In-memory state of a run while this node drives it. Only the functions of this file write it. */
import type { Clock } from '../clock.ts';
import type { ClusterCompute } from '../cluster/compute.ts';
import { tasksOf } from '../job/job-format.ts';
import type { JobSettings } from '../job/settings.ts';
import type { TaskCluster } from '../run/assignment.ts';
import { ownershipLost, type OwnershipLost } from '../run/ownership.ts';
import { isOfLatestRound } from '../run/repair-rounds.ts';
import { taskStateOf, type TaskState } from '../run/roll-up.ts';
import type { Failure, StopRequest } from '../run/explain/failure.ts';
import type { Run, RunWithTasks } from '../run/run.ts';
import type { StopReason } from '../run/states.ts';
import type { ExecutionEvent } from './execution-events.ts';
import type { ClusterStart } from './cluster-start.ts';
import {
  createTaskExecution,
  isDriven,
  setInterrupt,
  stopTask,
  type TaskExecution,
  type Watches,
} from './task-execution.ts';

/** Activity of this node for the run. The stored state is `run.progress`. */
export type RunPhase =
  /** No task of this round has begun; the first one that begins also begins the run. */
  | 'pending'
  | 'begun'
  /** This node has stopped driving the run and writes nothing more about it. */
  | 'released';

export interface RunExecution {
  readonly run: Run;
  readonly phase: RunPhase;
  readonly tasks: ReadonlyMap<string, TaskExecution>;
  /** Events that wait for the one that is being handled. */
  readonly events: ExecutionEvent[];
  /** Ends when no decision is under way. */
  readonly lastDecision: Promise<void>;
  /** True while a decision waits for the one that is under way. */
  readonly decisionRequested: boolean;
  /** Shared clusters that this node requested or found, by key. */
  readonly sharedClusters: Map<string, Promise<ClusterRequestResult>>;
  /** Clusters that this node starts for the run, by id. */
  readonly clusterStarts: Map<string, ClusterStart>;
  /** Keys of shared clusters that were terminated after their last task. */
  readonly releasedClusterKeys: Set<string>;
  readonly watches: Watches;
  /** Called when this node releases the run. */
  readonly releaseHooks: Set<() => void>;
  /** Duration warnings that are being stored; an end waits for them, so that none is sent twice. */
  readonly pendingWarnings: Set<Promise<void>>;
}

/** A cluster without its libraries: those are installed when a task is about to start there. */
export interface ClusterInUse extends Omit<TaskCluster, 'libraries' | 'spark'> {
  readonly name: string;
  readonly compute: ClusterCompute;
  readonly sparkContextId: string;
  /** Names by which injected faults address it. */
  readonly names: readonly string[];
  /** True when its size follows the tasks on it. */
  readonly autoscales: boolean;
  /** True when it ends after a time without tasks. */
  readonly autoterminates: boolean;
  readonly deliversLogs: boolean;
}

/** A cluster that was requested for the run. */
export interface RequestedCluster {
  readonly kind: 'requested';
  readonly cluster: ClusterInUse;
  /** Undefined when it runs. */
  starting: ClusterStart | undefined;
}

/** The task has no cluster to run on. `failed`: the fault of the settings; `lost`: that of the service. */
export interface ClusterUnavailable {
  readonly kind: 'unavailable';
  readonly outcome: {
    readonly kind: 'failed' | 'lost';
    readonly message: string;
    readonly failure?: Failure;
  };
}

export type ClusterRequestResult = RequestedCluster | ClusterUnavailable | OwnershipLost;

/** @throws Error when a stored task run belongs to no task of the settings */
export function createRunExecution(stored: RunWithTasks): RunExecution {
  const settings = new Map(tasksOf(stored.run.settings).map((task) => [task.task_key, task]));
  const tasks = new Map<string, TaskExecution>();
  // Attempts come oldest first: the latest of each task stays.
  for (const taskRun of stored.tasks) {
    const taskSettings = settings.get(taskRun.taskKey);
    if (taskSettings === undefined)
      throw new Error(`Run ${stored.run.runId} has a task run of the unknown task ${taskRun.taskKey}.`);
    const earlier = tasks.get(taskRun.taskKey);
    const retries =
      earlier !== undefined && isOfLatestRound(stored.run, earlier.taskRun) ? earlier.retries + 1 : 0;
    tasks.set(taskRun.taskKey, createTaskExecution(taskSettings, taskRun, retries));
  }
  return {
    run: stored.run,
    phase: stored.run.progress.state === 'PENDING' ? 'pending' : 'begun',
    tasks,
    events: [],
    lastDecision: Promise.resolve(),
    decisionRequested: false,
    sharedClusters: new Map(),
    clusterStarts: new Map(),
    releasedClusterKeys: new Set(),
    watches: new Map(),
    releaseHooks: new Set(),
    pendingWarnings: new Set(),
  };
}

function update(execution: RunExecution, changes: Partial<RunExecution>): void {
  Object.assign(execution, changes);
}

/** Returns whether run and task are one: a single-task run shares its id and its steps with its task. */
export function isSingleTask({ run }: Pick<RunExecution, 'run'>): boolean {
  return run.format === 'SINGLE_TASK';
}

export function isReleased({ phase }: RunExecution): boolean {
  return phase === 'released';
}

export function taskStatesOf({ tasks }: RunExecution): TaskState[] {
  return [...tasks.values()].map((task) => taskStateOf(task.settings, task.taskRun.progress, isDriven(task)));
}

/** Handles an event after all events that were posted before it; one event at a time. */
export function postEvent(
  execution: RunExecution,
  event: ExecutionEvent,
  handle: (event: ExecutionEvent) => void,
): void {
  execution.events.push(event);
  // The loop below runs already and takes the event.
  if (execution.events.length > 1) return;
  for (let next = execution.events[0]; next !== undefined; next = execution.events[0]) {
    if (!isReleased(execution)) handle(next);
    execution.events.shift();
  }
}

/** Runs `decide` after the decision that is under way; requests that come before it begins join it. */
export function requestDecision(execution: RunExecution, decide: () => Promise<void>): void {
  if (execution.decisionRequested) return;
  const decision = execution.lastDecision.then(() => {
    update(execution, { decisionRequested: false });
    return isReleased(execution) ? undefined : decide();
  });
  update(execution, { decisionRequested: true, lastDecision: decision });
}

/** Stops driving the run. Waits that use `untilReleased` end. */
export function releaseExecution(execution: RunExecution): void {
  update(execution, { phase: 'released' });
  for (const hook of execution.releaseHooks) hook();
}

/** Notes whether a task has begun the run. */
export function setBegun(execution: RunExecution, begun: boolean): void {
  if (!isReleased(execution)) update(execution, { phase: begun ? 'begun' : 'pending' });
}

/** Requests the end of a run and of its tasks under way; false when it was requested before. */
export function stopRun(execution: RunExecution, reason: StopReason, stopMessage?: string): boolean {
  if (execution.run.stopReason !== undefined) return false;
  update(execution, { run: { ...execution.run, stopReason: reason, stopMessage } });
  for (const task of execution.tasks.values()) if (isDriven(task)) stopTask(task, reason);
  return true;
}

/** Notes who asked for the stop of the run. */
export function setStopRequest(execution: RunExecution, stopRequest: StopRequest): void {
  update(execution, { run: { ...execution.run, stopRequest } });
}

/** Applies a step of the run that was written. */
export function setRunProgress(execution: RunExecution, progress: Run['progress']): void {
  update(execution, { run: { ...execution.run, progress } });
}

export function setRunSettings(
  execution: RunExecution,
  settings: JobSettings,
  timeoutRevision: number,
): void {
  update(execution, { run: { ...execution.run, settings, timeoutRevision } });
}

export function markRunWarned(execution: RunExecution): void {
  update(execution, { run: { ...execution.run, warned: true } });
}

/** Calls `action` at that instant (epoch ms), unless it is cancelled or the run is released before. */
export function setRunTimer(
  execution: RunExecution,
  clock: Clock,
  at: number,
  action: () => void,
): () => void {
  return isReleased(execution) ? () => undefined : onRelease(execution, clock.runAt(at, action));
}

/**
 * Calls `cancel` when the run is released or the returned function is called; at once when the run is
 * released already.
 */
export function onRelease(execution: RunExecution, cancel: () => void): () => void {
  const { releaseHooks } = execution;
  if (isReleased(execution)) cancel();
  else releaseHooks.add(cancel);
  return () => {
    releaseHooks.delete(cancel);
    cancel();
  };
}

/** Waits for a result, or until this node releases the run. */
export async function untilReleased<Result>(
  execution: RunExecution,
  result: Promise<Result>,
): Promise<Result | OwnershipLost> {
  if (isReleased(execution)) return ownershipLost;
  const released = Promise.withResolvers<OwnershipLost>();
  const hook = (): void => released.resolve(ownershipLost);
  execution.releaseHooks.add(hook);
  try {
    return await Promise.race([result, released.promise]);
  } finally {
    execution.releaseHooks.delete(hook);
  }
}

/** Waits for a result while a task is prepared; `stopped` when the task is to stop before. */
export async function untilStopped<Result>(
  execution: RunExecution,
  task: TaskExecution,
  result: Promise<Result>,
): Promise<Result | 'stopped' | OwnershipLost> {
  if (task.stopReason !== undefined) return 'stopped';
  const stopped = Promise.withResolvers<'stopped'>();
  setInterrupt(task, () => stopped.resolve('stopped'));
  try {
    return await untilReleased(execution, Promise.race([result, stopped.promise]));
  } finally {
    setInterrupt(task, undefined);
  }
}
