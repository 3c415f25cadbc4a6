/** Start of a cluster: its nodes, its start-up time, then its init scripts (spec 2.8). */
import type { Cluster } from '../cluster/cluster.ts';
import { formatNodes, poolCapacityOf, poolTooSmallMessage, type Inventory } from '../cluster/inventory.ts';
import {
  terminationMessage,
  isUserError,
  type Termination,
  type TerminationCode,
} from '../cluster/termination.ts';
import { messageOf } from '../errors.ts';
import {
  released,
  untilReleased,
  type ClusterStart,
  type ClusterStartContext,
  type ClusterStartFailure,
  type ClusterStartPorts,
  type ClusterStartRequest,
  type ClusterStartResult,
  type Released,
} from './cluster-start.ts';
import { runInitScripts } from './init-scripts.ts';

/** Starts a stored cluster or resumes its start. After `release` is aborted nothing more is written. */
export function startCluster(
  c: ClusterStartPorts,
  request: ClusterStartRequest,
  release: AbortSignal,
): ClusterStart {
  const stopper = new AbortController();
  let message = `Waiting for cluster ${request.clusterId} to start`;
  let change = Promise.withResolvers<void>();
  const setMessage = (next: string): void => {
    if (next === message) return;
    message = next;
    change.resolve();
    change = Promise.withResolvers<void>();
  };
  const context: ClusterStartContext = { ...c, setMessage, release, stop: stopper.signal };
  const ended = runStart(context, request).catch((error: unknown) =>
    failStart(context, request, messageOf(error)),
  );
  return { ended, phase: () => ({ message, changed: change.promise }), stop: () => stopper.abort() };
}

/** Ends a start that threw, so that no task keeps waiting for it. */
async function failStart(
  c: ClusterStartContext,
  { clusterId }: ClusterStartRequest,
  error: string,
): Promise<ClusterStartResult> {
  if (c.release.aborted) return released;
  c.log.error({ cluster_id: clusterId, error }, 'The engine failed to start this cluster.');
  const message = `The engine failed to start it: ${error}`;
  return terminateUnstartable(c, clusterId, 'CLOUD_PROVIDER_LAUNCH_FAILURE', message).catch(() => ({
    kind: 'lost',
    message: `Cluster ${clusterId} could not start. ${message}`,
  }));
}

async function runStart(c: ClusterStartContext, request: ClusterStartRequest): Promise<ClusterStartResult> {
  const { clusterId } = request;
  const nodes = await waitForNodes(c, clusterId);
  if (nodes.kind !== 'held') return nodes;
  const { cluster } = nodes;
  const from = nodes.waited ? c.clock.now() : request.requestedAt;
  if ((await waitUntil(c, from + c.clusterStartMs)) === released) return released;
  if (request.fault !== undefined) {
    if ((await waitUntil(c, from + (request.fault.after_ms ?? 0))) === released) return released;
    return terminateUnstartable(
      c,
      clusterId,
      'CLOUD_PROVIDER_LAUNCH_FAILURE',
      'Its nodes could not be started (a fault that RUNYARD_FAULTS asks for).',
    );
  }
  const scripts = await runInitScripts(c, request, cluster);
  if (scripts?.kind === 'released') return scripts;
  if (scripts !== undefined)
    return terminateUnstartable(c, clusterId, 'INIT_SCRIPT_FAILURE', scripts.message, {
      instance_id: 'driver',
      script: scripts.script,
    });
  const isRunning = await c.clusters.markRunning(clusterId, request.sparkContextId, c.clock.now());
  return isRunning ? { kind: 'running' } : unavailableResult(clusterId, await c.clusters.find(clusterId));
}

/** Waits until the cluster holds its nodes: its pool may have none to spare. */
async function waitForNodes(
  c: ClusterStartContext,
  clusterId: string,
): Promise<
  | { readonly kind: 'held'; readonly cluster: Cluster; readonly waited: boolean }
  | ClusterStartFailure
  | Released
> {
  for (let waited = false; ; waited = true) {
    const changed = Promise.withResolvers<void>();
    const unsubscribe = c.compute.signals.subscribe(clusterId, changed.resolve);
    try {
      const cluster = await c.clusters.find(clusterId);
      if (cluster === undefined || cluster.state === 'TERMINATED')
        return unavailableResult(clusterId, cluster);
      const capacity = poolCapacityOf(cluster.poolId, c.compute.inventory);
      if (capacity === undefined || cluster.nodes >= cluster.wantedNodes)
        return { kind: 'held', cluster, waited };
      if (cluster.wantedNodes > capacity) {
        return await terminateUnstartable(
          c,
          clusterId,
          'INSTANCE_POOL_CLUSTER_FAILURE',
          poolTooSmallMessage(cluster.wantedNodes, cluster.poolId, capacity),
        );
      }
      c.setMessage(await describeWait(c, cluster));
      if ((await untilReleased(c.release, changed.promise)) === released) return released;
    } finally {
      unsubscribe();
    }
  }
}

/** Returns the message of a cluster that waits for nodes, with those that hold them. */
async function describeWait(c: ClusterStartContext, cluster: Cluster): Promise<string> {
  const message = clusterWaitMessage(cluster, c.compute.inventory);
  const others = (await c.clusters.listNodeHolders(cluster.poolId)).filter((name) => name !== cluster.name);
  if (others.length === 0) return message;
  const shown = others.slice(0, holdersMax).map(describeHolder);
  const more = others.length - shown.length;
  return `${message}, held by ${shown.join(', ')}${more === 0 ? '' : ` and ${more} more`}`;
}

/** Holders of nodes that a message names. */
const holdersMax = 3;

/** Clusters of runs are named after their task. */
function describeHolder(name: string): string {
  const [, runId, key] = /^job-\d+-run-(\d+)-(.*)$/s.exec(name) ?? [];
  return runId === undefined ? `cluster ${name}` : `task ${key} of run ${runId}`;
}

/** Returns the state_message of a task that waits for a cluster. */
export function clusterWaitMessage(
  { clusterId, nodes, wantedNodes, poolId }: Cluster,
  inventory: Inventory,
): string {
  const capacity = poolCapacityOf(poolId, inventory);
  return capacity === undefined || nodes >= wantedNodes
    ? `Waiting for cluster ${clusterId} to start`
    : `Cluster ${clusterId} waits for ${formatNodes(wantedNodes, poolId, capacity)}`;
}

/** Terminates a cluster that cannot start. A cluster that was terminated before keeps its reason. */
async function terminateUnstartable(
  c: ClusterStartContext,
  clusterId: string,
  code: TerminationCode,
  message: string,
  more: Readonly<Record<string, string>> = {},
): Promise<ClusterStartFailure> {
  const termination: Termination = { code, parameters: { message, ...more } };
  await c.clusters.terminate([clusterId], termination, c.clock.now());
  c.log.warn({ cluster_id: clusterId, code, reason: message }, 'A cluster could not start.');
  const cluster = await c.clusters.find(clusterId);
  if (cluster?.spec['cluster_log_conf'] !== undefined) await c.compute.provider.deliverLogs(clusterId);
  return unavailableResult(clusterId, cluster);
}

/** Returns why a cluster that was terminated or removed cannot be used. */
export function unavailableResult(clusterId: string, cluster: Cluster | undefined): ClusterStartFailure {
  const termination = cluster?.termination;
  if (termination === undefined) return { kind: 'lost', message: `Cluster ${clusterId} was removed.` };
  const message = terminationMessage(clusterId, termination);
  return {
    kind: isUserError(termination) ? 'failed' : 'lost',
    message,
    failure: { kind: 'cluster', code: termination.code, clusterId, message },
  };
}

async function waitUntil(c: ClusterStartContext, at: number): Promise<void | Released> {
  if (at <= c.clock.now()) return;
  const due = Promise.withResolvers<void>();
  const cancel = c.clock.runAt(at, due.resolve);
  const first = await untilReleased(c.release, due.promise);
  cancel();
  return first;
}
