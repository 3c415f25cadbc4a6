/** Getting a cluster for a task and giving it back (spec 2.4, DESIGN section 6). */
import { clusterIdAt, type Cluster, type NewClusterRow } from '../cluster/cluster.ts';
import { poolCapacityOf, resolveShape, type ClusterShape } from '../cluster/inventory.ts';
import { clusterChoiceOf, isNoLongerNeeded, type ClusterChoice } from '../run/cluster-choice.ts';
import type { TaskOutcome } from '../run/assignment.ts';
import { toClusterInUse, createContextId } from './cluster-in-use.ts';
import {
  type RunExecution,
  type TaskExecution,
  type RequestedCluster,
  type ClusterInUse,
} from './run-execution.ts';
import { isClusterLost, markClusterLost, watchCluster } from './cluster-use.ts';
import type { CoordinatorContext } from './coordinator-context.ts';
import {
  unavailableResult,
  startCluster,
  clusterWaitMessage,
  type ClusterStartRequest,
} from './start-cluster.ts';
import { setTaskTimeout } from './stop.ts';
import { setTaskWarning } from './duration-warnings.ts';
import { OwnershipLost, transitionTask } from './transition-run.ts';

/** A task has no cluster to run on, and ends so. */
export class ClusterUnavailable extends Error {
  readonly outcome: TaskOutcome;

  constructor(outcome: Extract<TaskOutcome, { message: string }>) {
    super(outcome.message);
    this.outcome = outcome;
  }
}

/**
 * The cluster of a task, running; undefined for work that needs none, and when the task was stopped
 * meanwhile.
 * @throws ClusterUnavailable when it cannot start, or is not there
 */
export async function acquireCluster(
  c: CoordinatorContext,
  active: RunExecution,
  task: TaskExecution,
): Promise<ClusterInUse | undefined> {
  const choice = clusterChoiceOf(task.settings, active.run.settings);
  if (choice.kind === 'none') return undefined;
  const { clusterId } = task.taskRun;
  if (task.taskRun.progress.state === 'RUNNING' && clusterId !== undefined)
    return reattachCluster(c, active, task, clusterId);
  switch (choice.kind) {
    case 'existing':
      return acquireExistingCluster(c, active, task, choice.clusterId);
    case 'own':
      return waitUntilStarted(c, active, task, await requestCluster(c, active, choice, task));
    case 'shared':
      return waitUntilStarted(c, active, task, await requestSharedCluster(c, active, choice, task));
    default:
      return choice satisfies never;
  }
}

/** Terminates the cluster that was made for this task alone. */
export async function releaseOwnCluster(
  c: CoordinatorContext,
  active: RunExecution,
  task: TaskExecution,
): Promise<void> {
  const choice = clusterChoiceOf(task.settings, active.run.settings);
  if (choice.kind !== 'own') return;
  const made = await c.clusters.listByRun(active.run.runId);
  await terminateClusters(
    c,
    active,
    made.filter((cluster) => cluster.key === clusterKeyOf(choice, task)),
  );
}

/** Terminates the shared clusters whose last task is over; all that the run still has when `runIsOver`. */
export async function releaseSharedClusters(
  c: CoordinatorContext,
  active: RunExecution,
  runIsOver: boolean,
): Promise<void> {
  const tasks = [...active.tasks.values()].map(({ settings, taskRun }) => ({
    settings,
    progress: taskRun.progress,
  }));
  // By the settings, not by memory: an earlier engine may have made them.
  const keys = (active.run.settings.job_clusters ?? []).map((one) => one.job_cluster_key);
  const served = keys.filter(
    (key) => !active.releasedClusterKeys.has(key) && (runIsOver || isNoLongerNeeded(key, tasks)),
  );
  // A task that was stopped before it began may have one of its own, from an engine that was killed.
  const ownLeft =
    runIsOver &&
    tasks.some(
      ({ settings, progress }) => settings.new_cluster !== undefined && progress.state === 'SKIPPED',
    );
  if (served.length === 0 && !ownLeft) return;
  const left = await c.clusters.listByRun(active.run.runId);
  await terminateClusters(
    c,
    active,
    left.filter((cluster) => runIsOver || served.includes(cluster.key ?? '')),
  );
  for (const key of served) active.releasedClusterKeys.add(key);
}

async function terminateClusters(
  c: CoordinatorContext,
  active: RunExecution,
  clusters: readonly Cluster[],
): Promise<void> {
  for (const { clusterId } of clusters) active.clusterStarts.get(clusterId)?.stop();
  await c.clusters.terminate(
    clusters.map((cluster) => cluster.clusterId),
    { code: 'JOB_FINISHED' },
    c.clock.now(),
  );
  for (const { clusterId, state, spec } of clusters) {
    // An engine before this one may have started its scripts.
    if (state === 'PENDING' && spec['init_scripts'] !== undefined)
      await c.compute.provider.stopScripts(clusterId);
    if (spec['cluster_log_conf'] !== undefined) await c.compute.provider.deliverLogs(clusterId);
  }
}

/**
 * The cluster on which a task runs already: its process is there, and may be over, whatever became of the
 * cluster.
 */
async function reattachCluster(
  c: CoordinatorContext,
  active: RunExecution,
  task: TaskExecution,
  clusterId: string,
): Promise<ClusterInUse> {
  watchCluster(c, active, task, clusterId);
  const cluster = await c.clusters.find(clusterId);
  if (isClusterLost(cluster)) markClusterLost(task, unavailableResult(clusterId, cluster).message);
  return toClusterInUse(c, cluster ?? implicitClusterRow(c, clusterId));
}

function implicitClusterRow(c: CoordinatorContext, clusterId: string): NewClusterRow {
  return {
    clusterId,
    kind: 'ALL_PURPOSE',
    name: clusterId,
    jobRunId: undefined,
    key: undefined,
    spec: {},
    creator: undefined,
    createdTime: c.clock.now(),
    poolId: '',
    workers: 0,
    wantedNodes: 0,
  };
}

/**
 * An all-purpose cluster: one that is unknown is allocated on its first use, and one that was terminated
 * starts again, unless that is switched off.
 */
async function acquireExistingCluster(
  c: CoordinatorContext,
  active: RunExecution,
  task: TaskExecution,
  clusterId: string,
): Promise<ClusterInUse | undefined> {
  for (let waited = false; ; waited = true) {
    // Before it is looked at, so that nothing is missed; and anew each time, because one that ended may have
    // started again.
    watchCluster(c, active, task, clusterId);
    const changed = Promise.withResolvers<'changed'>();
    const off = c.compute.signals.subscribe(clusterId, () => changed.resolve('changed'));
    active.cancelTimers.add(off);
    try {
      let cluster = await c.clusters.find(clusterId);
      if (cluster === undefined && c.compute.requireExistingCluster)
        throw new ClusterUnavailable({ kind: 'failed', message: `Cluster ${clusterId} does not exist` });
      cluster ??= await c.clusters.ensureAllPurpose(implicitClusterRow(c, clusterId), createContextId(c));
      if (cluster.state === 'RUNNING') return await toClusterInUse(c, cluster);
      if (cluster.state === 'TERMINATED') {
        // One that was made for a run, and lent to the runs that this one has started, is never started
        // again.
        if (waited || cluster.kind === 'JOB')
          throw new ClusterUnavailable(unavailableResult(clusterId, cluster));
        if (c.compute.requireExistingCluster)
          throw new ClusterUnavailable({
            kind: 'failed',
            message: 'The cluster is in Terminated state, not available to receive jobs.',
          });
        await c.compute.startForTask(clusterId);
        continue;
      }
      const message = clusterWaitMessage(cluster, c.compute.inventory);
      if (
        (await waitWithMessage(c, active, task, { clusterId, message, until: changed.promise })) === 'stopped'
      )
        return undefined;
    } finally {
      off();
      active.cancelTimers.delete(off);
    }
  }
}

type NewClusterChoice = Extract<ClusterChoice, { kind: 'own' | 'shared' }>;

/** Which of the run's clusters it is. A key of job_clusters has no colon, so that the two never meet. */
function clusterKeyOf(choice: NewClusterChoice, task: TaskExecution): string {
  return choice.kind === 'shared' ? choice.key : `task:${task.taskRun.runId}`;
}

/**
 * The shared cluster of a key: one that could not start, or is gone, is replaced for the next task (spec
 * 2.4).
 */
async function requestSharedCluster(
  c: CoordinatorContext,
  active: RunExecution,
  choice: Extract<NewClusterChoice, { kind: 'shared' }>,
  task: TaskExecution,
): Promise<RequestedCluster> {
  for (;;) {
    const known = active.sharedClusters.get(choice.key);
    if (known === undefined) {
      const asked = requestCluster(c, active, choice, task);
      active.sharedClusters.set(choice.key, asked);
      const forget = (): void => {
        if (active.sharedClusters.get(choice.key) === asked) active.sharedClusters.delete(choice.key);
      };
      void forgetUnlessRunning(asked, forget);
      return asked;
    }
    const asked = await known;
    if (asked.starting !== undefined) return asked;
    watchCluster(c, active, task, asked.cluster.clusterId);
    if ((await c.clusters.find(asked.cluster.clusterId))?.state === 'RUNNING') return asked;
    task.unwatchCluster?.();
    if (active.sharedClusters.get(choice.key) === known) active.sharedClusters.delete(choice.key);
  }
}

async function forgetUnlessRunning(asked: Promise<RequestedCluster>, forget: () => void): Promise<void> {
  try {
    const { starting } = await asked;
    if (starting !== undefined && (await starting.ended).kind !== 'running') forget();
  } catch {
    // Whoever asked hears of it.
    forget();
  }
}

/** Makes the cluster, or finds the one that was made for the same purpose before this engine was started. */
async function requestCluster(
  c: CoordinatorContext,
  active: RunExecution,
  choice: NewClusterChoice,
  task: TaskExecution,
): Promise<RequestedCluster> {
  const key = clusterKeyOf(choice, task);
  const earlier = (await c.clusters.listByRun(active.run.runId)).find((cluster) => cluster.key === key);
  if (earlier?.state === 'RUNNING') return { cluster: await toClusterInUse(c, earlier), starting: undefined };
  const sparkContextId = createContextId(c);
  const row = earlier ?? newJobClusterRow(c, active, choice, task);
  const { spec, poolId } = row;
  const fault = c.compute.faults.take('start_failure', [
    row.name,
    choice.kind === 'shared' ? key : task.settings.task_key,
  ]);
  const atOnce =
    earlier === undefined &&
    c.clusterStartMs === 0 &&
    fault === undefined &&
    spec['init_scripts'] === undefined &&
    poolCapacityOf(poolId, c.compute.inventory) === undefined;
  if (
    earlier === undefined &&
    (await c.clusters.create(row, atOnce ? sparkContextId : undefined, active.run.fence)) === 'refused'
  )
    throw new OwnershipLost();
  const cluster = await toClusterInUse(c, row, sparkContextId);
  return {
    cluster,
    starting: atOnce
      ? undefined
      : startClusterForRun(c, active, cluster, { requestedAt: row.createdTime, fault }),
  };
}

function startClusterForRun(
  c: CoordinatorContext,
  active: RunExecution,
  cluster: ClusterInUse,
  how: Pick<ClusterStartRequest, 'requestedAt' | 'fault'>,
): RequestedCluster['starting'] {
  const letGo = new AbortController();
  const abort = (): void => letGo.abort();
  if (active.released) abort();
  active.cancelTimers.add(abort);
  const starting = startCluster(c, { ...cluster, ...how }, letGo.signal);
  active.clusterStarts.set(cluster.clusterId, starting);
  const over = (): void => {
    active.cancelTimers.delete(abort);
    active.clusterStarts.delete(cluster.clusterId);
  };
  starting.ended.then(over, over);
  return starting;
}

function newJobClusterRow(
  c: CoordinatorContext,
  active: RunExecution,
  choice: NewClusterChoice,
  task: TaskExecution,
): NewClusterRow {
  const now = c.clock.now();
  const { jobId, runId } = active.run;
  const shape: ClusterShape | { readonly error: string } = resolveShape(choice.spec, c.compute.inventory);
  if ('error' in shape) throw new ClusterUnavailable({ kind: 'lost', message: shape.error });
  return {
    clusterId: clusterIdAt(now, c.randomString(8)),
    kind: 'JOB',
    name: `job-${jobId}-run-${runId}-${choice.kind === 'shared' ? choice.key : task.settings.task_key}`,
    jobRunId: runId,
    key: clusterKeyOf(choice, task),
    spec: { ...choice.spec },
    creator: undefined,
    createdTime: now,
    poolId: shape.poolId,
    workers: shape.workers,
    wantedNodes: shape.workers + 1,
  };
}

/** The cluster once it has started; undefined when the task is stopped while it waits. */
async function waitUntilStarted(
  c: CoordinatorContext,
  active: RunExecution,
  task: TaskExecution,
  asked: RequestedCluster,
): Promise<ClusterInUse | undefined> {
  const { cluster, starting } = asked;
  const { clusterId } = cluster;
  watchCluster(c, active, task, clusterId);
  if (starting === undefined) return cluster;
  for (;;) {
    const { message, changed } = starting.phase();
    const first = await waitWithMessage(c, active, task, {
      clusterId,
      message,
      until: Promise.race([starting.ended, changed]),
    });
    if (first === 'stopped') return undefined;
    if (first === undefined) continue;
    if (first.kind !== 'running') throw new ClusterUnavailable(first);
    asked.starting = undefined;
    return cluster;
  }
}

/** Says what a task waits for, and waits; `stopped` when it is to stop meanwhile. */
async function waitWithMessage<Result>(
  c: CoordinatorContext,
  active: RunExecution,
  task: TaskExecution,
  wait: { readonly clusterId: string; readonly message: string; readonly until: Promise<Result> },
): Promise<Result | 'stopped'> {
  const stopped = new Promise<'stopped'>((resolve) => {
    task.interruptWait = () => resolve('stopped');
  });
  const { progress } = task.taskRun;
  if (progress.state === 'PENDING' && progress.message !== wait.message) {
    await transitionTask(c, active, task, 'prepare', { clusterId: wait.clusterId, message: wait.message });
    setTaskTimeout(c, active, task);
    setTaskWarning(c, active, task);
  }
  if (task.stopReason !== undefined) return 'stopped';
  const first = await Promise.race([wait.until, stopped]);
  task.interruptWait = undefined;
  return first;
}
