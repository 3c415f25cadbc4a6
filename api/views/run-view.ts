/** Runs in responses of the API versions (spec 2.5, 9). */
import { tasksOf } from '../../engine/job/job-format.ts';
import { renderCluster } from '../../engine/job/render-settings.ts';
import { jobParametersOf } from '../../engine/run/job-parameters.ts';
import { runFactsOf } from '../../engine/run/resolve-task.ts';
import { roundStartOf, runAsOfAttempt, runDurationOf } from '../../engine/run/repair-rounds.ts';
import type { Run, RunWithTasks, TaskRun } from '../../engine/run/run.ts';
import {
  toCommonRunFields,
  toMultiTaskStateView,
  toProgressFields,
  type ViewContext,
} from './run-view-fields.ts';
import { toTaskEntry, toTaskAndClusterFields, toTaskRunView } from './task-run-view.ts';
import { shownFormat } from '../http/api-versions.ts';

/** Returns a run without its output: a single-task run of 2.0 has `task`, every other run has `tasks`. */
export function toRunView(found: RunWithTasks, context: ViewContext): object {
  const { run } = found;
  if (shownFormat(run.format, context.version) === 'SINGLE_TASK') return toSingleTaskView(found, context);
  return {
    ...toMultiTaskView(run, context),
    tasks: orderedTasks(found).map((taskRun) =>
      toTaskEntry(runAsOfAttempt(taskRun.runId, found, context.repairs ?? []), taskRun, context),
    ),
  };
}

/** Returns a list entry: like toRunView, but with empty `tasks` for multi-task runs (spec 2.5). */
export function toRunListView(found: RunWithTasks, context: ViewContext): object {
  if (shownFormat(found.run.format, context.version) === 'SINGLE_TASK')
    return toSingleTaskView(found, context);
  return { ...toMultiTaskView(found.run, context), tasks: [] };
}

/**
 * Returns the `metadata` of get-output: a task run as a separate run. For the latest attempt of a single-task
 * run, it is the run as runs/get shows it, with the additional fields of a task run.
 */
export function toOutputMetadata(found: RunWithTasks, taskRun: TaskRun, context: ViewContext): object {
  const atAttempt = runAsOfAttempt(taskRun.runId, found, context.repairs ?? []);
  const shown = toTaskRunView(atAttempt, taskRun, context);
  const isRun = found.run.format === 'SINGLE_TASK' && taskRun === found.tasks.at(-1);
  return isRun ? { ...shown, ...toRunView(found, context) } : shown;
}

function toSingleTaskView(found: RunWithTasks, context: ViewContext): object {
  const { run, tasks } = found;
  return {
    ...toCommonRunFields(run, context),
    ...toProgressFields(run.progress, context, roundStartOf(run)),
    ...toTaskAndClusterFields(run, tasks.at(-1), context),
    format: 'SINGLE_TASK',
  };
}

function toMultiTaskView(run: Run, context: ViewContext): object {
  return {
    ...toCommonRunFields(run, context),
    ...toProgressFields(run.progress, context),
    state: toMultiTaskStateView(run.progress, context),
    // Durations belong to the tasks of a multi-task run; the run itself has run_duration (spec 2.5).
    setup_duration: 0,
    execution_duration: 0,
    cleanup_duration: 0,
    run_duration: runDurationOf(run),
    overriding_parameters: run.overridingParameters,
    job_parameters: context.version === '2.0' ? undefined : toJobParameters(run, context),
    job_clusters: run.settings.job_clusters?.map((shared) => ({
      ...shared,
      new_cluster: renderCluster(shared.new_cluster),
    })),
    format: 'MULTI_TASK',
  };
}

/** Returns the job parameters with their values in this run. */
function toJobParameters(run: Run, { workspaceInfo }: ViewContext): object | undefined {
  if (run.settings.parameters === undefined) return undefined;
  return jobParametersOf(run, runFactsOf(run, workspaceInfo));
}

/** Returns task runs in the order of the settings, attempts of a task oldest first. */
function orderedTasks({ run, tasks }: RunWithTasks): TaskRun[] {
  const byKey = Map.groupBy(tasks, (taskRun) => taskRun.taskKey);
  return tasksOf(run.settings).flatMap((task) => byKey.get(task.task_key) ?? []);
}
