/** Task runs in responses: as entries of `tasks`, and as separate runs (spec 2.5). */
import { tasksOf } from '../../engine/job/job-format.ts';
import type { TaskSettings } from '../../engine/job/settings.ts';
import { renderTask } from '../../engine/job/render-settings.ts';
import { taskKindsIn } from '../../engine/job/task-kinds.ts';
import { retryNumberOf } from '../../engine/run/repair-rounds.ts';
import type { Progress, Run, RunWithTasks, TaskRun } from '../../engine/run/run.ts';
import { pageUrl, toCommonRunFields, toProgressFields, type ViewContext } from './run-view-fields.ts';
import { shownFormat } from '../http/api-versions.ts';

/**
 * Returns a task run as a separate run, for runs/get by its id and for the metadata of get-output. It has one
 * task and actual durations; 2.1 and later add `tasks` with one entry.
 */
export function toTaskRunView(found: RunWithTasks, taskRun: TaskRun, context: ViewContext): object {
  const { run } = found;
  const parent = run.runId === taskRun.runId ? {} : { parent_run_id: run.runId };
  return {
    ...toCommonRunFields(run, context),
    run_id: taskRun.runId,
    job_run_id: run.runId,
    ...parent,
    task_key: taskRun.taskKey,
    ...(run.format === 'SINGLE_TASK' ? {} : toAttemptFields(found, taskRun)),
    run_page_url: pageUrl(run, taskRun.runId, context),
    ...toProgressFields(taskRun.progress, context),
    ...toTaskAndClusterFields(run, taskRun, context),
    format: shownFormat('SINGLE_TASK', context.version),
    tasks: context.version === '2.0' ? undefined : [toTaskEntry(found, taskRun, context)],
  };
}

/** Returns an entry of `tasks`: the settings of the task with the state of this attempt. */
export function toTaskEntry(found: RunWithTasks, taskRun: TaskRun, context: ViewContext): object {
  const { run } = found;
  const task = settingsOfTask(run, taskRun.taskKey) ?? { task_key: taskRun.taskKey };
  return {
    ...renderTask(task, run.settings, context.version),
    run_id: taskRun.runId,
    ...toProgressFields(progressOfEntry(run, taskRun), context),
    // A retry of a single-task run is a new run, which has the attempt number.
    attempt_number: run.format === 'SINGLE_TASK' ? run.attempt : retryNumberOf(found.tasks, taskRun),
    cluster_instance: toClusterInstance(task, taskRun),
    run_page_url: pageUrl(run, taskRun.runId, context),
    resolved_values: context.resolvedValues?.get(taskRun.runId),
  };
}

/** Returns the task and the cluster of a single-task run. */
export function toTaskAndClusterFields(run: Run, taskRun: TaskRun | undefined, context: ViewContext): object {
  const task = settingsOfTask(run, taskRun?.taskKey);
  if (task === undefined) return { overriding_parameters: run.overridingParameters };
  const shown = renderTask(task, run.settings, context.version);
  const spec = pickFields(shown, ['existing_cluster_id', 'new_cluster', 'job_cluster_key', 'libraries']);
  return {
    overriding_parameters: run.overridingParameters,
    task: pickFields(shown, taskKindsIn(shown)),
    cluster_spec: Object.keys(spec).length === 0 ? undefined : spec,
    cluster_instance: toClusterInstance(task, taskRun),
  };
}

/** A single-task run that was skipped before its task began has times of its own only. */
function progressOfEntry({ format, repair, progress }: Run, taskRun: TaskRun): Progress {
  const isRun = format === 'SINGLE_TASK' && repair === undefined;
  return isRun && taskRun.progress.startTime === undefined ? progress : taskRun.progress;
}

/** Returns the position of a task run among the attempts of its round, for multi-task runs. */
function toAttemptFields({ run, tasks }: RunWithTasks, taskRun: TaskRun): object {
  const { runId, taskKey, attempt } = taskRun;
  const retries = retryNumberOf(tasks, taskRun);
  const first = tasks.find((task) => task.taskKey === taskKey && task.attempt === attempt - retries);
  return {
    original_attempt_run_id: first?.runId ?? runId,
    attempt_number: retries,
    trigger: retries > 0 ? 'RETRY' : run.trigger,
  };
}

function settingsOfTask(run: Run, taskKey: string | undefined): TaskSettings | undefined {
  const tasks = tasksOf(run.settings);
  return taskKey === undefined ? tasks[0] : tasks.find((task) => task.task_key === taskKey);
}

/** Returns the cluster of a task run; a new cluster has an id after it was requested. */
function toClusterInstance(task: TaskSettings, taskRun: TaskRun | undefined): object | undefined {
  const clusterId = taskRun?.clusterId ?? task.existing_cluster_id;
  return clusterId === undefined
    ? undefined
    : { cluster_id: clusterId, spark_context_id: taskRun?.sparkContextId };
}

/** Returns a copy with the named fields only. */
function pickFields(holder: object, names: readonly string[]): object {
  return Object.fromEntries(Object.entries(holder).filter(([name]) => names.includes(name)));
}
