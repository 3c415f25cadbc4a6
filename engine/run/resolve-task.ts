/** Resolves a task for its runner: applies the parameters of the run and replaces all references. */
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

/** Attempt of a task, with the attempts of the other tasks. */
export interface AttemptContext {
  readonly run: Run;
  readonly task: TaskSettings;
  readonly taskRun: TaskRun;
  /** Latest attempt of each task by key. */
  readonly latestAttempts: ReadonlyMap<string, TaskRun>;
}

export type ResolvedTask =
  /** `parameters` are the fields of `body` that may contain references. */
  | {
      readonly kind: string;
      readonly body: Readonly<Record<string, unknown>>;
      readonly parameters: Readonly<Record<string, unknown>>;
    }
  | { readonly error: string };

/**
 * Resolves a task for one attempt.
 * @param values values that upstream tasks have set, by task key
 * @returns `error`: a sentence for the state message that names the field and the reference without a value
 */
export function resolveTask(
  context: AttemptContext,
  workspace: WorkspaceInfo,
  values: ReadonlyMap<string, TaskValues>,
): ResolvedTask {
  const { run, task } = context;
  const kind = taskKindOf(task);
  const body =
    builtInKindOf(task) === undefined
      ? taskBodyOf(task, kind)
      : applyParameters(task, run.overridingParameters, run.settings.parameters);
  if (kind === undefined || body === undefined) return { error: 'This task has no kind that Runyard knows.' };
  const facts = referenceFactsOf(context, workspace, values);
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

/** Returns the latest attempts of all upstream tasks. */
export function upstreamTaskRuns({ run, task, latestAttempts }: AttemptContext): TaskRun[] {
  return [...upstreamOf(task.task_key, tasksOf(run.settings))].flatMap(
    (key) => latestAttempts.get(key) ?? [],
  );
}

/** Returns the values of references in a run. */
export function runFactsOf(run: Run, workspace: WorkspaceInfo): RunFacts {
  const startTime = run.progress.startTime ?? 0;
  return {
    jobId: run.jobId,
    jobName: run.name,
    jobRunId: run.runId,
    startTime,
    trigger: run.trigger,
    triggerTime: run.scheduledTime ?? startTime,
    repairCount: run.repair?.count ?? 0,
    workspaceId: workspace.workspaceId,
    workspaceUrl: workspace.publicUrl(),
  };
}

function referenceFactsOf(
  context: AttemptContext,
  workspace: WorkspaceInfo,
  values: ReadonlyMap<string, TaskValues>,
): ReferenceFacts {
  const { run, task, taskRun } = context;
  const facts = runFactsOf(run, workspace);
  return {
    run: facts,
    task: {
      key: task.task_key,
      runId: taskRun.runId,
      startTime: taskRun.progress.runningTime ?? taskRun.progress.startTime ?? facts.startTime,
      // A retry of a single-task run is a new run, which has the number of the attempt.
      attempt: run.format === 'SINGLE_TASK' ? run.attempt : taskRun.attempt,
      notebookPath: task.notebook_task?.notebook_path,
      parameters: new Map(jobParametersOf(run, facts).map(({ name, value }) => [name, value])),
      upstream: new Map(
        upstreamTaskRuns(context).map(({ taskKey, runId, progress }) => [
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
