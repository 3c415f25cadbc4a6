/** Getting a cluster for a task and giving it back (spec 2.4, DESIGN section 6). */
import { clusterIdAt, type Cluster, type NewClusterRow } from '../cluster/cluster.ts';
import { clusterChoice, hasServed, type ClusterChoice } from '../cluster/life.ts';
import type { NewCluster } from '../job/cluster.ts';
import { atTime, type ActiveRun, type ActiveTask, type AskedCluster, type ClusterInUse } from './active-run.ts';
import type { Coordination } from './coordination.ts';
import { armTimeout } from './stop.ts';
import { armTaskWarning } from './warn.ts';
import { LetGo, moveTask } from './write.ts';

/** The cluster of a task, running; undefined for work that needs none, and when the task was stopped meanwhile. */
export async function acquireCluster(c: Coordination, active: ActiveRun, task: ActiveTask): Promise<ClusterInUse | undefined> {
  const choice = clusterChoice(task.settings, active.run.settings);
  switch (choice.kind) {
    case 'none':
      return undefined;
    case 'existing':
      return existing(c, choice.clusterId);
    case 'own':
      return whenStarted(c, active, task, await ask(c, active, choice.spec, keyOf(choice, task)));
    case 'shared': {
      const shared = active.sharedClusters.get(choice.key) ?? ask(c, active, choice.spec, choice.key);
      active.sharedClusters.set(choice.key, shared);
      // One that could not start is replaced for the next task.
      shared.then(({ started }) => started).catch(() => active.sharedClusters.delete(choice.key));
      return whenStarted(c, active, task, await shared);
    }
    default:
      return choice satisfies never;
  }
}

/** Terminates the cluster that was made for this task alone. */
export async function releaseOwnCluster(c: Coordination, active: ActiveRun, task: ActiveTask): Promise<void> {
  const choice = clusterChoice(task.settings, active.run.settings);
  if (choice.kind !== 'own') return;
  const made = await c.clusters.ofRun(active.run.runId);
  const own = made.filter((cluster) => cluster.key === keyOf(choice, task));
  await c.clusters.terminated(own.map((cluster) => cluster.clusterId), 'JOB_FINISHED', c.clock.now());
}

/** Terminates the shared clusters whose last task is over; all that the run still has when `runIsOver`. */
export async function releaseSharedClusters(c: Coordination, active: ActiveRun, runIsOver: boolean): Promise<void> {
  const tasks = [...active.tasks.values()].map(({ settings, taskRun }) => ({ settings, progress: taskRun.progress }));
  // By the settings, not by memory: an earlier engine may have made them.
  const keys = (active.run.settings.job_clusters ?? []).map((shared) => shared.job_cluster_key);
  const served = keys.filter((key) => !active.servedClusters.has(key) && (runIsOver || hasServed(key, tasks)));
  // A task that was stopped before it began may have one of its own, from an engine that was killed.
  const ownLeft = runIsOver && tasks.some(({ settings, progress }) => settings.new_cluster !== undefined && progress.state === 'SKIPPED');
  if (served.length === 0 && !ownLeft) return;
  const left = await c.clusters.ofRun(active.run.runId);
  const done = left.filter((cluster) => runIsOver || served.includes(cluster.key ?? ''));
  await c.clusters.terminated(done.map((cluster) => cluster.clusterId), 'JOB_FINISHED', c.clock.now());
  for (const key of served) active.servedClusters.add(key);
}

async function existing(c: Coordination, clusterId: string): Promise<ClusterInUse> {
  const cluster = await c.clusters.ensureAllPurpose(
    { clusterId, kind: 'ALL_PURPOSE', jobRunId: undefined, key: undefined, spec: {}, createdTime: c.clock.now() }, contextId(c),
  );
  // A notebook that another one runs works on the cluster that was made for that.
  return inUse(c, cluster, cluster.spec);
}

type Made = Extract<ClusterChoice, { kind: 'own' | 'shared' }>;

/** Which of the run's clusters it is. A key of job_clusters has no colon, so that the two never meet. */
function keyOf(choice: Made, task: ActiveTask): string {
  return choice.kind === 'shared' ? choice.key : `task:${task.taskRun.runId}`;
}

/** Makes the cluster, or finds the one that was made for the same purpose before this engine was started. */
async function ask(c: Coordination, active: ActiveRun, spec: NewCluster, key: string): Promise<AskedCluster> {
  const earlier = (await c.clusters.ofRun(active.run.runId)).find((cluster) => cluster.key === key);
  if (earlier?.state === 'RUNNING') return { cluster: await inUse(c, earlier, spec), started: undefined };
  const now = c.clock.now();
  const sparkContextId = contextId(c);
  const row: NewClusterRow = earlier ?? {
    clusterId: clusterIdAt(now, c.random(8)), kind: 'JOB', jobRunId: active.run.runId, key, spec: { ...spec }, createdTime: now,
  };
  const atOnce = earlier === undefined && c.clusterStartMs === 0;
  if (earlier === undefined && (await c.clusters.create(row, atOnce ? sparkContextId : undefined, active.run.fence)) === 'refused') throw new LetGo();
  const cluster = await inUse(c, { ...row, state: 'RUNNING', sparkContextId }, spec);
  const asked: AskedCluster = { cluster, started: undefined };
  if (atOnce) return asked;
  asked.started = startUp(c, active, asked, row.createdTime + c.clusterStartMs);
  // Whoever waits for it hears of a failure, but everybody may have been stopped by then.
  asked.started.catch(() => undefined);
  return asked;
}

/** Never resolves when the run is let go of before. */
async function startUp(c: Coordination, active: ActiveRun, asked: AskedCluster, until: number): Promise<void> {
  const { clusterId, sparkContextId } = asked.cluster;
  await new Promise<void>((resolve) => { atTime(active, c.clock, until, resolve); });
  await c.clusters.started(clusterId, sparkContextId, c.clock.now());
  asked.started = undefined;
}

/** The cluster once it has started; undefined when the task is stopped while it waits. */
async function whenStarted(
  c: Coordination, active: ActiveRun, task: ActiveTask, { cluster, started }: AskedCluster,
): Promise<ClusterInUse | undefined> {
  // The process of a task that runs is there, and may be over, whatever became of its cluster.
  if (started === undefined || task.taskRun.progress.state === 'RUNNING') return cluster;
  const stopped = new Promise<undefined>((resolve) => { task.interrupt = () => resolve(undefined); });
  if (task.taskRun.progress.state === 'PENDING') {
    const { clusterId } = cluster;
    await moveTask(c, active, task, 'prepare', { clusterId, message: `Waiting for cluster ${clusterId} to start` });
    armTimeout(c, active, task);
    armTaskWarning(c, active, task);
  }
  if (task.stopReason !== undefined) return undefined;
  const first = await Promise.race([started.then(() => cluster), stopped]);
  task.interrupt = undefined;
  return first;
}

async function inUse(c: Coordination, cluster: Cluster, spec: Partial<NewCluster>): Promise<ClusterInUse> {
  return {
    clusterId: cluster.clusterId,
    directory: await c.workplace.clusterDirectory(cluster.clusterId),
    environment: spec.spark_env_vars ?? {},
    sparkContextId: cluster.sparkContextId ?? contextId(c),
  };
}

/** 18 digits, as context ids look. */
function contextId(c: Coordination): string {
  return [...c.random(18)].map((character) => String(character.charCodeAt(0) % 10)).join('');
}
