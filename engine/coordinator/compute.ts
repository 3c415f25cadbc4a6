/** Getting a cluster for a task and giving it back (spec 2.4, DESIGN section 6). */
import { clusterIdAt, type Cluster, type NewClusterRow } from '../cluster/cluster.ts';
import { capacityOf, shapeOf, type ClusterShape } from '../cluster/inventory.ts';
import { clusterChoice, hasServed, type ClusterChoice } from '../run/cluster-choice.ts';
import type { Outcome } from '../run/assignment.ts';
import { clusterInUse, contextId } from './cluster-in-use.ts';
import { type ActiveRun, type ActiveTask, type AskedCluster, type ClusterInUse } from './active-run.ts';
import { isLost, loseCluster, watchCluster } from './cluster-use.ts';
import type { Coordination } from './coordination.ts';
import { goneOf, startCluster, waitingFor, type Launch } from './start-cluster.ts';
import { armTimeout } from './stop.ts';
import { armTaskWarning } from './warn.ts';
import { LetGo, moveTask } from './write.ts';

/** A task has no cluster to run on, and ends so. */
export class NoCluster extends Error {
  readonly outcome: Outcome;

  constructor(outcome: Extract<Outcome, { message: string }>) {
    super(outcome.message);
    this.outcome = outcome;
  }
}

/**
 * The cluster of a task, running; undefined for work that needs none, and when the task was stopped
 * meanwhile.
 * @throws NoCluster when it cannot start, or is not there
 */
export async function acquireCluster(
  c: Coordination,
  active: ActiveRun,
  task: ActiveTask,
): Promise<ClusterInUse | undefined> {
  const choice = clusterChoice(task.settings, active.run.settings);
  if (choice.kind === 'none') return undefined;
  const { clusterId } = task.taskRun;
  if (task.taskRun.progress.state === 'RUNNING' && clusterId !== undefined)
    return usedBefore(c, active, task, clusterId);
  switch (choice.kind) {
    case 'existing':
      return existing(c, active, task, choice.clusterId);
    case 'own':
      return whenStarted(c, active, task, await ask(c, active, choice, task));
    case 'shared':
      return whenStarted(c, active, task, await shared(c, active, choice, task));
    default:
      return choice satisfies never;
  }
}

/** Terminates the cluster that was made for this task alone. */
export async function releaseOwnCluster(c: Coordination, active: ActiveRun, task: ActiveTask): Promise<void> {
  const choice = clusterChoice(task.settings, active.run.settings);
  if (choice.kind !== 'own') return;
  const made = await c.clusters.ofRun(active.run.runId);
  await endClusters(
    c,
    active,
    made.filter((cluster) => cluster.key === keyOf(choice, task)),
  );
}

/** Terminates the shared clusters whose last task is over; all that the run still has when `runIsOver`. */
export async function releaseSharedClusters(
  c: Coordination,
  active: ActiveRun,
  runIsOver: boolean,
): Promise<void> {
  const tasks = [...active.tasks.values()].map(({ settings, taskRun }) => ({
    settings,
    progress: taskRun.progress,
  }));
  // By the settings, not by memory: an earlier engine may have made them.
  const keys = (active.run.settings.job_clusters ?? []).map((one) => one.job_cluster_key);
  const served = keys.filter(
    (key) => !active.servedClusters.has(key) && (runIsOver || hasServed(key, tasks)),
  );
  // A task that was stopped before it began may have one of its own, from an engine that was killed.
  const ownLeft =
    runIsOver &&
    tasks.some(
      ({ settings, progress }) => settings.new_cluster !== undefined && progress.state === 'SKIPPED',
    );
  if (served.length === 0 && !ownLeft) return;
  const left = await c.clusters.ofRun(active.run.runId);
  await endClusters(
    c,
    active,
    left.filter((cluster) => runIsOver || served.includes(cluster.key ?? '')),
  );
  for (const key of served) active.servedClusters.add(key);
}

async function endClusters(c: Coordination, active: ActiveRun, clusters: readonly Cluster[]): Promise<void> {
  for (const { clusterId } of clusters) active.starts.get(clusterId)?.stop();
  await c.clusters.terminated(
    clusters.map((cluster) => cluster.clusterId),
    { code: 'JOB_FINISHED' },
    c.clock.now(),
  );
  for (const { clusterId, state, spec } of clusters) {
    // An engine before this one may have started its scripts.
    if (state === 'PENDING' && spec['init_scripts'] !== undefined)
      await c.compute.provider.endScripts(clusterId);
    if (spec['cluster_log_conf'] !== undefined) await c.compute.provider.deliverLogs(clusterId);
  }
}

/**
 * The cluster on which a task runs already: its process is there, and may be over, whatever became of the
 * cluster.
 */
async function usedBefore(
  c: Coordination,
  active: ActiveRun,
  task: ActiveTask,
  clusterId: string,
): Promise<ClusterInUse> {
  watchCluster(c, active, task, clusterId);
  const cluster = await c.clusters.find(clusterId);
  if (isLost(cluster)) loseCluster(task, goneOf(clusterId, cluster).message);
  return clusterInUse(c, cluster ?? unknownCluster(c, clusterId));
}

function unknownCluster(c: Coordination, clusterId: string): NewClusterRow {
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
    wanted: 0,
  };
}

/**
 * An all-purpose cluster: one that is unknown is allocated on its first use, and one that was terminated
 * starts again, unless that is switched off.
 */
async function existing(
  c: Coordination,
  active: ActiveRun,
  task: ActiveTask,
  clusterId: string,
): Promise<ClusterInUse | undefined> {
  for (let waited = false; ; waited = true) {
    // Before it is looked at, so that nothing is missed; and anew each time, because one that ended may have
    // started again.
    watchCluster(c, active, task, clusterId);
    const changed = Promise.withResolvers<'changed'>();
    const off = c.compute.signals.on(clusterId, () => changed.resolve('changed'));
    active.timers.add(off);
    try {
      let cluster = await c.clusters.find(clusterId);
      if (cluster === undefined && c.compute.strict)
        throw new NoCluster({ kind: 'failed', message: `Cluster ${clusterId} does not exist` });
      cluster ??= await c.clusters.ensureAllPurpose(unknownCluster(c, clusterId), contextId(c));
      if (cluster.state === 'RUNNING') return await clusterInUse(c, cluster);
      if (cluster.state === 'TERMINATED') {
        // One that was made for a run, and lent to the runs that this one has started, is never started
        // again.
        if (waited || cluster.kind === 'JOB') throw new NoCluster(goneOf(clusterId, cluster));
        if (c.compute.strict)
          throw new NoCluster({
            kind: 'failed',
            message: 'The cluster is in Terminated state, not available to receive jobs.',
          });
        await c.compute.startAgain(clusterId);
        continue;
      }
      const message = waitingFor(cluster, c.compute.inventory);
      if ((await whileWaiting(c, active, task, { clusterId, message, until: changed.promise })) === 'stopped')
        return undefined;
    } finally {
      off();
      active.timers.delete(off);
    }
  }
}

type Made = Extract<ClusterChoice, { kind: 'own' | 'shared' }>;

/** Which of the run's clusters it is. A key of job_clusters has no colon, so that the two never meet. */
function keyOf(choice: Made, task: ActiveTask): string {
  return choice.kind === 'shared' ? choice.key : `task:${task.taskRun.runId}`;
}

/**
 * The shared cluster of a key: one that could not start, or is gone, is replaced for the next task (spec
 * 2.4).
 */
async function shared(
  c: Coordination,
  active: ActiveRun,
  choice: Extract<Made, { kind: 'shared' }>,
  task: ActiveTask,
): Promise<AskedCluster> {
  for (;;) {
    const known = active.sharedClusters.get(choice.key);
    if (known === undefined) {
      const asked = ask(c, active, choice, task);
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
    task.leaveCluster?.();
    if (active.sharedClusters.get(choice.key) === known) active.sharedClusters.delete(choice.key);
  }
}

async function forgetUnlessRunning(asked: Promise<AskedCluster>, forget: () => void): Promise<void> {
  try {
    const { starting } = await asked;
    if (starting !== undefined && (await starting.ended).kind !== 'running') forget();
  } catch {
    // Whoever asked hears of it.
    forget();
  }
}

/** Makes the cluster, or finds the one that was made for the same purpose before this engine was started. */
async function ask(
  c: Coordination,
  active: ActiveRun,
  choice: Made,
  task: ActiveTask,
): Promise<AskedCluster> {
  const key = keyOf(choice, task);
  const earlier = (await c.clusters.ofRun(active.run.runId)).find((cluster) => cluster.key === key);
  if (earlier?.state === 'RUNNING') return { cluster: await clusterInUse(c, earlier), starting: undefined };
  const sparkContextId = contextId(c);
  const row = earlier ?? newRow(c, active, choice, task);
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
    capacityOf(poolId, c.compute.inventory) === undefined;
  if (
    earlier === undefined &&
    (await c.clusters.create(row, atOnce ? sparkContextId : undefined, active.run.fence)) === 'refused'
  )
    throw new LetGo();
  const cluster = await clusterInUse(c, row, sparkContextId);
  return {
    cluster,
    starting: atOnce ? undefined : startFor(c, active, cluster, { from: row.createdTime, fault }),
  };
}

function startFor(
  c: Coordination,
  active: ActiveRun,
  cluster: ClusterInUse,
  how: Pick<Launch, 'from' | 'fault'>,
): AskedCluster['starting'] {
  const letGo = new AbortController();
  const abort = (): void => letGo.abort();
  if (active.retired) abort();
  active.timers.add(abort);
  const starting = startCluster(c, { ...cluster, ...how }, letGo.signal);
  active.starts.set(cluster.clusterId, starting);
  const over = (): void => {
    active.timers.delete(abort);
    active.starts.delete(cluster.clusterId);
  };
  starting.ended.then(over, over);
  return starting;
}

function newRow(c: Coordination, active: ActiveRun, choice: Made, task: ActiveTask): NewClusterRow {
  const now = c.clock.now();
  const { jobId, runId } = active.run;
  const shape: ClusterShape | { readonly error: string } = shapeOf(choice.spec, c.compute.inventory);
  if ('error' in shape) throw new NoCluster({ kind: 'lost', message: shape.error });
  return {
    clusterId: clusterIdAt(now, c.random(8)),
    kind: 'JOB',
    name: `job-${jobId}-run-${runId}-${choice.kind === 'shared' ? choice.key : task.settings.task_key}`,
    jobRunId: runId,
    key: keyOf(choice, task),
    spec: { ...choice.spec },
    creator: undefined,
    createdTime: now,
    poolId: shape.poolId,
    workers: shape.workers,
    wanted: shape.workers + 1,
  };
}

/** The cluster once it has started; undefined when the task is stopped while it waits. */
async function whenStarted(
  c: Coordination,
  active: ActiveRun,
  task: ActiveTask,
  asked: AskedCluster,
): Promise<ClusterInUse | undefined> {
  const { cluster, starting } = asked;
  const { clusterId } = cluster;
  watchCluster(c, active, task, clusterId);
  if (starting === undefined) return cluster;
  for (;;) {
    const { message, changed } = starting.phase();
    const first = await whileWaiting(c, active, task, {
      clusterId,
      message,
      until: Promise.race([starting.ended, changed]),
    });
    if (first === 'stopped') return undefined;
    if (first === undefined) continue;
    if (first.kind !== 'running') throw new NoCluster(first);
    asked.starting = undefined;
    return cluster;
  }
}

/** Says what a task waits for, and waits; `stopped` when it is to stop meanwhile. */
async function whileWaiting<Result>(
  c: Coordination,
  active: ActiveRun,
  task: ActiveTask,
  wait: { readonly clusterId: string; readonly message: string; readonly until: Promise<Result> },
): Promise<Result | 'stopped'> {
  const stopped = new Promise<'stopped'>((resolve) => {
    task.interrupt = () => resolve('stopped');
  });
  const { progress } = task.taskRun;
  if (progress.state === 'PENDING' && progress.message !== wait.message) {
    await moveTask(c, active, task, 'prepare', { clusterId: wait.clusterId, message: wait.message });
    armTimeout(c, active, task);
    armTaskWarning(c, active, task);
  }
  if (task.stopReason !== undefined) return 'stopped';
  const first = await Promise.race([wait.until, stopped]);
  task.interrupt = undefined;
  return first;
}
