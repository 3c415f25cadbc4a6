/** Runs and task runs as a version of the path shows them (spec 2.5, 2.6, 9). */
import { tasksOf, type ApiVersion } from '../engine/job/format.ts';
import type { TaskSettings } from '../engine/job/settings.ts';
import { shownCluster, shownTask } from '../engine/job/shown.ts';
import { kindsIn } from '../engine/job/task-kinds.ts';
import { durationsOf, type Progress, type Run, type RunWithTasks, type TaskRun } from '../engine/run/run.ts';
import type { Site } from './ports.ts';
import { shownFormat } from './versions.ts';

/** For whom a run is shown. */
export interface Face {
  readonly version: ApiVersion;
  readonly site: Site;
}

/** A run with everything but its output. In 2.0 a single-task run shows its `task`, every other run its `tasks`. */
export function runView(found: RunWithTasks, face: Face): object {
  const { run } = found;
  if (shownFormat(run.format, face.version) === 'SINGLE_TASK') return singleTaskView(found, face);
  return { ...multiTaskView(run, face), tasks: orderedTasks(found).map((taskRun) => taskEntry(run, taskRun, face)) };
}

/** A run as lists show it: as runView, but a multi-task run's `tasks` is empty (spec 2.5). */
export function listedRunView(found: RunWithTasks, face: Face): object {
  if (shownFormat(found.run.format, face.version) === 'SINGLE_TASK') return singleTaskView(found, face);
  return { ...multiTaskView(found.run, face), tasks: [] };
}

/**
 * A task run as a run of its own: runs/get by the id of a task run, and the metadata of get-output. It has one task and
 * real durations; from 2.1 on also `tasks` with that one entry.
 */
export function taskRunView(found: RunWithTasks, taskRun: TaskRun, face: Face): object {
  const { run } = found;
  const parent = run.runId === taskRun.runId ? {} : { parent_run_id: run.runId };
  const first = found.tasks.find((task) => task.taskKey === taskRun.taskKey && task.attempt === 0);
  const retry = { trigger: 'RETRY', original_attempt_run_id: first?.runId ?? taskRun.runId, attempt_number: taskRun.attempt };
  return {
    ...runFacts(run, face),
    run_id: taskRun.runId,
    job_run_id: run.runId,
    ...parent,
    task_key: taskRun.taskKey,
    ...(taskRun.attempt > 0 ? retry : { original_attempt_run_id: run.format === 'SINGLE_TASK' ? run.originalAttemptRunId : taskRun.runId }),
    run_page_url: pageUrl(run, taskRun.runId, face),
    ...standing(taskRun.progress),
    ...workOf(run, taskRun, face),
    format: shownFormat('SINGLE_TASK', face.version),
    tasks: face.version === '2.0' ? undefined : [taskEntry(run, taskRun, face)],
  };
}

/** The state of spec 2.6. */
export function stateView(progress: Progress): object {
  return {
    life_cycle_state: progress.state,
    result_state: progress.result,
    state_message: progress.message,
    user_cancelled_or_timedout: progress.result === 'CANCELED' || progress.result === 'TIMEDOUT',
  };
}

function singleTaskView(found: RunWithTasks, face: Face): object {
  const { run, tasks } = found;
  return { ...runFacts(run, face), ...standing(run.progress), ...workOf(run, tasks[0], face), format: 'SINGLE_TASK' };
}

function multiTaskView(run: Run, face: Face): object {
  const { startTime, endTime } = run.progress;
  return {
    ...runFacts(run, face),
    ...standing(run.progress),
    // The durations of a multi-task run are those of its tasks; the run itself has one length (spec 2.5).
    setup_duration: 0,
    execution_duration: 0,
    cleanup_duration: 0,
    run_duration: endTime === undefined || startTime === undefined ? undefined : endTime - startTime,
    overriding_parameters: run.overridingParameters,
    job_clusters: run.settings.job_clusters?.map((shared) => ({ ...shared, new_cluster: shownCluster(shared.new_cluster) })),
    format: 'MULTI_TASK',
  };
}

/** What is the same on every face of a run. */
function runFacts(run: Run, face: Face): object {
  return {
    job_id: run.jobId,
    run_id: run.runId,
    number_in_job: run.numberInJob,
    original_attempt_run_id: run.originalAttemptRunId,
    creator_user_name: run.creatorUserName,
    run_name: run.name,
    run_type: run.type,
    run_page_url: pageUrl(run, run.runId, face),
    trigger: run.trigger,
    schedule: run.trigger === 'PERIODIC' ? run.settings.schedule : undefined,
    attempt_number: run.attempt,
  };
}

/** State, times and real durations. */
function standing(progress: Progress): object {
  const { setup, execution, cleanup } = durationsOf(progress);
  return {
    state: stateView(progress),
    start_time: progress.startTime ?? 0,
    end_time: progress.endTime ?? 0,
    setup_duration: setup,
    execution_duration: execution,
    cleanup_duration: cleanup,
  };
}

/** The task of a run of one task, and the cluster that it was given. */
function workOf(run: Run, taskRun: TaskRun | undefined, face: Face): object {
  const task = settingsOfTask(run, taskRun?.taskKey);
  if (task === undefined) return { overriding_parameters: run.overridingParameters };
  const shown = shownTask(task, run.settings, face.version);
  const spec = only(shown, ['existing_cluster_id', 'new_cluster', 'job_cluster_key', 'libraries']);
  return {
    overriding_parameters: run.overridingParameters,
    task: only(shown, kindsIn(shown)),
    cluster_spec: Object.keys(spec).length === 0 ? undefined : spec,
    cluster_instance: clusterInstance(task, taskRun),
  };
}

/** An entry of `tasks`: the task's settings with what became of this attempt. */
function taskEntry(run: Run, taskRun: TaskRun, face: Face): object {
  const task = settingsOfTask(run, taskRun.taskKey) ?? { task_key: taskRun.taskKey };
  return {
    ...shownTask(task, run.settings, face.version),
    run_id: taskRun.runId,
    ...standing(taskRun.progress),
    // A single-task run is retried by a new run, which knows the number of the attempt.
    attempt_number: run.format === 'SINGLE_TASK' ? run.attempt : taskRun.attempt,
    cluster_instance: clusterInstance(task, taskRun),
    run_page_url: pageUrl(run, taskRun.runId, face),
  };
}

/** Task runs in the order of the settings; the attempts of a task stay oldest first. */
function orderedTasks({ run, tasks }: RunWithTasks): TaskRun[] {
  const byKey = Map.groupBy(tasks, (taskRun) => taskRun.taskKey);
  return tasksOf(run.settings).flatMap((task) => byKey.get(task.task_key) ?? []);
}

function settingsOfTask(run: Run, taskKey: string | undefined): TaskSettings | undefined {
  const tasks = tasksOf(run.settings);
  return taskKey === undefined ? tasks[0] : tasks.find((task) => task.task_key === taskKey);
}

/** The id of an existing cluster is known from the first moment, that of a new one once it was asked for. */
function clusterInstance(task: TaskSettings, taskRun: TaskRun | undefined): object | undefined {
  const clusterId = taskRun?.clusterId ?? task.existing_cluster_id;
  return clusterId === undefined ? undefined : { cluster_id: clusterId, spark_context_id: taskRun?.sparkContextId };
}

function pageUrl(run: Run, runId: number, { site }: Face): string {
  return `${site.publicUrl()}/?o=${site.workspaceId}#job/${run.jobId}/run/${runId}`;
}

/** An object with some of the fields of another. */
function only(holder: object, names: readonly string[]): object {
  return Object.fromEntries(Object.entries(holder).filter(([name]) => names.includes(name)));
}
