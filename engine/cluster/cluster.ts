/** Clusters: kinds, rows and ids. */
import { toIsoTime } from '../clock.ts';
import type { Termination } from './termination.ts';

/** A job cluster serves one task or run. An all-purpose cluster serves every task that names its id. */
export type ClusterKind = 'JOB' | 'ALL_PURPOSE';

/** State of a cluster as clients see it. RESTARTING and RESIZING are parts of PENDING and RUNNING. */
export type ShownClusterState = 'PENDING' | 'RUNNING' | 'RESTARTING' | 'RESIZING' | 'TERMINATED';

export interface NewClusterRow {
  readonly clusterId: string;
  readonly kind: ClusterKind;
  readonly name: string;
  /** Run of a job cluster. */
  readonly jobRunId: number | undefined;
  /**
   * Key within the run: `job_cluster_key` of a shared cluster, `task:<task run id>` of a task's own cluster.
   */
  readonly key: string | undefined;
  /** `new_cluster` as written; empty for an all-purpose cluster created on first use. */
  readonly spec: Readonly<Record<string, unknown>>;
  /** User who created an all-purpose cluster. */
  readonly creator: string | undefined;
  readonly createdTime: number;
  /** Pool of the nodes; '' for nodes outside the named pools. */
  readonly poolId: string;
  /** Desired number of workers, not the actual one (spec 2.8). */
  readonly workers: number;
  /** Desired number of nodes: workers and driver; 0 for a cluster created on first use. */
  readonly wantedNodes: number;
}

export interface Cluster extends NewClusterRow {
  readonly state: 'PENDING' | 'RUNNING' | 'TERMINATED';
  readonly sparkContextId: string | undefined;
  /** Allocated nodes. */
  readonly nodes: number;
  /** Number of the start; incremented by each request for nodes. */
  readonly generation: number;
  readonly startedTime: number | undefined;
  readonly terminatedTime: number | undefined;
  /** Reason of the termination. */
  readonly termination: Termination | undefined;
  /** True: retention keeps the terminated cluster. */
  readonly pinned: boolean;
  /** True while the cluster starts again because of a restart. */
  readonly restarting: boolean;
  /** True: an access control list says who may use the cluster. False: all users manage it. */
  readonly restricted: boolean;
}

/** Returns the actual number of workers: all nodes but the driver. */
export function actualWorkers({ nodes }: Pick<Cluster, 'nodes'>): number {
  return Math.max(0, nodes - 1);
}

/**
 * Returns a cluster id of the form MMDD-HHMMSS-xxxxxxxx, with the UTC time of its creation.
 * @param random 8 characters of a-z0-9
 */
export function clusterIdAt(now: number, random: string): string {
  const [, month = '', day = '', hour = '', minute = '', second = ''] =
    /^\d+-(\d\d)-(\d\d)T(\d\d):(\d\d):(\d\d)/.exec(toIsoTime(now)) ?? [];
  return `${month}${day}-${hour}${minute}${second}-${random}`;
}
