/** Libraries of a task: installed on its cluster before the task begins (spec 2.8). */
import { libraryName, noLibraries, packageIndexOf } from '../cluster/libraries.ts';
import type { EnsureInstalledResult } from '../ports/libraries.ts';
import type { TaskCluster } from '../run/assignment.ts';
import { clusterChoiceOf } from '../run/cluster-choice.ts';
import { ownershipLost, type OwnershipLost } from '../run/ownership.ts';
import type { CoordinatorContext } from './coordinator-context.ts';
import { setTaskWarning } from './duration-warnings.ts';
import {
  isReleased,
  type ClusterInUse,
  type ClusterUnavailable,
  type RunExecution,
} from './run-execution.ts';
import { setInterrupt, type TaskExecution } from './task-execution.ts';
import { setTaskTimeout } from './timeouts.ts';
import { transitionTask, type TransitionContext } from './transition-run.ts';

export type LibrariesContext = TransitionContext & Pick<CoordinatorContext, 'libraryManager' | 'directories'>;

/** A cluster with its libraries. */
export type InstalledCluster = ClusterInUse & Pick<TaskCluster, 'libraries'>;

export type LibrariesResult =
  /** `cluster` is undefined when the task was stopped. */
  | { readonly kind: 'prepared'; readonly cluster: InstalledCluster | undefined }
  | ClusterUnavailable
  | OwnershipLost;

/** Installs the libraries that the task needs on its cluster. */
export async function prepareLibraries(
  c: LibrariesContext,
  execution: RunExecution,
  task: TaskExecution,
  cluster: ClusterInUse,
): Promise<LibrariesResult> {
  const wanted = task.settings.libraries ?? [];
  if (wanted.length === 0 && !mayHaveLibraries(execution, task))
    return { kind: 'prepared', cluster: { ...cluster, libraries: noLibraries } };
  // The process exists or has ended, whatever became of the libraries.
  if (task.taskRun.progress.state === 'RUNNING')
    return { kind: 'prepared', cluster: { ...cluster, libraries: await c.libraryManager.getPaths(cluster) } };
  if (task.stopReason !== undefined) return { kind: 'prepared', cluster: undefined };
  const stop = new AbortController();
  setInterrupt(task, () => stop.abort());
  const result = await c.libraryManager.ensureInstalled({
    cluster,
    environment: cluster.environment,
    wanted,
    signal: stop.signal,
    directory: () => c.directories.ensureAttemptDirectory(task.taskRun.runId),
    async onInstallStart() {
      if ((await showInstallation(c, execution, task, cluster)) === ownershipLost) stop.abort();
    },
  });
  setInterrupt(task, undefined);
  if (isReleased(execution)) return ownershipLost;
  switch (result.kind) {
    case 'failed':
      return { kind: 'unavailable', outcome: libraryOutcome(result, cluster.environment) };
    case 'ready':
      return { kind: 'prepared', cluster: { ...cluster, libraries: result.paths } };
    case 'stopped':
      return task.stopReason === undefined ? ownershipLost : { kind: 'prepared', cluster: undefined };
    default:
      return result satisfies never;
  }
}

function libraryOutcome(
  { message, failures }: Extract<EnsureInstalledResult, { kind: 'failed' }>,
  environment: TaskCluster['environment'],
): ClusterUnavailable['outcome'] {
  const libraries = failures.map(({ library }) => ({
    name: libraryName(library),
    index: packageIndexOf(library, environment),
  }));
  return { kind: 'failed', message, failure: { kind: 'library', message, libraries } };
}

async function showInstallation(
  c: LibrariesContext,
  execution: RunExecution,
  task: TaskExecution,
  { clusterId }: ClusterInUse,
): Promise<OwnershipLost | undefined> {
  const message = `Installing libraries on cluster ${clusterId}`;
  if ((await transitionTask(c, execution, task, 'prepare', { clusterId, message })) === ownershipLost)
    return ownershipLost;
  setTaskTimeout(c, execution, task);
  setTaskWarning(c, execution, task);
  return undefined;
}

/** Ends installers that an engine has left behind, for a task that does not start. */
export async function stopLibraryInstallers(
  c: Pick<CoordinatorContext, 'libraryManager' | 'directories'>,
  { settings, taskRun }: TaskExecution,
): Promise<void> {
  // Installers start after the preparation of the task.
  if (taskRun.progress.startTime === undefined || (settings.libraries ?? []).length === 0) return;
  await c.libraryManager.stopInstallers(await c.directories.ensureAttemptDirectory(taskRun.runId));
}

/** Returns whether the cluster of a task without libraries may have those of others. */
function mayHaveLibraries({ run, tasks }: RunExecution, { settings }: TaskExecution): boolean {
  const choice = clusterChoiceOf(settings, run.settings);
  if (choice.kind === 'existing') return true;
  return (
    choice.kind === 'shared' &&
    [...tasks.values()].some(
      (other) => other.settings.job_cluster_key === choice.key && (other.settings.libraries ?? []).length > 0,
    )
  );
}
