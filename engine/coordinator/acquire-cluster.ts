/** Acquiring the cluster of a task: a new, shared or existing one, running (spec 2.4, DESIGN section 6). */
import type { NewClusterRow } from '../cluster/cluster.ts';
import { clusterChoiceOf } from '../run/cluster-choice.ts';
import { ownershipLost, type OwnershipLost } from '../run/ownership.ts';
import { createContextId, isContextId, toClusterInUse } from './cluster-in-use.ts';
import { clusterLossOf, prepareClusterWatch, watchCluster } from './cluster-use.ts';
import { setTaskWarning } from './duration-warnings.ts';
import { requestCluster, requestSharedCluster, type ClusterRequestContext } from './request-cluster.ts';
import {
  onRelease,
  untilStopped,
  type ClusterInUse,
  type ClusterRequestResult,
  type ClusterUnavailable,
  type RunExecution,
} from './run-execution.ts';
import { clusterWaitMessage, unavailableResult } from './start-cluster.ts';
import { markClusterLost, type TaskExecution } from './task-execution.ts';
import { setTaskTimeout } from './timeouts.ts';
import { transitionTask, type TransitionContext } from './transition-run.ts';

export type AcquireContext = ClusterRequestContext & TransitionContext;

export type AcquireResult =
  | { readonly kind: 'acquired'; readonly cluster: ClusterInUse }
  /** The kind of task needs no compute. */
  | { readonly kind: 'not needed' }
  /** The task was stopped before its cluster was ready. */
  | { readonly kind: 'stopped' }
  | ClusterUnavailable
  | OwnershipLost;

/** Returns the cluster of a task once it runs. A task that runs already gets the cluster that it runs on. */
export async function acquireCluster(
  c: AcquireContext,
  execution: RunExecution,
  task: TaskExecution,
): Promise<AcquireResult> {
  const choice = clusterChoiceOf(task.settings, execution.run.settings);
  if (choice.kind === 'none') return { kind: 'not needed' };
  const { clusterId, progress } = task.taskRun;
  if (progress.state === 'RUNNING' && clusterId !== undefined)
    return reattachCluster(c, execution, task, clusterId);
  switch (choice.kind) {
    case 'existing':
      return acquireExistingCluster(c, execution, task, choice.clusterId);
    case 'own':
      return waitUntilStarted(c, execution, task, await requestCluster(c, execution, choice, task));
    case 'shared':
      return waitUntilStarted(c, execution, task, await requestSharedCluster(c, execution, choice, task));
    default:
      return choice satisfies never;
  }
}

/** Returns the cluster of a running task: its process exists or has ended, whatever became of the cluster. */
async function reattachCluster(
  c: AcquireContext,
  execution: RunExecution,
  task: TaskExecution,
  clusterId: string,
): Promise<AcquireResult> {
  const stored = task.taskRun.sparkContextId;
  // The id of a Spark application does not tell whether the cluster was restarted; the end of its driver does.
  const sparkContextId = stored !== undefined && isContextId(stored) ? stored : undefined;
  watchCluster(c, execution, task, clusterId, sparkContextId);
  const cluster = await c.clusters.find(clusterId);
  const loss = clusterLossOf(clusterId, cluster, sparkContextId);
  if (loss !== undefined) markClusterLost(task, loss);
  return {
    kind: 'acquired',
    cluster: await toClusterInUse(c, cluster ?? implicitClusterRow(clusterId, c.clock.now())),
  };
}

function implicitClusterRow(clusterId: string, createdTime: number): NewClusterRow {
  return {
    clusterId,
    kind: 'ALL_PURPOSE',
    name: clusterId,
    jobRunId: undefined,
    key: undefined,
    spec: {},
    creator: undefined,
    createdTime,
    poolId: '',
    workers: 0,
    wantedNodes: 0,
  };
}

/**
 * Returns an all-purpose cluster. An unknown id is allocated on its first use and a terminated cluster starts
 * again, unless `clusters.strict` forbids both.
 */
async function acquireExistingCluster(
  c: AcquireContext,
  execution: RunExecution,
  task: TaskExecution,
  clusterId: string,
): Promise<AcquireResult> {
  for (let hasWaited = false; ; hasWaited = true) {
    // Subscribe before the read, so that no change is missed; again each time, because a cluster that ended
    // may have started again.
    const watch = prepareClusterWatch(c, execution, task, clusterId);
    const changed = Promise.withResolvers<'changed'>();
    const unsubscribe = onRelease(
      execution,
      c.compute.signals.subscribe(clusterId, () => changed.resolve('changed')),
    );
    try {
      const ready = await useExistingCluster(c, clusterId, hasWaited);
      if (ready.kind === 'restarted') continue;
      if (ready.kind === 'acquired') watch.activate(ready.cluster.sparkContextId);
      if (ready.kind !== 'starting') return ready;
      const wait = { clusterId, message: ready.message, until: changed.promise };
      const first = await waitWithMessage(c, execution, task, wait);
      if (first === ownershipLost) return first;
      if (first === 'stopped') return { kind: 'stopped' };
    } finally {
      unsubscribe();
    }
  }
}

type ExistingCluster =
  | { readonly kind: 'acquired'; readonly cluster: ClusterInUse }
  | { readonly kind: 'starting'; readonly message: string }
  | { readonly kind: 'restarted' }
  | ClusterUnavailable;

async function useExistingCluster(
  c: AcquireContext,
  clusterId: string,
  hasWaited: boolean,
): Promise<ExistingCluster> {
  const { requireExistingCluster, inventory } = c.compute;
  const found = await c.clusters.find(clusterId);
  if (found === undefined && requireExistingCluster)
    return failedSettings(`Cluster ${clusterId} does not exist`);
  const cluster =
    found ??
    (await c.clusters.ensureAllPurpose(implicitClusterRow(clusterId, c.clock.now()), createContextId(c)));
  if (cluster.state === 'RUNNING') return { kind: 'acquired', cluster: await toClusterInUse(c, cluster) };
  if (cluster.state !== 'TERMINATED')
    return { kind: 'starting', message: clusterWaitMessage(cluster, inventory) };
  // The cluster of a run, which child runs may use, never starts again.
  if (hasWaited || cluster.kind === 'JOB')
    return { kind: 'unavailable', outcome: unavailableResult(clusterId, cluster) };
  if (requireExistingCluster)
    return failedSettings('The cluster is in Terminated state, not available to receive jobs.');
  const refusal = await c.compute.startForTask(clusterId);
  return refusal === undefined ? { kind: 'restarted' } : failedSettings(refusal);
}

function failedSettings(message: string): ClusterUnavailable {
  return { kind: 'unavailable', outcome: { kind: 'failed', message } };
}

/** Waits for the start of a requested cluster, which the request watches. */
async function waitUntilStarted(
  c: AcquireContext,
  execution: RunExecution,
  task: TaskExecution,
  requested: ClusterRequestResult,
): Promise<AcquireResult> {
  if (requested === ownershipLost || requested.kind === 'unavailable') return requested;
  const { cluster, starting } = requested;
  const { clusterId } = cluster;
  if (starting === undefined) return { kind: 'acquired', cluster };
  for (;;) {
    const { message, changed } = starting.phase();
    const until = Promise.race([starting.ended, changed]);
    const first = await waitWithMessage(c, execution, task, { clusterId, message, until });
    if (first === ownershipLost) return first;
    if (first === 'stopped') return { kind: 'stopped' };
    if (first === undefined) continue;
    if (first.kind === 'released') return ownershipLost;
    if (first.kind !== 'running') return { kind: 'unavailable', outcome: first };
    requested.starting = undefined;
    return { kind: 'acquired', cluster };
  }
}

/** Shows what a task waits for, and waits. */
async function waitWithMessage<Result>(
  c: AcquireContext,
  execution: RunExecution,
  task: TaskExecution,
  wait: { readonly clusterId: string; readonly message: string; readonly until: Promise<Result> },
): Promise<Result | 'stopped' | OwnershipLost> {
  const { progress } = task.taskRun;
  const { clusterId, message } = wait;
  if (progress.state === 'PENDING' && progress.message !== message) {
    if ((await transitionTask(c, execution, task, 'prepare', { clusterId, message })) === ownershipLost)
      return ownershipLost;
    setTaskTimeout(c, execution, task);
    setTaskWarning(c, execution, task);
  }
  return untilStopped(execution, task, wait.until);
}
