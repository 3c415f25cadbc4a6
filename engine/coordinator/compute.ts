/** Getting a cluster for a task and giving it back (spec 2.4, DESIGN section 6). */
import { clusterIdAt, type Cluster } from '../cluster/cluster.ts';
import { clusterChoice, hasServed, type ClusterChoice } from '../cluster/life.ts';
import type { NewCluster } from '../job/cluster.ts';
import type { ActiveRun, ActiveTask, ClusterInUse } from './active-run.ts';
import type { Coordination } from './coordination.ts';
import { moveTask } from './write.ts';

/** The cluster of a task, running; undefined for work that needs none, and when the task was stopped meanwhile. */
export async function acquireCluster(c: Coordination, active: ActiveRun, task: ActiveTask): Promise<ClusterInUse | undefined> {
  const choice = clusterChoice(task.settings, active.run.settings);
  switch (choice.kind) {
    case 'none':
      return undefined;
    case 'existing':
      return existing(c, choice.clusterId);
    case 'own':
      return launched(c, active, task, choice);
    case 'shared': {
      const shared = active.sharedClusters.get(choice.key) ?? launched(c, active, task, choice);
      active.sharedClusters.set(choice.key, shared);
      // One that could not start is replaced for the next task.
      shared.catch(() => active.sharedClusters.delete(choice.key));
      return shared;
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
  const served = [...active.sharedClusters.keys()].filter((key) => runIsOver || hasServed(key, tasks));
  if (served.length === 0) return;
  const left = await c.clusters.ofRun(active.run.runId);
  const done = left.filter((cluster) => runIsOver || served.includes(cluster.key ?? ''));
  await c.clusters.terminated(done.map((cluster) => cluster.clusterId), 'JOB_FINISHED', c.clock.now());
  for (const key of served) active.sharedClusters.delete(key);
}

async function existing(c: Coordination, clusterId: string): Promise<ClusterInUse> {
  const cluster = await c.clusters.ensureAllPurpose(
    { clusterId, kind: 'ALL_PURPOSE', jobRunId: undefined, key: undefined, spec: {}, createdTime: c.clock.now() }, contextId(c),
  );
  return inUse(c, cluster, {});
}

type Made = Extract<ClusterChoice, { kind: 'own' | 'shared' }>;

/** Which of the run's clusters it is. A key of job_clusters has no colon, so that the two never meet. */
function keyOf(choice: Made, task: ActiveTask): string {
  return choice.kind === 'shared' ? choice.key : `task:${task.taskRun.runId}`;
}

/** Makes the cluster, or finds the one that was made for the same purpose before this engine was started. */
async function launched(c: Coordination, active: ActiveRun, task: ActiveTask, choice: Made): Promise<ClusterInUse> {
  const key = keyOf(choice, task);
  const earlier = (await c.clusters.ofRun(active.run.runId)).find((cluster) => cluster.key === key);
  if (earlier?.state === 'RUNNING') return inUse(c, earlier, choice.spec);
  const now = c.clock.now();
  const sparkContextId = contextId(c);
  const row = earlier ?? {
    clusterId: clusterIdAt(now, c.random(8)), kind: 'JOB' as const, jobRunId: active.run.runId, key,
    spec: { ...choice.spec }, createdTime: now,
  };
  const atOnce = c.clusterStartMs === 0;
  if (earlier === undefined) await c.clusters.create(row, atOnce ? sparkContextId : undefined);
  if (earlier !== undefined || !atOnce) {
    if (task.taskRun.progress.state === 'PENDING') {
      await moveTask(c, active, task, 'prepare', { clusterId: row.clusterId, message: `Waiting for cluster ${row.clusterId} to start` });
    }
    await startUp(c, task, row.createdTime + c.clusterStartMs);
    await c.clusters.started(row.clusterId, sparkContextId, c.clock.now());
  }
  return inUse(c, { ...row, state: 'RUNNING', sparkContextId }, choice.spec);
}

function startUp(c: Coordination, task: ActiveTask, until: number): Promise<void> {
  return new Promise((resolve) => {
    const done = (): void => {
      cancel();
      task.interrupt = undefined;
      resolve();
    };
    const cancel = c.clock.at(until, done);
    task.interrupt = done;
    if (task.stopReason !== undefined) done();
  });
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
