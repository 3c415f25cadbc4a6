/** What clusters ask of the world: their rows, their nodes, and what really happens on them. Types only. */
import type { Cluster, NewClusterRow } from '../cluster/cluster.ts';
import type { ClusterEvent, ClusterEventType, ClusterEventDetails } from '../cluster/events.ts';
import type { ClusterFaults } from '../cluster/fault-injection.ts';
import type { Inventory } from '../cluster/inventory.ts';
import type { Termination } from '../cluster/termination.ts';
import type { NewCluster } from '../job/cluster.ts';

export interface ClusterStore {
  /**
   * Makes a cluster for a run. `running`: its context, when it runs at once and holds all its nodes; else it
   * is PENDING, and holds them as soon as its pool has room. `refused`: the run is over or has another fence,
   * because another node drives it.
   */
  create(cluster: NewClusterRow, running: string | undefined, fence: number): Promise<'created' | 'refused'>;
  find(clusterId: string): Promise<Cluster | undefined>;
  /** Clusters made for a run that are not yet terminated. */
  listByRun(jobRunId: number): Promise<Cluster[]>;
  /** PENDING -> RUNNING; false when it was terminated meanwhile. */
  markRunning(clusterId: string, sparkContextId: string, now: number): Promise<boolean>;
  /**
   * Ends clusters and gives their nodes to whoever waits for them; those that are over stay as they are.
   * Everybody who uses them is told, unless their work is done. `lost`: their nodes went first.
   */
  terminate(
    clusterIds: readonly string[],
    termination: Termination,
    now: number,
    lost?: 'lost',
  ): Promise<void>;
  /** The all-purpose cluster with this id; allocated and running if it was unknown. */
  ensureAllPurpose(cluster: NewClusterRow, sparkContextId: string): Promise<Cluster>;
  /** Notes what has happened to a cluster, unless that was the last thing noted. */
  recordEvent(
    clusterId: string,
    type: ClusterEventType,
    details: ClusterEventDetails,
    now: number,
  ): Promise<void>;
  /**
   * Gives a running cluster with a range as many workers as the tasks that run on it want; nodes come when
   * there is room.
   */
  rescale(clusterId: string, now: number): Promise<void>;
  /** Takes workers from a running cluster; as many come back when there is room. Says how many went. */
  preempt(clusterId: string, workers: number, now: number): Promise<number>;
  /** Notes that an all-purpose cluster is in use. */
  recordUse(clusterId: string, now: number): Promise<void>;
}

/** All-purpose clusters, which people make and end. */
export interface AllPurposeStore {
  /** Makes one, PENDING, to be started by a node. */
  createAllPurpose(cluster: NewClusterRow, nodeId: string): Promise<void>;
  /** TERMINATED -> PENDING, with its nodes to be had anew; false when it is not TERMINATED. */
  restart(clusterId: string, nodeId: string, now: number, user: string | undefined): Promise<boolean>;
  /** Gives a running cluster another size; false when it does not run. */
  resize(
    clusterId: string,
    size: Pick<NewCluster, 'num_workers' | 'autoscale'>,
    now: number,
    user: string,
  ): Promise<boolean>;
  /** PENDING ones whose starting node has no lease, which are this node's from now on. */
  adoptStarts(nodeId: string, now: number): Promise<Cluster[]>;
  /** Gives out nodes that are free though somebody waits: pools may have grown with a new configuration. */
  allocateFreeNodes(now: number): Promise<void>;
  /** Ids of running ones whose time without a task is over. */
  listIdle(now: number): Promise<string[]>;
  /** Removes an all-purpose cluster that is terminated, with its events. */
  remove(clusterId: string): Promise<void>;
}

/** Which events of a cluster are shown. */
export interface ClusterEventFilter {
  readonly clusterId: string;
  /** Epoch ms, both inclusive. */
  readonly from: number | undefined;
  readonly to: number | undefined;
  readonly types: readonly ClusterEventType[] | undefined;
  readonly newestFirst: boolean;
  readonly offset: number;
  readonly limit: number;
}

/** Clusters for whoever looks at them. */
export interface ClusterReader {
  find(clusterId: string): Promise<Cluster | undefined>;
  /** Newest first. */
  list(page: { readonly offset: number; readonly limit: number }): Promise<Cluster[]>;
  listEvents(
    filter: ClusterEventFilter,
  ): Promise<{ readonly events: readonly ClusterEvent[]; readonly total: number }>;
}

/** How an init script ended. */
export type InitScriptOutcome =
  | {
      readonly kind: 'exited';
      readonly code: number;
      /** The end of what it wrote to stderr, or to stdout. */ readonly outputTail: string;
    }
  /** It cannot be run at all, for this reason. */
  | { readonly kind: 'impossible'; readonly message: string }
  | { readonly kind: 'stopped' };

/** An init script to be run, or attached to when it runs already. */
export interface InitScriptSpec {
  readonly clusterId: string;
  /** The cluster's directory. */
  readonly directory: string;
  /** Tells one start of the cluster from the next: its scripts run once in each. */
  readonly generation: number;
  /** Its place in the list, from 1. */
  readonly position: number;
  /** Where it stands: a URI, or a path of the workspace. */
  readonly source: string;
  readonly environment: Readonly<Record<string, string>>;
}

/** What really happens on a cluster. Local for now: every node is this machine. */
export interface ClusterProvider {
  /** Asked again for the same script, it attaches to the process that is there, or tells how it ended. */
  runScript(order: InitScriptSpec): { readonly outcome: Promise<InitScriptOutcome>; stop(): void };
  /** Ends whatever of its scripts may still run. */
  stopScripts(clusterId: string): Promise<void>;
  /** Notes that the logs of an attempt belong to those of a cluster. Before the attempt begins. */
  attachLogs(clusterId: string, runId: number): Promise<void>;
  /**
   * Delivers what its logs have grown by. Never rejects: what could not be delivered comes with the next
   * round.
   */
  deliverLogs(clusterId: string): Promise<void>;
}

/** Who wants to hear that something happened to a cluster, on whichever engine. */
export interface ClusterSignals {
  /** Says that something happened to a cluster; undefined: anything may have happened to any. */
  notify(clusterId: string | undefined): void;
  /** Calls `action` each time; the returned function takes it back. */
  subscribe(clusterId: string, action: () => void): () => void;
}

/** Everything that a coordinator needs to have clusters. */
export interface ComputePorts {
  readonly inventory: Inventory;
  /** Whether existing_cluster_id must name a cluster that was made before, and that runs. */
  readonly requireExistingCluster: boolean;
  readonly faults: ClusterFaults;
  readonly signals: ClusterSignals;
  readonly provider: ClusterProvider;
  /** Starts an all-purpose cluster that is terminated; whoever waits is signalled. */
  readonly startForTask: (clusterId: string) => Promise<void>;
}
