/** Runs as a version of the path shows them (spec 2.5, 9). */
import { tasksOf } from '../../engine/job/job-format.ts';
import { renderCluster } from '../../engine/job/render-settings.ts';
import { jobParametersOf } from '../../engine/run/job-parameters.ts';
import { runFactsOf } from '../../engine/run/resolve-task.ts';
import { runDurationOf } from '../../engine/run/repair-rounds.ts';
import type { Run, RunWithTasks, TaskRun } from '../../engine/run/run.ts';
import { toCommonRunFields, toProgressFields, type ViewContext } from './run-view-fields.ts';
import { toTaskEntry, toTaskAndClusterFields } from './task-run-view.ts';
import { shownFormat } from '../http/api-versions.ts';

/**
 * A run with everything but its output. In 2.0 a single-task run shows its `task`, every other run its
 * `tasks`.
 */
export function toRunView(found: RunWithTasks, face: ViewContext): object {
  const { run } = found;
  if (shownFormat(run.format, face.version) === 'SINGLE_TASK') return toSingleTaskView(found, face);
  return {
    ...toMultiTaskView(run, face),
    tasks: orderedTasks(found).map((taskRun) => toTaskEntry(run, taskRun, face)),
  };
}

/** A run as lists show it: as toRunView, but a multi-task run's `tasks` is empty (spec 2.5). */
export function toRunListView(found: RunWithTasks, face: ViewContext): object {
  if (shownFormat(found.run.format, face.version) === 'SINGLE_TASK') return toSingleTaskView(found, face);
  return { ...toMultiTaskView(found.run, face), tasks: [] };
}

function toSingleTaskView(found: RunWithTasks, face: ViewContext): object {
  const { run, tasks } = found;
  return {
    ...toCommonRunFields(run, face),
    ...toProgressFields(run.progress, face, run.admittedTime),
    ...toTaskAndClusterFields(run, tasks[0], face),
    format: 'SINGLE_TASK',
  };
}

function toMultiTaskView(run: Run, face: ViewContext): object {
  return {
    ...toCommonRunFields(run, face),
    ...toProgressFields(run.progress, face),
    // The durations of a multi-task run are those of its tasks; the run itself has one length (spec 2.5).
    setup_duration: 0,
    execution_duration: 0,
    cleanup_duration: 0,
    run_duration: runDurationOf(run),
    overriding_parameters: run.overridingParameters,
    job_parameters: face.version === '2.0' ? undefined : toJobParameters(run, face),
    job_clusters: run.settings.job_clusters?.map((shared) => ({
      ...shared,
      new_cluster: renderCluster(shared.new_cluster),
    })),
    format: 'MULTI_TASK',
  };
}

/** The parameters of the job with their values in this run. */
function toJobParameters(run: Run, { workspaceInfo }: ViewContext): object | undefined {
  if (run.settings.parameters === undefined) return undefined;
  return jobParametersOf(run, runFactsOf(run, workspaceInfo));
}

/** Task runs in the order of the settings; the attempts of a task stay oldest first. */
function orderedTasks({ run, tasks }: RunWithTasks): TaskRun[] {
  const byKey = Map.groupBy(tasks, (taskRun) => taskRun.taskKey);
  return tasksOf(run.settings).flatMap((task) => byKey.get(task.task_key) ?? []);
}
