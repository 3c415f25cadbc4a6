/** Init scripts of a cluster, run in their order (spec 2.8). */
import type { Cluster } from '../cluster/cluster.ts';
import type { InitScriptInfo } from '../job/cluster.ts';
import type { ComputePorts } from '../ports/clusters.ts';
import { maskOfVariables, maskText } from '../run/masking.ts';
import { canonicalUri, readAliased } from '../validation/aliases.ts';
import {
  released,
  untilReleased,
  type ClusterStartContext,
  type ClusterStartRequest,
  type Released,
} from './cluster-start.ts';

/** A script that keeps the cluster from starting. */
export interface InitScriptFailure {
  readonly kind: 'failed';
  readonly script: string;
  readonly message: string;
}

/** Runs the init scripts of a cluster; returns the failure of the first that does not succeed. */
export async function runInitScripts(
  c: ClusterStartContext,
  { clusterId, directory, environment }: ClusterStartRequest,
  { spec, generation, workers }: Cluster,
): Promise<InitScriptFailure | Released | undefined> {
  const scripts = initScriptsOf(spec['init_scripts']);
  if (scripts.length === 0) return undefined;
  const details = { target_num_workers: workers };
  await c.clusters.recordEvent(clusterId, 'INIT_SCRIPTS_STARTED', details, c.clock.now());
  for (const [index, source] of scripts.entries()) {
    const position = index + 1;
    const name = `Init script ${source} (${position} of ${scripts.length})`;
    c.setMessage(`Cluster ${clusterId} runs its init script ${position} of ${scripts.length}: ${source}`);
    const request = { clusterId, directory, generation, position, source, environment };
    const problem = await runInitScript(c, request, name);
    if (c.release.aborted || problem === released) return released;
    if (typeof problem === 'string') return { kind: 'failed', script: source, message: problem };
  }
  await c.clusters.recordEvent(clusterId, 'INIT_SCRIPTS_FINISHED', details, c.clock.now());
  return undefined;
}

type ScriptRequest = Parameters<ComputePorts['provider']['runScript']>[0];

/** Runs one script; returns why it failed, or undefined when it succeeded. */
async function runInitScript(
  c: ClusterStartContext,
  request: ScriptRequest,
  name: string,
): Promise<string | Released | undefined> {
  if (c.stop.aborted) return `${name} was not started: the cluster was ended before.`;
  const seconds = c.compute.inventory.initScriptSeconds;
  let timedOut = false;
  const script = c.compute.provider.runScript(request);
  const cancelTimeout = c.clock.runAt(c.clock.now() + seconds * 1_000, () => {
    timedOut = true;
    script.stop();
  });
  // The cluster may be terminated while its script runs.
  const unsubscribe = c.compute.signals.subscribe(
    request.clusterId,
    () => void stopIfEnded(c, request.clusterId, script.stop),
  );
  c.stop.addEventListener('abort', script.stop);
  try {
    const outcome = await untilReleased(c.release, script.outcome);
    if (outcome.kind === 'released') return released;
    if (timedOut) return `${name} ran longer than ${seconds} seconds and was stopped.`;
    switch (outcome.kind) {
      case 'exited': {
        if (outcome.code === 0) return undefined;
        const output = maskText(maskOfVariables([request.environment]), outcome.outputTail);
        return `${name} ended with exit code ${outcome.code}${output === '' ? '.' : `: ${output}`}`;
      }
      case 'impossible':
        return `${name} could not be run: ${outcome.message}`;
      case 'stopped':
        return `${name} was stopped.`;
      default:
        return outcome satisfies never;
    }
  } finally {
    cancelTimeout();
    unsubscribe();
    c.stop.removeEventListener('abort', script.stop);
  }
}

async function stopIfEnded(
  { clusters }: Pick<ClusterStartContext, 'clusters'>,
  clusterId: string,
  stop: () => void,
): Promise<void> {
  const cluster = await clusters.find(clusterId).catch(() => 'unknown' as const);
  if (cluster !== 'unknown' && cluster?.state !== 'PENDING') stop();
}

/** Returns the locations of the scripts, each with the scheme of its store. */
function initScriptsOf(scripts: unknown): string[] {
  if (!Array.isArray(scripts)) return [];
  return scripts.map((script: InitScriptInfo) => {
    if (script.workspace !== undefined) return script.workspace.destination;
    const managed = readAliased(script, 'managed_fs')?.destination;
    if (managed === undefined) return readAliased(script, 'objstore')?.destination ?? '';
    return canonicalUri(managed).startsWith('managed_fs:') ? managed : `managed_fs:${managed}`;
  });
}
