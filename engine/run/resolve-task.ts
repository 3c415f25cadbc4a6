/**
 * A task as its runner gets it: with the parameters of the run, and every reference replaced by its value.
 */
import { tasksOf } from '../job/job-format.ts';
import { upstreamOf } from '../job/task-graph.ts';
import { mapParameterStrings } from '../job/parameter-strings.ts';
import type { TaskSettings } from '../job/settings.ts';
import { taskBodyOf, taskKindOf, builtInKindOf } from '../job/task-kinds.ts';
import { resolveReferences, type ReferenceFacts, type RunFacts, type TaskValues } from './dynamic-values.ts';
import { jobParametersOf } from './job-parameters.ts';
import { applyParameters } from './parameters.ts';
import type { Run, TaskRun } from './run.ts';
import type { WorkspaceInfo } from './workspace-info.ts';

/** One attempt of a task, and what has become of the tasks before it. */
export interface AttemptContext {
  readonly run: Run;
  readonly task: TaskSettings;
  readonly taskRun: TaskRun;
  /** The latest attempt of each task, by key. */
  readonly latestAttempts: ReadonlyMap<string, TaskRun>;
}

export type ResolvedTask =
  /** `parameters` are the fields of `body` in which references may stand. */
  | {
      readonly kind: string;
      readonly body: Readonly<Record<string, unknown>>;
      readonly parameters: Readonly<Record<string, unknown>>;
    }
  | { readonly error: string };

/**
 * The body of a task's kind for one attempt.
 * @param values what upstream tasks have set, by task key
 * @returns `error`: a sentence that names the field and the reference without a value, fit for the run's
 *   state
 */
export function resolveTask(
  moment: AttemptContext,
  site: WorkspaceInfo,
  values: ReadonlyMap<string, TaskValues>,
): ResolvedTask {
  const { run, task } = moment;
  const kind = taskKindOf(task);
  const body =
    builtInKindOf(task) === undefined
      ? taskBodyOf(task, kind)
      : applyParameters(task, run.overridingParameters, run.settings.parameters);
  if (kind === undefined || body === undefined) return { error: 'This task has no kind that Runyard knows.' };
  const facts = referenceFactsOf(moment, site, values);
  const errors: string[] = [];
  const parameters = mapParameterStrings(kind, kind, body, (text, path) => {
    const resolved = resolveReferences(text, facts);
    if ('text' in resolved) return resolved.text;
    errors.push(`${path}: ${resolved.error}`);
    return text;
  });
  const [error] = errors;
  return error === undefined ? { kind, body: { ...body, ...parameters }, parameters } : { error };
}

/** The latest attempts of all tasks that a task comes after. */
export function upstreamTaskRuns({ run, task, latestAttempts }: AttemptContext): TaskRun[] {
  return [...upstreamOf(task.task_key, tasksOf(run.settings))].flatMap(
    (key) => latestAttempts.get(key) ?? [],
  );
}

/** What references may name in a run. */
export function runFactsOf(run: Run, site: WorkspaceInfo): RunFacts {
  const startTime = run.progress.startTime ?? 0;
  return {
    jobId: run.jobId,
    jobName: run.name,
    jobRunId: run.runId,
    startTime,
    trigger: run.trigger,
    triggerTime: run.scheduledTime ?? startTime,
    repairCount: run.repair?.count ?? 0,
    workspaceId: site.workspaceId,
    workspaceUrl: site.publicUrl(),
  };
}

function referenceFactsOf(
  moment: AttemptContext,
  site: WorkspaceInfo,
  values: ReadonlyMap<string, TaskValues>,
): ReferenceFacts {
  const { run, task, taskRun } = moment;
  const facts = runFactsOf(run, site);
  return {
    run: facts,
    task: {
      key: task.task_key,
      runId: taskRun.runId,
      startTime: taskRun.progress.runningTime ?? taskRun.progress.startTime ?? facts.startTime,
      // A single-task run is retried by a new run, which knows the number of the attempt.
      attempt: run.format === 'SINGLE_TASK' ? run.attempt : taskRun.attempt,
      notebookPath: task.notebook_task?.notebook_path,
      parameters: new Map(jobParametersOf(run, facts).map(({ name, value }) => [name, value])),
      upstream: new Map(
        upstreamTaskRuns(moment).map(({ taskKey, runId, progress }) => [
          taskKey,
          { runId, result: upstreamResultOf(progress), values: values.get(taskKey) ?? {} },
        ]),
      ),
    },
  };
}

function upstreamResultOf({ state, result }: TaskRun['progress']): string {
  if (state === 'SKIPPED') return 'skipped';
  return (result ?? 'FAILED').toLowerCase();
}
