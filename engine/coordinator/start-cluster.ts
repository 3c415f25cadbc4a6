/** Starting a cluster: its nodes, the time that it takes, its init scripts in their order (spec 2.8). */
import { canonicalUri, pick } from '../validation/aliases.ts';
import type { InitScriptInfo } from '../job/cluster.ts';
import type { Cluster } from '../cluster/cluster.ts';
import type { ClusterFault } from '../cluster/faults.ts';
import { capacityOf, nodesInWords, type Inventory } from '../cluster/inventory.ts';
import { endInWords, isUsersFault, type Termination, type TerminationCode } from '../cluster/termination.ts';
import type { ClusterStore, ComputePorts } from '../ports/clusters.ts';
import type { Clock } from '../clock.ts';
import { messageOf } from '../errors.ts';
import type { Log } from '../ports/engine.ts';
import { maskOfVariables, maskText } from '../run/masking.ts';

export interface StartPorts {
  readonly clusters: ClusterStore;
  readonly compute: ComputePorts;
  readonly clock: Clock;
  readonly log: Log;
  /** How long a simulated cluster takes to start, in milliseconds. */
  readonly clusterStartMs: number;
}

export interface Launch {
  readonly clusterId: string;
  readonly sparkContextId: string;
  readonly directory: string;
  readonly environment: Readonly<Record<string, string>>;
  /**
   * When it was asked for, epoch ms: the time that it takes counts from here, or from when it holds its
   * nodes.
   */
  readonly from: number;
  /** An injected fault that keeps it from starting. */
  readonly fault: ClusterFault | undefined;
}

/** How a start ended. `failed` is the fault of what was asked for, `lost` that of the service. */
export type Started =
  | { readonly kind: 'running' }
  | { readonly kind: 'failed' | 'lost'; readonly message: string };

type NotStarted = Exclude<Started, { kind: 'running' }>;

/** A cluster that is on its way. */
export interface Starting {
  readonly ended: Promise<Started>;
  /** What it waits for now, and when that changes. */
  phase(): { readonly message: string; readonly changed: Promise<void> };
  /** Ends what runs of it: the cluster is wanted no more. */
  stop(): void;
}

/**
 * Goes on with the start of a stored cluster from wherever it stands. When `letGo` is aborted nothing more is
 * written, and nothing resolves.
 */
export function startCluster(c: StartPorts, launch: Launch, letGo: AbortSignal): Starting {
  const stopper = new AbortController();
  let message = `Waiting for cluster ${launch.clusterId} to start`;
  let change = Promise.withResolvers<void>();
  const tell = (next: string): void => {
    if (next === message) return;
    message = next;
    change.resolve();
    change = Promise.withResolvers<void>();
  };
  const started: Start = { ...c, tell, letGo, stopped: stopper.signal };
  const ended = start(started, launch).catch((error: unknown) =>
    breakStart(started, launch, messageOf(error)),
  );
  return { ended, phase: () => ({ message, changed: change.promise }), stop: () => stopper.abort() };
}

/** Nobody is left waiting for a cluster that the engine could not start. */
async function breakStart(c: Start, { clusterId }: Launch, error: string): Promise<Started> {
  if (c.letGo.aborted) return never();
  c.log.error({ cluster_id: clusterId, error }, 'The engine failed to start this cluster.');
  const message = `The engine failed to start it: ${error}`;
  return fail(c, clusterId, 'CLOUD_PROVIDER_LAUNCH_FAILURE', message).catch(() => ({
    kind: 'lost',
    message: `Cluster ${clusterId} could not start. ${message}`,
  }));
}

interface Start extends StartPorts {
  readonly tell: (message: string) => void;
  readonly letGo: AbortSignal;
  readonly stopped: AbortSignal;
}

async function start(c: Start, launch: Launch): Promise<Started> {
  const { clusterId } = launch;
  const nodes = await withNodes(c, clusterId);
  if (nodes.kind !== 'held') return nodes;
  const { cluster } = nodes;
  const from = nodes.waited ? c.clock.now() : launch.from;
  await until(c, from + c.clusterStartMs);
  if (launch.fault !== undefined) {
    await until(c, from + (launch.fault.after_ms ?? 0));
    return fail(
      c,
      clusterId,
      'CLOUD_PROVIDER_LAUNCH_FAILURE',
      'Its nodes could not be started (a fault that RUNYARD_FAULTS asks for).',
    );
  }
  const broken = await runScripts(c, launch, cluster);
  if (broken !== undefined) return broken;
  const runs = await c.clusters.started(clusterId, launch.sparkContextId, c.clock.now());
  return runs ? { kind: 'running' } : goneOf(clusterId, await c.clusters.find(clusterId));
}

/** The cluster when it holds its nodes; waits for them if its pool has none to spare. */
async function withNodes(
  c: Start,
  clusterId: string,
): Promise<{ readonly kind: 'held'; readonly cluster: Cluster; readonly waited: boolean } | NotStarted> {
  for (let waited = false; ; waited = true) {
    const heard = Promise.withResolvers<void>();
    const off = c.compute.signals.on(clusterId, heard.resolve);
    c.letGo.addEventListener('abort', off);
    try {
      const cluster = await c.clusters.find(clusterId);
      if (cluster === undefined || cluster.state === 'TERMINATED') return goneOf(clusterId, cluster);
      const capacity = capacityOf(cluster.poolId, c.compute.inventory);
      if (capacity === undefined || cluster.nodes >= cluster.wanted) return { kind: 'held', cluster, waited };
      if (cluster.wanted > capacity) {
        const nodes = nodesInWords(cluster.wanted, cluster.poolId, capacity);
        return await fail(
          c,
          clusterId,
          'INSTANCE_POOL_CLUSTER_FAILURE',
          `It needs ${nodes}: that can never be.`,
        );
      }
      c.tell(waitingFor(cluster, c.compute.inventory));
      await held(c, heard.promise);
    } finally {
      off();
      c.letGo.removeEventListener('abort', off);
    }
  }
}

/** What a cluster that does not run yet waits for. */
export function waitingFor({ clusterId, nodes, wanted, poolId }: Cluster, inventory: Inventory): string {
  const capacity = capacityOf(poolId, inventory);
  return capacity === undefined || nodes >= wanted
    ? `Waiting for cluster ${clusterId} to start`
    : `Cluster ${clusterId} waits for ${nodesInWords(wanted, poolId, capacity)}`;
}

async function runScripts(
  c: Start,
  launch: Launch,
  { spec, ticket, workers }: Cluster,
): Promise<NotStarted | undefined> {
  const { clusterId, directory, environment } = launch;
  const scripts = scriptsOf(spec['init_scripts']);
  if (scripts.length === 0) return undefined;
  await c.clusters.note(clusterId, 'INIT_SCRIPTS_STARTED', { target_num_workers: workers }, c.clock.now());
  for (const [index, source] of scripts.entries()) {
    const which = `Init script ${source} (${index + 1} of ${scripts.length})`;
    c.tell(`Cluster ${clusterId} runs its init script ${index + 1} of ${scripts.length}: ${source}`);
    const wrong = await runOne(
      c,
      { clusterId, directory, launch: ticket, number: index + 1, source, environment },
      which,
    );
    if (c.letGo.aborted) return never();
    if (wrong !== undefined)
      return fail(c, clusterId, 'INIT_SCRIPT_FAILURE', wrong, { instance_id: 'driver', script: source });
  }
  await c.clusters.note(clusterId, 'INIT_SCRIPTS_FINISHED', { target_num_workers: workers }, c.clock.now());
  return undefined;
}

/** Undefined when the script succeeded, else what was wrong with it. */
async function runOne(
  c: Start,
  order: Parameters<ComputePorts['provider']['runScript']>[0],
  which: string,
): Promise<string | undefined> {
  if (c.stopped.aborted) return `${which} was not started: the cluster was ended before.`;
  const seconds = c.compute.inventory.initScriptSeconds;
  let late = false;
  const script = c.compute.provider.runScript(order);
  const disarm = c.clock.at(c.clock.now() + seconds * 1_000, () => {
    late = true;
    script.stop();
  });
  // Somebody may end the cluster while its script runs.
  const off = c.compute.signals.on(order.clusterId, () => void stopIfEnded(c, order.clusterId, script.stop));
  c.stopped.addEventListener('abort', script.stop);
  const over = (): void => {
    disarm();
    off();
  };
  c.letGo.addEventListener('abort', over);
  try {
    const outcome = await held(c, script.outcome);
    if (late) return `${which} ran longer than ${seconds} seconds and was stopped.`;
    switch (outcome.kind) {
      case 'exited':
        return outcome.code === 0
          ? undefined
          : `${which} ended with exit code ${outcome.code}${outcome.lastWords === '' ? '.' : `: ${maskText(maskOfVariables([order.environment]), outcome.lastWords)}`}`;
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
    c.letGo.removeEventListener('abort', over);
  }
}

async function stopIfEnded(c: Start, clusterId: string, stop: () => void): Promise<void> {
  const cluster = await c.clusters.find(clusterId).catch(() => 'unknown' as const);
  if (cluster !== 'unknown' && cluster?.state !== 'PENDING') stop();
}

/** Where the scripts stand, each with the scheme of its store. */
function scriptsOf(scripts: unknown): string[] {
  if (!Array.isArray(scripts)) return [];
  return scripts.map((script: InitScriptInfo) => {
    if (script.workspace !== undefined) return script.workspace.destination;
    const managed = pick(script, 'managed_fs')?.destination;
    if (managed === undefined) return pick(script, 'objstore')?.destination ?? '';
    return canonicalUri(managed).startsWith('managed_fs:') ? managed : `managed_fs:${managed}`;
  });
}

/** Ends a cluster that cannot start. One that was ended meanwhile keeps the reason that it has. */
async function fail(
  c: Start,
  clusterId: string,
  code: TerminationCode,
  message: string,
  more: Readonly<Record<string, string>> = {},
): Promise<NotStarted> {
  const termination: Termination = { code, parameters: { message, ...more } };
  await c.clusters.terminated([clusterId], termination, c.clock.now());
  c.log.warn({ cluster_id: clusterId, code, reason: message }, 'A cluster could not start.');
  const cluster = await c.clusters.find(clusterId);
  if (cluster?.spec['cluster_log_conf'] !== undefined) await c.compute.provider.deliverLogs(clusterId);
  return goneOf(clusterId, cluster);
}

/** What whoever waited for a cluster is told when it is there no more. */
export function goneOf(clusterId: string, cluster: Cluster | undefined): NotStarted {
  const termination = cluster?.termination;
  if (termination === undefined) return { kind: 'lost', message: `Cluster ${clusterId} was removed.` };
  return { kind: isUsersFault(termination) ? 'failed' : 'lost', message: endInWords(clusterId, termination) };
}

async function until(c: Start, at: number): Promise<void> {
  if (at <= c.clock.now()) return;
  await held(
    c,
    new Promise<void>((resolve) => {
      const cancel = c.clock.at(at, resolve);
      c.letGo.addEventListener('abort', cancel);
    }),
  );
}

/** What is waited for, unless the cluster is let go of before: then nothing follows. */
async function held<Result>(c: Start, what: Promise<Result>): Promise<Result> {
  const result = await what;
  return c.letGo.aborted ? never() : result;
}

function never(): Promise<never> {
  return new Promise(() => undefined);
}
