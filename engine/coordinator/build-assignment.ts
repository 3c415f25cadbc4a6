/** Assignment of an attempt: the task with all references resolved, its directory and its cluster. */
import type { TaskAssignment, TaskCluster } from '../run/assignment.ts';
import type { TaskValues } from '../run/dynamic-values.ts';
import { resolveTask, upstreamTaskRuns, type AttemptContext } from '../run/resolve-task.ts';
import type { TaskRun } from '../run/run.ts';
import type { RunExecution } from './run-execution.ts';
import type { TaskExecution } from './task-execution.ts';
import type { CoordinatorContext } from './coordinator-context.ts';

/** Builds the assignment of an attempt; `error` when a reference in the parameters has no value. */
export async function buildAssignment(
  c: Pick<CoordinatorContext, 'directories' | 'workspace'>,
  execution: RunExecution,
  { settings, taskRun }: TaskExecution,
  cluster: TaskCluster | undefined,
): Promise<TaskAssignment | { readonly error: string }> {
  const { run } = execution;
  const context: AttemptContext = {
    run,
    task: settings,
    taskRun,
    latestAttempts: new Map([...execution.tasks].map(([key, task]) => [key, task.taskRun])),
  };
  const values = await readUpstreamValues(c, execution, context);
  const resolved = resolveTask(context, c.workspace, values);
  if ('error' in resolved) return resolved;
  const { runId, jobRunId, attempt } = taskRun;
  return {
    jobId: run.jobId,
    jobRunId,
    runId,
    taskKey: settings.task_key,
    attempt,
    kind: resolved.kind,
    task: resolved.body,
    parameters: { ...run.overridingParameters },
    taskValues: Object.fromEntries(values),
    libraries: (settings.libraries ?? []).map((library) => ({ ...library })),
    directory: await c.directories.ensureAttemptDirectory(runId),
    cluster: cluster && {
      clusterId: cluster.clusterId,
      directory: cluster.directory,
      environment: cluster.environment,
      libraries: cluster.libraries,
      nodeType: cluster.nodeType,
      workers: cluster.workers,
      runtime: cluster.runtime,
      spark: cluster.spark,
    },
  };
}

/** Reads the task values that upstream tasks have set. Only notebooks set values. */
async function readUpstreamValues(
  c: Pick<CoordinatorContext, 'directories'>,
  { tasks }: RunExecution,
  context: AttemptContext,
): Promise<Map<string, TaskValues>> {
  const read = async ({ taskKey, runId }: TaskRun): Promise<[string, TaskValues]> => [
    taskKey,
    tasks.get(taskKey)?.settings.notebook_task === undefined ? {} : await c.directories.readTaskValues(runId),
  ];
  return new Map(await Promise.all(upstreamTaskRuns(context).map(read)));
}
