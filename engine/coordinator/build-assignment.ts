/**
 * What a runner is handed for one attempt: the task with everything filled in, its directory, and its
 * cluster.
 */
import type { TaskAssignment, TaskCluster } from '../run/assignment.ts';
import type { TaskValues } from '../run/dynamic-values.ts';
import { resolveTask, upstreamTaskRuns, type AttemptContext } from '../run/resolve-task.ts';
import type { TaskRun } from '../run/run.ts';
import type { RunExecution, TaskExecution } from './run-execution.ts';
import type { CoordinatorContext } from './coordinator-context.ts';

/**
 * The assignment of an attempt; `error`: a reference in its parameters has no value, so that the task cannot
 * be run.
 */
export async function buildAssignment(
  c: CoordinatorContext,
  active: RunExecution,
  { settings, taskRun }: TaskExecution,
  cluster: TaskCluster | undefined,
): Promise<TaskAssignment | { readonly error: string }> {
  const { run } = active;
  const moment: AttemptContext = {
    run,
    task: settings,
    taskRun,
    latestAttempts: new Map([...active.tasks].map(([key, task]) => [key, task.taskRun])),
  };
  const values = await readUpstreamValues(c, active, moment);
  const resolved = resolveTask(moment, c.workspace, values);
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
    },
  };
}

/**
 * What the tasks before this one have set. Only notebooks set values: the files of all others need not be
 * looked for.
 */
async function readUpstreamValues(
  c: CoordinatorContext,
  { tasks }: RunExecution,
  moment: AttemptContext,
): Promise<Map<string, TaskValues>> {
  const read = async ({ taskKey, runId }: TaskRun): Promise<[string, TaskValues]> => [
    taskKey,
    tasks.get(taskKey)?.settings.notebook_task === undefined ? {} : await c.directories.readTaskValues(runId),
  ];
  return new Map(await Promise.all(upstreamTaskRuns(moment).map(read)));
}
