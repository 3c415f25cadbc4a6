/** Starting a cluster: its nodes, the time that it takes, its init scripts in their order (spec 2.8). */
import { canonicalUri, readAliased } from '../validation/aliases.ts';
import type { InitScriptInfo } from '../job/cluster.ts';
import type { Cluster } from '../cluster/cluster.ts';
import type { ClusterFault } from '../cluster/fault-injection.ts';
import { poolCapacityOf, formatNodes, type Inventory } from '../cluster/inventory.ts';
import {
  terminationMessage,
  isUserError,
  type Termination,
  type TerminationCode,
} from '../cluster/termination.ts';
import type { ClusterStore, ComputePorts } from '../ports/clusters.ts';
import type { Clock } from '../clock.ts';
import { messageOf } from '../errors.ts';
import type { Log } from '../ports/log.ts';
import { maskOfVariables, maskText } from '../run/masking.ts';

export interface ClusterStartPorts {
  readonly clusters: ClusterStore;
  readonly compute: ComputePorts;
  readonly clock: Clock;
  readonly log: Log;
  /** How long a simulated cluster takes to start, in milliseconds. */
  readonly clusterStartMs: number;
}

export interface ClusterStartRequest {
  readonly clusterId: string;
  readonly sparkContextId: string;
  readonly directory: string;
  readonly environment: Readonly<Record<string, string>>;
  /**
   * When it was asked for, epoch ms: the time that it takes counts from here, or from when it holds its
   * nodes.
   */
  readonly requestedAt: number;
  /** An injected fault that keeps it from starting. */
  readonly fault: ClusterFault | undefined;
}

/** How a start ended. `failed` is the fault of what was asked for, `lost` that of the service. */
export type ClusterStartResult =
  | { readonly kind: 'running' }
  | { readonly kind: 'failed' | 'lost'; readonly message: string };

type ClusterStartFailure = Exclude<ClusterStartResult, { kind: 'running' }>;

/** A cluster that is on its way. */
export interface ClusterStart {
  readonly ended: Promise<ClusterStartResult>;
  /** What it waits for now, and when that changes. */
  phase(): { readonly message: string; readonly changed: Promise<void> };
  /** Ends what runs of it: the cluster is wanted no more. */
  stop(): void;
}

/**
 * Goes on with the start of a stored cluster from wherever it stands. When `letGo` is aborted nothing more is
 * written, and nothing resolves.
 */
export function startCluster(
  c: ClusterStartPorts,
  launch: ClusterStartRequest,
  letGo: AbortSignal,
): ClusterStart {
  const stopper = new AbortController();
  let message = `Waiting for cluster ${launch.clusterId} to start`;
  let change = Promise.withResolvers<void>();
  const tell = (next: string): void => {
    if (next === message) return;
    message = next;
    change.resolve();
    change = Promise.withResolvers<void>();
  };
  const started: ClusterStartContext = { ...c, setMessage: tell, released: letGo, stopped: stopper.signal };
  const ended = runStart(started, launch).catch((error: unknown) =>
    failStart(started, launch, messageOf(error)),
  );
  return { ended, phase: () => ({ message, changed: change.promise }), stop: () => stopper.abort() };
}

/** Nobody is left waiting for a cluster that the engine could not start. */
async function failStart(
  c: ClusterStartContext,
  { clusterId }: ClusterStartRequest,
  error: string,
): Promise<ClusterStartResult> {
  if (c.released.aborted) return never();
  c.log.error({ cluster_id: clusterId, error }, 'The engine failed to start this cluster.');
  const message = `The engine failed to start it: ${error}`;
  return terminateUnstartable(c, clusterId, 'CLOUD_PROVIDER_LAUNCH_FAILURE', message).catch(() => ({
    kind: 'lost',
    message: `Cluster ${clusterId} could not start. ${message}`,
  }));
}

interface ClusterStartContext extends ClusterStartPorts {
  readonly setMessage: (message: string) => void;
  readonly released: AbortSignal;
  readonly stopped: AbortSignal;
}

async function runStart(c: ClusterStartContext, launch: ClusterStartRequest): Promise<ClusterStartResult> {
  const { clusterId } = launch;
  const nodes = await waitForNodes(c, clusterId);
  if (nodes.kind !== 'held') return nodes;
  const { cluster } = nodes;
  const from = nodes.waited ? c.clock.now() : launch.requestedAt;
  await waitUntil(c, from + c.clusterStartMs);
  if (launch.fault !== undefined) {
    await waitUntil(c, from + (launch.fault.after_ms ?? 0));
    return terminateUnstartable(
      c,
      clusterId,
      'CLOUD_PROVIDER_LAUNCH_FAILURE',
      'Its nodes could not be started (a fault that RUNYARD_FAULTS asks for).',
    );
  }
  const broken = await runInitScripts(c, launch, cluster);
  if (broken !== undefined) return broken;
  const runs = await c.clusters.markRunning(clusterId, launch.sparkContextId, c.clock.now());
  return runs ? { kind: 'running' } : unavailableResult(clusterId, await c.clusters.find(clusterId));
}

/** The cluster when it holds its nodes; waits for them if its pool has none to spare. */
async function waitForNodes(
  c: ClusterStartContext,
  clusterId: string,
): Promise<
  { readonly kind: 'held'; readonly cluster: Cluster; readonly waited: boolean } | ClusterStartFailure
> {
  for (let waited = false; ; waited = true) {
    const heard = Promise.withResolvers<void>();
    const off = c.compute.signals.subscribe(clusterId, heard.resolve);
    c.released.addEventListener('abort', off);
    try {
      const cluster = await c.clusters.find(clusterId);
      if (cluster === undefined || cluster.state === 'TERMINATED')
        return unavailableResult(clusterId, cluster);
      const capacity = poolCapacityOf(cluster.poolId, c.compute.inventory);
      if (capacity === undefined || cluster.nodes >= cluster.wantedNodes)
        return { kind: 'held', cluster, waited };
      if (cluster.wantedNodes > capacity) {
        const nodes = formatNodes(cluster.wantedNodes, cluster.poolId, capacity);
        return await terminateUnstartable(
          c,
          clusterId,
          'INSTANCE_POOL_CLUSTER_FAILURE',
          `It needs ${nodes}: that can never be.`,
        );
      }
      c.setMessage(clusterWaitMessage(cluster, c.compute.inventory));
      await unlessReleased(c, heard.promise);
    } finally {
      off();
      c.released.removeEventListener('abort', off);
    }
  }
}

/** What a cluster that does not run yet waits for. */
export function clusterWaitMessage(
  { clusterId, nodes, wantedNodes, poolId }: Cluster,
  inventory: Inventory,
): string {
  const capacity = poolCapacityOf(poolId, inventory);
  return capacity === undefined || nodes >= wantedNodes
    ? `Waiting for cluster ${clusterId} to start`
    : `Cluster ${clusterId} waits for ${formatNodes(wantedNodes, poolId, capacity)}`;
}

async function runInitScripts(
  c: ClusterStartContext,
  launch: ClusterStartRequest,
  { spec, generation, workers }: Cluster,
): Promise<ClusterStartFailure | undefined> {
  const { clusterId, directory, environment } = launch;
  const scripts = initScriptsOf(spec['init_scripts']);
  if (scripts.length === 0) return undefined;
  await c.clusters.recordEvent(
    clusterId,
    'INIT_SCRIPTS_STARTED',
    { target_num_workers: workers },
    c.clock.now(),
  );
  for (const [index, source] of scripts.entries()) {
    const which = `Init script ${source} (${index + 1} of ${scripts.length})`;
    c.setMessage(`Cluster ${clusterId} runs its init script ${index + 1} of ${scripts.length}: ${source}`);
    const wrong = await runInitScript(
      c,
      { clusterId, directory, generation, position: index + 1, source, environment },
      which,
    );
    if (c.released.aborted) return never();
    if (wrong !== undefined)
      return terminateUnstartable(c, clusterId, 'INIT_SCRIPT_FAILURE', wrong, {
        instance_id: 'driver',
        script: source,
      });
  }
  await c.clusters.recordEvent(
    clusterId,
    'INIT_SCRIPTS_FINISHED',
    { target_num_workers: workers },
    c.clock.now(),
  );
  return undefined;
}

/** Undefined when the script succeeded, else what was wrong with it. */
async function runInitScript(
  c: ClusterStartContext,
  order: Parameters<ComputePorts['provider']['runScript']>[0],
  which: string,
): Promise<string | undefined> {
  if (c.stopped.aborted) return `${which} was not started: the cluster was ended before.`;
  const seconds = c.compute.inventory.initScriptSeconds;
  let late = false;
  const script = c.compute.provider.runScript(order);
  const disarm = c.clock.runAt(c.clock.now() + seconds * 1_000, () => {
    late = true;
    script.stop();
  });
  // Somebody may end the cluster while its script runs.
  const off = c.compute.signals.subscribe(
    order.clusterId,
    () => void stopIfEnded(c, order.clusterId, script.stop),
  );
  c.stopped.addEventListener('abort', script.stop);
  const over = (): void => {
    disarm();
    off();
  };
  c.released.addEventListener('abort', over);
  try {
    const outcome = await unlessReleased(c, script.outcome);
    if (late) return `${which} ran longer than ${seconds} seconds and was stopped.`;
    switch (outcome.kind) {
      case 'exited':
        return outcome.code === 0
          ? undefined
          : `${which} ended with exit code ${outcome.code}${outcome.outputTail === '' ? '.' : `: ${maskText(maskOfVariables([order.environment]), outcome.outputTail)}`}`;
      case 'impossible':
        return `${which} could not be run: ${outcome.message}`;
      case 'stopped':
        return `${which} was stopped.`;
      default:
        return outcome satisfies never;
    }
  } finally {
    over();
    c.stopped.removeEventListener('abort', script.stop);
    c.released.removeEventListener('abort', over);
  }
}

async function stopIfEnded(c: ClusterStartContext, clusterId: string, stop: () => void): Promise<void> {
  const cluster = await c.clusters.find(clusterId).catch(() => 'unknown' as const);
  if (cluster !== 'unknown' && cluster?.state !== 'PENDING') stop();
}

/** Where the scripts stand, each with the scheme of its store. */
function initScriptsOf(scripts: unknown): string[] {
  if (!Array.isArray(scripts)) return [];
  return scripts.map((script: InitScriptInfo) => {
    if (script.workspace !== undefined) return script.workspace.destination;
    const managed = readAliased(script, 'managed_fs')?.destination;
    if (managed === undefined) return readAliased(script, 'objstore')?.destination ?? '';
    return canonicalUri(managed).startsWith('managed_fs:') ? managed : `managed_fs:${managed}`;
  });
}

/** Ends a cluster that cannot start. One that was ended meanwhile keeps the reason that it has. */
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

/** What whoever waited for a cluster is told when it is there no more. */
export function unavailableResult(clusterId: string, cluster: Cluster | undefined): ClusterStartFailure {
  const termination = cluster?.termination;
  if (termination === undefined) return { kind: 'lost', message: `Cluster ${clusterId} was removed.` };
  return {
    kind: isUserError(termination) ? 'failed' : 'lost',
    message: terminationMessage(clusterId, termination),
  };
}

async function waitUntil(c: ClusterStartContext, at: number): Promise<void> {
  if (at <= c.clock.now()) return;
  await unlessReleased(
    c,
    new Promise<void>((resolve) => {
      const cancel = c.clock.runAt(at, resolve);
      c.released.addEventListener('abort', cancel);
    }),
  );
}

/** What is waited for, unless the cluster is let go of before: then nothing follows. */
async function unlessReleased<Result>(c: ClusterStartContext, what: Promise<Result>): Promise<Result> {
  const result = await what;
  return c.released.aborted ? never() : result;
}

function never(): Promise<never> {
  return new Promise(() => undefined);
}
