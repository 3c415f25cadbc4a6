/** Repair of a run that is over: the tasks that run again, and the state of the run and its new attempts. */
import { invalid, ServiceError } from '../errors.ts';
import { formatOf, tasksOf } from '../job/job-format.ts';
import type { JobSettings } from '../job/settings.ts';
import { topologicalOrder } from '../job/task-graph.ts';
import { quote } from '../validation/messages.ts';
import type { QueueDecision } from './admission.ts';
import type { ParallelTasks } from './parallel-tasks.ts';
import { hasParameters, type RunParameters } from './parameters.ts';
import { failedTasks, taskStateOf, type TaskState } from './roll-up.ts';
import { runDurationOf } from './repair-rounds.ts';
import type { QueueCode } from './run-status.ts';
import { pendingProgress, type LatestRepair, type Run, type RunWithTasks, type TaskRun } from './run.ts';
import { progressAfterRepair } from './step.ts';
import { waitingMessage } from './waiting-message.ts';

/** Request of a repair. */
export interface RepairSelection {
  /** Keys of the tasks to run again; an empty list counts as absent. */
  readonly taskKeys: readonly string[];
  /** Reruns every task whose latest attempt did not succeed. Not together with `taskKeys`. */
  readonly allFailed: boolean;
  /** Also reruns everything downstream of them, whether it succeeded or not. */
  readonly includeDependents: boolean;
  /** Id of the latest repair that the caller knows of; 0 for none. */
  readonly latestRepairId: number;
}

/** A repair to be stored. */
export interface NewRepair {
  /** The run before the repair. */
  readonly before: Run;
  /** The run after the repair. */
  readonly after: Run & { readonly repair: LatestRepair };
  /** The limit that the run waits for; undefined when it starts at once. */
  readonly queueCode: QueueCode | undefined;
  /** The new attempts. */
  readonly attempts: readonly TaskRun[];
}

/**
 * Checks that a run can be repaired.
 * @throws ServiceError when the run is active or was skipped, or another repair came first
 */
export function checkRepairable(
  { runId, progress, repair }: Run,
  { latestRepairId }: Pick<RepairSelection, 'latestRepairId'>,
): void {
  const { state } = progress;
  if (state === 'SKIPPED' && repair === undefined) {
    throw new ServiceError(
      'INVALID_STATE',
      `Run ${runId} was skipped, so there is nothing to repair. Start a new run with jobs/run-now.`,
    );
  }
  if (progressAfterRepair(progress) === undefined) {
    throw new ServiceError(
      'INVALID_STATE',
      `Run ${runId} is ${state}; only a run that is over can be repaired.`,
    );
  }
  const latest = repair?.repairId ?? 0;
  if (latestRepairId === latest) return;
  if (latest === 0)
    throw invalid(
      `latest_repair_id is ${latestRepairId}, but run ${runId} has not been repaired yet; leave it out.`,
    );
  if (latestRepairId === 0)
    throw invalid(
      `Missing required field: latest_repair_id. The latest repair of run ${runId} is ${latest}.`,
    );
  throw invalid(`latest_repair_id is ${latestRepairId}, but the latest repair of run ${runId} is ${latest}.`);
}

/**
 * Returns the keys of the tasks that run again, each after its upstream tasks.
 * @param found a run that is over
 * @throws ServiceError INVALID_PARAMETER_VALUE for a selection that is empty, contradicts itself, or names a
 *   task that the run does not have
 */
export function tasksToRerun(
  found: RunWithTasks,
  { taskKeys: named, allFailed, includeDependents }: RepairSelection,
): string[] {
  if (allFailed && named.length > 0)
    throw invalid('rerun_tasks and rerun_all_failed_tasks are given; only one of them is allowed.');
  if (!allFailed && named.length === 0)
    throw invalid('Neither rerun_tasks nor rerun_all_failed_tasks is given; one of them is required.');
  const { runId } = found.run;
  const states = latestTaskStatesOf(found);
  const known = states.map(({ key }) => key);
  for (const [index, key] of named.entries()) {
    if (!known.includes(key))
      throw invalid(`rerun_tasks[${index}] is ${quote(key)}; run ${runId} has no task with this key.`);
  }
  const chosen = new Set(allFailed ? failedTasks(states) : named);
  if (chosen.size === 0)
    throw invalid(
      `rerun_all_failed_tasks is true, but no task of run ${runId} has failed; there is nothing to run again.`,
    );
  for (const { key, dependsOn } of includeDependents ? states : []) {
    if (dependsOn.some((dependency) => chosen.has(dependency))) chosen.add(key);
  }
  return known.filter((key) => chosen.has(key));
}

/** Returns the state of each task's latest attempt, in the order of the graph. */
function latestTaskStatesOf({ run, tasks }: RunWithTasks): TaskState[] {
  // Attempts come oldest first: the latest of each task stays.
  const latest = new Map(tasks.map((taskRun) => [taskRun.taskKey, taskRun]));
  return topologicalOrder(tasksOf(run.settings)).flatMap((task) => {
    const taskRun = latest.get(task.task_key);
    return taskRun === undefined ? [] : [taskStateOf(task, taskRun.progress, true)];
  });
}

/**
 * Returns the settings with which tasks run again: the current ones of the job. The tasks of a run stay the same:
 * tasks that the job got later do not run, and those that it lost keep their settings.
 * @param keys tasks that run again
 * @throws ServiceError INVALID_STATE when the job has lost one of them, or its format has changed
 */
export function settingsForRepair(
  { runId, jobId, format, settings }: Pick<Run, 'runId' | 'jobId' | 'format' | 'settings'>,
  current: JobSettings,
  keys: readonly string[],
): JobSettings {
  const remedy = 'Set use_original_settings to repair it with the settings of its start.';
  if (formatOf(current) !== format)
    throw new ServiceError(
      'INVALID_STATE',
      `Run ${runId} has the format ${format}, and job ${jobId} is ${formatOf(current)} now. ${remedy}`,
    );
  if (format === 'SINGLE_TASK') return current;
  const tasks = tasksOf(settings);
  const known = new Set(tasks.map((task) => task.task_key));
  const currentTasks = new Map(tasksOf(current).map((task) => [task.task_key, task]));
  const lost = keys.find((key) => !currentTasks.has(key));
  if (lost !== undefined)
    throw new ServiceError(
      'INVALID_STATE',
      `Task ${lost} of run ${runId} cannot run again: job ${jobId} has no task with this key now. ${remedy}`,
    );
  return {
    ...current,
    // No cycle: a task of the current settings depends on such tasks only.
    tasks: tasks.map((task) => {
      const now = currentTasks.get(task.task_key);
      if (now === undefined) return task;
      if (now.depends_on === undefined) return now;
      return { ...now, depends_on: now.depends_on.filter(({ task_key: key }) => known.has(key)) };
    }),
  };
}

/** Ids and choices of a new repair. */
export interface RepairPlan {
  /** Result of `tasksToRerun`. */
  readonly keys: readonly string[];
  readonly parameters: RunParameters;
  /** Settings of the run from now on. */
  readonly settings: JobSettings;
  readonly parallelTasks: ParallelTasks;
  readonly admission: { readonly kind: 'start' } | QueueDecision;
  readonly repairId: number;
  /** Ids of the new attempts, one for each key, all greater than the id of the repair. */
  readonly taskRunIds: readonly number[];
  /** The node that drives the run from now on. */
  readonly owner: string;
  readonly now: number;
}

/**
 * Creates a repair: the run is PENDING or QUEUED again and loses all times but the start. Its raised fence
 * refuses writes of the node that drove it before. Parameters replace those of the run if there are any.
 */
export function createRepair({ run, tasks }: RunWithTasks, plan: RepairPlan): NewRepair {
  const fence = run.fence + 1;
  const { admission, settings } = plan;
  const progress =
    admission.kind === 'start'
      ? progressAfterRepair(run.progress)
      : progressAfterRepair(run.progress, 'queue repair', admission.message);
  if (progress === undefined)
    throw new Error(`Run ${run.runId} is ${run.progress.state} and cannot be repaired.`);
  const rerun = new Set(plan.keys);
  const dependencies = new Map(
    tasksOf(settings).map((task) => [
      task.task_key,
      (task.depends_on ?? []).map((dependency) => dependency.task_key).filter((key) => rerun.has(key)),
    ]),
  );
  return {
    before: run,
    queueCode: admission.kind === 'queue' ? admission.code : undefined,
    after: {
      ...run,
      fence,
      settings,
      parallelTasks: plan.parallelTasks,
      owner: admission.kind === 'start' ? plan.owner : undefined,
      stopReason: undefined,
      stopMessage: undefined,
      warned: false,
      overridingParameters: hasParameters(plan.parameters) ? plan.parameters : run.overridingParameters,
      progress,
      repair: {
        repairId: plan.repairId,
        count: (run.repair?.count ?? 0) + 1,
        // A machine's clock may step back; the times of a run never do.
        startTime: Math.max(plan.now, run.progress.endTime ?? 0),
        earlierDuration: runDurationOf(run) ?? 0,
      },
    },
    attempts: plan.keys.map((taskKey, index) => ({
      runId: plan.taskRunIds[index] ?? 0,
      jobRunId: run.runId,
      taskKey,
      fence,
      attempt: 1 + Math.max(...tasks.filter((task) => task.taskKey === taskKey).map((task) => task.attempt)),
      clusterId: undefined,
      sparkContextId: undefined,
      dueTime: undefined,
      stopReason: undefined,
      warned: false,
      progress: pendingProgress(
        undefined,
        waitingMessage(dependencies.get(taskKey) ?? []),
        admission.kind === 'start' ? 'PENDING' : 'QUEUED',
      ),
    })),
  };
}
