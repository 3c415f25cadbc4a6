/**
 * What a runner is handed for one attempt: the task with everything filled in, its directory, and its
 * cluster.
 */
import type { TaskAssignment, TaskCluster } from '../run/assignment.ts';
import type { TaskValues } from '../run/dynamic-values.ts';
import { resolvedTask, upstreamTaskRuns, type Moment } from '../run/resolved-task.ts';
import type { TaskRun } from '../run/run.ts';
import type { ActiveRun, ActiveTask } from './active-run.ts';
import type { Coordination } from './coordination.ts';

/**
 * The assignment of an attempt; `error`: a reference in its parameters has no value, so that the task cannot
 * be run.
 */
export async function assignmentOf(
  c: Coordination,
  active: ActiveRun,
  { settings, taskRun }: ActiveTask,
  cluster: TaskCluster | undefined,
): Promise<TaskAssignment | { readonly error: string }> {
  const { run } = active;
  const moment: Moment = {
    run,
    task: settings,
    taskRun,
    latest: new Map([...active.tasks].map(([key, task]) => [key, task.taskRun])),
  };
  const values = await valuesBefore(c, active, moment);
  const resolved = resolvedTask(moment, c.site, values);
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
    directory: await c.workplace.attemptDirectory(runId),
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
async function valuesBefore(
  c: Coordination,
  { tasks }: ActiveRun,
  moment: Moment,
): Promise<Map<string, TaskValues>> {
  const read = async ({ taskKey, runId }: TaskRun): Promise<[string, TaskValues]> => [
    taskKey,
    tasks.get(taskKey)?.settings.notebook_task === undefined ? {} : await c.workplace.taskValues(runId),
  ];
  return new Map(await Promise.all(upstreamTaskRuns(moment).map(read)));
}
