/** Clusters: their rows, nodes, processes and signals. Types only; storage/ and runners/ implement them. */
import type { Cluster, ClusterKind, NewClusterRow } from '../cluster/cluster.ts';
import type {
  ClusterEvent,
  ClusterEventDetails,
  ClusterEventFilterType,
  ClusterEventType,
} from '../cluster/events.ts';
import type { ClusterFaults } from '../cluster/fault-injection.ts';
import type { Inventory } from '../cluster/inventory.ts';
import type { Termination } from '../cluster/termination.ts';
import type { NewCluster } from '../job/cluster.ts';
import type { ComputeProviders } from './compute-providers.ts';

export interface ClusterStore {
  /**
   * Creates the cluster of a run. `refused`: the run is over, or another node drives it under a newer fence.
   * @param running id of the Spark context of a cluster that is RUNNING at once; undefined for a cluster that
   * is PENDING until its pool has enough free nodes
   */
  create(cluster: NewClusterRow, running: string | undefined, fence: number): Promise<'created' | 'refused'>;
  find(clusterId: string): Promise<Cluster | undefined>;
  /** Lists the clusters that hold nodes of a pool, with the names that users know. */
  listNodeHolders(poolId: string): Promise<string[]>;
  /** Lists the clusters created for a run that are not terminated. */
  listByRun(jobRunId: number): Promise<Cluster[]>;
  /** PENDING -> RUNNING; false when the cluster was terminated meanwhile. */
  markRunning(clusterId: string, sparkContextId: string, now: number): Promise<boolean>;
  /**
   * Terminates clusters and allocates their nodes to waiting clusters; terminated clusters stay unchanged.
   * Signals the users of a cluster unless its termination is a success. `lost`: the nodes were lost first.
   */
  terminate(
    clusterIds: readonly string[],
    termination: Termination,
    now: number,
    lost?: 'lost',
  ): Promise<void>;
  /** Returns the all-purpose cluster with this id; creates it allocated and RUNNING if it is unknown. */
  ensureAllPurpose(cluster: NewClusterRow, sparkContextId: string): Promise<Cluster>;
  /** Records an event of a cluster unless its latest event has the same type and details. */
  recordEvent(
    clusterId: string,
    type: ClusterEventType,
    details: ClusterEventDetails,
    now: number,
  ): Promise<void>;
  /**
   * Scales a running cluster with autoscaling to the number of workers that its tasks need; nodes are
   * allocated when the pool has free ones.
   */
  rescale(clusterId: string, now: number): Promise<void>;
  /**
   * Removes workers from a running cluster, which gets new ones later; returns the number of removed ones.
   */
  preempt(clusterId: string, workers: number, now: number): Promise<number>;
  /** Records the last use of an all-purpose cluster. */
  recordUse(clusterId: string, now: number): Promise<void>;
}

/** Request to start an all-purpose cluster. */
export interface StartRequest {
  readonly clusterId: string;
  /** The engine node that starts the cluster. */
  readonly nodeId: string;
  readonly now: number;
  /** User who asked for it; undefined for a task. */
  readonly user: string | undefined;
  /** Undefined: the policy of the cluster does not limit the clusters of a user. */
  readonly quota?: ClusterQuota | undefined;
}

/** Maximum of active all-purpose clusters with a policy that one user created. */
export interface ClusterQuota {
  readonly policyId: string;
  readonly creator: string;
  readonly maximum: number;
}

/** Store of all-purpose clusters, which users create and terminate. */
export interface AllPurposeStore {
  /**
   * Creates a PENDING cluster that the given node starts.
   * @throws ServiceError QUOTA_EXCEEDED
   */
  createAllPurpose(cluster: NewClusterRow, nodeId: string, quota?: ClusterQuota): Promise<void>;
  /**
   * TERMINATED -> PENDING, without nodes; false when the cluster is not TERMINATED.
   * @throws ServiceError QUOTA_EXCEEDED
   */
  start(request: StartRequest): Promise<boolean>;
  /** RUNNING -> PENDING, without nodes; signals the users of the cluster. False when it is not RUNNING. */
  restart(request: StartRequest): Promise<boolean>;
  /**
   * Replaces the description of a cluster. `restarting`: the cluster was RUNNING and is PENDING now. `refused`:
   * it is PENDING.
   */
  edit(
    change: Pick<NewClusterRow, 'name' | 'spec' | 'poolId' | 'workers'>,
    request: StartRequest,
  ): Promise<'edited' | 'restarting' | 'refused'>;
  /** Pins a cluster, so that retention keeps it, or unpins it. */
  setPinned(clusterId: string, pinned: boolean, now: number, user: string): Promise<void>;
  /** Resizes a running cluster; false when it is not RUNNING. */
  resize(
    clusterId: string,
    size: Pick<NewCluster, 'num_workers' | 'autoscale'>,
    now: number,
    user: string,
  ): Promise<boolean>;
  /** Adopts PENDING clusters whose starting node has no lease. */
  adoptStarts(nodeId: string, now: number): Promise<Cluster[]>;
  /**
   * Allocates free nodes to waiting clusters. A new configuration may have enlarged a pool.
   * @param pools `changed`: clusters may wait although no pool has a capacity any more
   */
  allocateFreeNodes(now: number, pools?: 'changed'): Promise<void>;
  /** Lists the ids of running clusters whose idle time is over. */
  listIdle(now: number): Promise<string[]>;
  /** Removes a terminated cluster and its events. */
  remove(clusterId: string): Promise<void>;
}

/** Filter of a list of cluster events. */
export interface ClusterEventFilter {
  readonly clusterId: string;
  /** Epoch ms, both inclusive. */
  readonly from: number | undefined;
  readonly to: number | undefined;
  /** Undefined or empty: events of all types. */
  readonly types: readonly ClusterEventFilterType[] | undefined;
  readonly newestFirst: boolean;
  readonly offset: number;
  readonly limit: number;
}

/** Filter and order of a list of clusters; undefined fields are no condition. */
export interface ClusterListFilter {
  /** States as clients see them; a state that no cluster has matches nothing. */
  readonly states: readonly string[] | undefined;
  readonly kinds: readonly ClusterKind[] | undefined;
  readonly pinned: boolean | undefined;
  readonly policyId: string | undefined;
  /** Undefined: newest first. DEFAULT: active clusters first, then pinned ones, then by name. */
  readonly order: { readonly field: 'DEFAULT' | 'CLUSTER_NAME'; readonly descending: boolean } | undefined;
}

/** Read access to clusters, for the API. */
export interface ClusterReader {
  find(clusterId: string): Promise<Cluster | undefined>;
  list(
    filter: ClusterListFilter,
    page: { readonly offset: number; readonly limit: number },
  ): Promise<Cluster[]>;
  listEvents(
    filter: ClusterEventFilter,
  ): Promise<{ readonly events: readonly ClusterEvent[]; readonly total: number }>;
}

/** Result of an init script. */
export type InitScriptOutcome =
  | {
      readonly kind: 'exited';
      readonly code: number;
      /** Last output on stderr, or on stdout when stderr is empty. */
      readonly outputTail: string;
    }
  /** The script cannot be run; `message` says why. */
  | { readonly kind: 'impossible'; readonly message: string }
  | { readonly kind: 'stopped' };

/** An init script to run. */
export interface InitScriptSpec {
  readonly clusterId: string;
  /** Directory of the cluster. */
  readonly directory: string;
  /** Number of the cluster start: each script runs once per start. */
  readonly generation: number;
  /** Position in the list, from 1. */
  readonly position: number;
  /** URI, or path of the workspace. */
  readonly source: string;
  readonly environment: Readonly<Record<string, string>>;
}

/** Processes and logs of a cluster. */
export interface ClusterProvider {
  /** Runs a script. A second call for the same script attaches to its process, or returns its result. */
  runScript(script: InitScriptSpec): { readonly outcome: Promise<InitScriptOutcome>; stop(): void };
  /** Stops the scripts of a cluster that still run. */
  stopScripts(clusterId: string): Promise<void>;
  /** Adds the logs of an attempt to those of a cluster. Called before the attempt starts. */
  attachLogs(clusterId: string, runId: number): Promise<void>;
  /** Delivers new log data of a cluster. Never rejects: data that could not be delivered is retried later. */
  deliverLogs(clusterId: string): Promise<void>;
}

/** Signals about clusters, shared by all engines. */
export interface ClusterSignals {
  /** Signals a change of a cluster; undefined: any cluster may have changed. */
  notify(clusterId: string | undefined): void;
  /** Calls `action` on each signal until the returned function is called. */
  subscribe(clusterId: string, action: () => void): () => void;
}

/** Ports of the coordinator to clusters. */
export interface ComputePorts {
  readonly inventory: Inventory;
  /** True when existing_cluster_id must name a cluster that exists and runs. */
  readonly requireExistingCluster: boolean;
  readonly faults: ClusterFaults;
  readonly signals: ClusterSignals;
  readonly provider: ClusterProvider;
  /** What programs compute on, by the name of the provider. */
  readonly computeProviders: ComputeProviders;
  /**
   * Starts a terminated all-purpose cluster and signals the tasks that wait for it. Returns why it cannot start;
   * undefined when it starts.
   */
  readonly startForTask: (clusterId: string) => Promise<string | undefined>;
}
