/** The start of a cluster: request, result and state while it is under way. */
import type { Clock } from '../clock.ts';
import type { ClusterFault } from '../cluster/fault-injection.ts';
import type { ClusterStore, ComputePorts } from '../ports/clusters.ts';
import type { Log } from '../ports/log.ts';
import type { Failure } from '../run/explain/failure.ts';

export interface ClusterStartPorts {
  readonly clusters: ClusterStore;
  readonly compute: ComputePorts;
  readonly clock: Clock;
  readonly log: Log;
  /** Start-up time of a simulated cluster, in milliseconds. */
  readonly clusterStartMs: number;
}

export interface ClusterStartRequest {
  readonly clusterId: string;
  readonly sparkContextId: string;
  readonly directory: string;
  readonly environment: Readonly<Record<string, string>>;
  /** Epoch ms; the start-up time counts from here, or from when the cluster holds its nodes. */
  readonly requestedAt: number;
  /** An injected fault that makes the start fail. */
  readonly fault: ClusterFault | undefined;
}

/** End of a start. `failed`: the fault of the settings; `lost`: that of the service. */
export type ClusterStartResult =
  | { readonly kind: 'running' }
  | ClusterStartFailure
  /** This node no longer starts the cluster; another one resumes the start. */
  | Released;

export interface ClusterStartFailure {
  readonly kind: 'failed' | 'lost';
  readonly message: string;
  readonly failure?: Failure;
}

export interface Released {
  readonly kind: 'released';
}

export const released: Released = { kind: 'released' };

/** A start that is under way. */
export interface ClusterStart {
  readonly ended: Promise<ClusterStartResult>;
  /** Returns what the start waits for, and a promise of the next change. */
  phase(): { readonly message: string; readonly changed: Promise<void> };
  /** Ends the init script that runs: the cluster is no longer needed. */
  stop(): void;
}

export interface ClusterStartContext extends ClusterStartPorts {
  readonly setMessage: (message: string) => void;
  /** Aborted when this node no longer starts the cluster. */
  readonly release: AbortSignal;
  /** Aborted when the cluster is no longer needed. */
  readonly stop: AbortSignal;
}

/** Waits for a result, or until this node no longer starts the cluster. */
export async function untilReleased<Result>(
  release: AbortSignal,
  result: Promise<Result>,
): Promise<Result | Released> {
  const aborted = Promise.withResolvers<Released>();
  const onAbort = (): void => aborted.resolve(released);
  if (release.aborted) onAbort();
  release.addEventListener('abort', onAbort);
  try {
    const first = await Promise.race([aborted.promise, result]);
    return release.aborted ? released : first;
  } finally {
    release.removeEventListener('abort', onAbort);
  }
}
