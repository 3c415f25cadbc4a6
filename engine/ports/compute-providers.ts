/** Compute providers: what the programs of a cluster compute on. Types only; runners/ implements them. */
import type { ClusterCompute, ComputeProviderName } from '../cluster/compute.ts';
import type { LibraryPaths } from '../cluster/libraries.ts';
import type { NodeType } from '../cluster/node-types.ts';
import type { SparkCluster } from '../run/assignment.ts';

/** A task that is about to start on a cluster, or that runs there already. */
export interface ComputeRequest {
  readonly clusterId: string;
  /** Name of the cluster, shown as the name of its Spark application. */
  readonly name: string;
  /** Directory of the cluster. */
  readonly directory: string;
  readonly compute: ClusterCompute;
  /** `spark_env_vars` and variables of the cluster itself. */
  readonly environment: Readonly<Record<string, string>>;
  readonly nodeType: NodeType | undefined;
  /** Nodes beside the driver; undefined for a cluster that was allocated on its first use. */
  readonly workers: number | undefined;
  readonly libraries: LibraryPaths;
  /** Settings field of the task, and its value as written. */
  readonly kind: string;
  readonly task: unknown;
  /** True for a task that runs: nothing is installed or started for it. */
  readonly isRunning: boolean;
  /** Aborted when the task is stopped before it begins. */
  readonly signal: AbortSignal;
  /** Shows what the task waits for. */
  readonly onProgress: (message: string) => Promise<void>;
}

export type ComputeResult =
  | {
      readonly kind: 'ready';
      /** Undefined without Spark. */
      readonly spark: SparkCluster | undefined;
    }
  /** The task cannot compute there; `message` says why and what to do. */
  | { readonly kind: 'failed'; readonly message: string }
  | { readonly kind: 'stopped' };

/** Prepares what the programs of a cluster compute on, and ends it with the cluster. */
export interface ComputeProvider {
  /** Prepares the cluster for a task. Concurrent calls for one cluster share the work. */
  prepare(request: ComputeRequest): Promise<ComputeResult>;
  /** Ends the processes of a cluster that was terminated. Idempotent; never rejects. */
  endCluster(clusterId: string): Promise<void>;
  /** Lists the clusters that have processes of this provider on this machine. */
  listClusters(): Promise<readonly string[]>;
}

export type ComputeProviders = Readonly<Record<ComputeProviderName, ComputeProvider>>;
