/** In-memory state of one task of an active run. Only the functions of this file write it. */
import type { Library, NewCluster } from '../job/cluster.ts';
import type { TaskSettings } from '../job/settings.ts';
import type { PooledTask } from '../ports/task-pool.ts';
import type { TaskRun } from '../run/run.ts';
import { isTerminal, type StopReason } from '../run/states.ts';
import type { Step, StepFacts } from '../run/step.ts';

/** Activity of this node for the latest attempt of a task. The stored state is `taskRun.progress`. */
export type TaskPhase =
  /** No driver: the task waits for its upstream tasks. */
  | { readonly kind: 'waiting' }
  /** The driver waits for the retry time, the cluster or libraries; `interrupt` ends the current wait. */
  | { readonly kind: 'preparing'; readonly interrupt: (() => void) | undefined }
  /** A runner or a child run does the work; `stop` asks it to end. */
  | { readonly kind: 'executing'; readonly stop: () => void }
  | { readonly kind: 'cleaning up' }
  | { readonly kind: 'ended' };

/** A timer or subscription of a task or run. A new one replaces the previous one of the same name. */
export type WatchName = 'timeout' | 'warning' | 'cluster';
export type Watches = Map<WatchName, () => void>;

/** State of the latest attempt of one task. */
export interface TaskExecution {
  /** Settings of the run's creation; only timeouts may change while the run is active. */
  readonly settings: TaskSettings;
  readonly taskRun: TaskRun;
  /** Retries that led to this attempt, within the same repair. */
  readonly retries: number;
  readonly phase: TaskPhase;
  /** Resolves when the driver of this attempt ends. */
  readonly driver: Promise<void> | undefined;
  /** The first reason to stop; never taken back. */
  readonly stopReason: StopReason | undefined;
  /** A child run that the task waits for, as a phrase; kept when the task is stopped meanwhile. */
  readonly waitsFor: string | undefined;
  /** Reason of the loss of the cluster while the task used it; ends the attempt. */
  readonly clusterLossMessage: string | undefined;
  readonly watches: Watches;
}

export function createTaskExecution(
  settings: TaskSettings,
  taskRun: TaskRun,
  retries: number,
): TaskExecution {
  return {
    settings,
    taskRun,
    retries,
    phase: { kind: 'waiting' },
    driver: undefined,
    stopReason: taskRun.stopReason,
    waitsFor: undefined,
    clusterLossMessage: undefined,
    watches: new Map(),
  };
}

function update(task: TaskExecution, changes: Partial<TaskExecution>): void {
  Object.assign(task, changes);
}

/** Returns whether this node has begun to drive the latest attempt. */
export function isDriven({ phase }: TaskExecution): boolean {
  return phase.kind !== 'waiting';
}

/**
 * Returns whether a process or a cleanup of the task is under way. A run_job_task has no process of its own:
 * its child run has.
 */
export function isExecuting({ settings, taskRun }: TaskExecution): boolean {
  const { state } = taskRun.progress;
  return (state === 'RUNNING' || state === 'TERMINATING') && settings.run_job_task === undefined;
}

/** Enters `preparing` and starts the driver of the attempt. */
export function startDriver(task: TaskExecution, drive: () => Promise<void>): void {
  update(task, { phase: { kind: 'preparing', interrupt: undefined } });
  update(task, { driver: drive() });
}

/** Sets or clears the function that a stop calls while the task is being prepared. */
export function setInterrupt(task: TaskExecution, interrupt: (() => void) | undefined): void {
  if (task.phase.kind === 'preparing') update(task, { phase: { kind: 'preparing', interrupt } });
}

/** Enters `executing`; stops at once when a stop was requested or the cluster was lost before. */
export function enterExecution(task: TaskExecution, { stop }: Pick<PooledTask, 'stop'>): void {
  update(task, { phase: { kind: 'executing', stop } });
  if (task.stopReason !== undefined || task.clusterLossMessage !== undefined) stop();
}

/** Enters `cleaning up`: the runner or child run has ended. */
export function leaveExecution(task: TaskExecution): void {
  update(task, { phase: { kind: 'cleaning up' } });
}

/** Requests the end of a task in whatever phase. The first reason stays. */
export function stopTask(task: TaskExecution, reason: StopReason): void {
  if (isTerminal(task.taskRun.progress.state)) return;
  update(task, { stopReason: task.stopReason ?? reason });
  const { phase } = task;
  if (phase.kind === 'preparing') phase.interrupt?.();
  if (phase.kind === 'executing') phase.stop();
}

/** Notes the child run that the task waits for; undefined when it has ended. */
export function setWaitsFor(task: TaskExecution, waitsFor: string | undefined): void {
  // What a stopped task waited for explains its end.
  if (waitsFor !== undefined || task.stopReason === undefined) update(task, { waitsFor });
}

/** Records that the cluster is gone and stops what runs there. */
export function markClusterLost(task: TaskExecution, message: string): void {
  update(task, { clusterLossMessage: task.clusterLossMessage ?? message });
  if (task.phase.kind === 'executing') task.phase.stop();
}

/** Forgets an earlier loss: the task watches another cluster, or the same one after a restart. */
export function clearClusterLoss(task: TaskExecution): void {
  update(task, { clusterLossMessage: undefined });
}

/** Replaces the settings. A pipeline task keeps the cluster of its update, which the settings do not have. */
export function setTaskSettings(task: TaskExecution, settings: TaskSettings): void {
  const { pipeline_task: pipeline, new_cluster: cluster, libraries } = task.settings;
  const isKept = pipeline !== undefined && cluster !== undefined;
  update(task, {
    settings: isKept ? { ...settings, new_cluster: cluster, ...(libraries && { libraries }) } : settings,
  });
}

/** Sets or removes the cluster of the update of a pipeline task, with its libraries. */
export function setPipelineCluster(
  task: TaskExecution,
  compute: { readonly cluster: NewCluster; readonly libraries: readonly Library[] } | undefined,
): void {
  const { new_cluster: _cluster, libraries: _libraries, ...settings } = task.settings;
  const added = compute && { new_cluster: compute.cluster, libraries: [...compute.libraries] };
  update(task, { settings: { ...settings, ...added } });
}

export function markTaskWarned(task: TaskExecution): void {
  update(task, { taskRun: { ...task.taskRun, warned: true } });
}

/** Applies a step that was written. */
export function applyTaskStep(
  task: TaskExecution,
  { change, progress }: Step,
  { clusterId, sparkContextId }: StepFacts,
): void {
  const { taskRun, phase } = task;
  update(task, {
    taskRun: {
      ...taskRun,
      progress,
      clusterId: clusterId ?? taskRun.clusterId,
      sparkContextId: sparkContextId ?? taskRun.sparkContextId,
      warned: taskRun.warned || change.warned === true,
    },
    phase: phaseAfter(phase, progress.state),
  });
}

function phaseAfter(phase: TaskPhase, state: TaskRun['progress']['state']): TaskPhase {
  if (isTerminal(state)) return { kind: 'ended' };
  return state === 'TERMINATING' ? { kind: 'cleaning up' } : phase;
}

/** Replaces the ended attempt by the next one, which waits for a driver. */
export function resumeWithRetry(task: TaskExecution, retry: TaskRun): void {
  for (const cancel of task.watches.values()) cancel();
  update(task, createTaskExecution(task.settings, retry, task.retries + 1));
}

/** Cancels the watch of this name and keeps `cancel` for the new one, if there is one. */
export function replaceWatch(
  { watches }: { readonly watches: Watches },
  name: WatchName,
  cancel?: () => void,
): void {
  watches.get(name)?.();
  if (cancel === undefined) watches.delete(name);
  else watches.set(name, cancel);
}
