/** A simulated cluster: its identity, kind and state, and how its id looks. */
import { toIsoTime } from '../clock.ts';
import type { Termination } from './termination.ts';

/** A job cluster lives for a task or a run; an all-purpose cluster is shared by whoever names its id. */
export type ClusterKind = 'JOB' | 'ALL_PURPOSE';

export interface NewClusterRow {
  readonly clusterId: string;
  readonly kind: ClusterKind;
  readonly name: string;
  /** The run that a job cluster was made for. */
  readonly jobRunId: number | undefined;
  /**
   * Which of the run's clusters it is: `job_cluster_key` of a shared one, `task:<task run id>` of a task's
   * own.
   */
  readonly key: string | undefined;
  /** `new_cluster` as written; empty for an all-purpose cluster that was allocated on first use. */
  readonly spec: Readonly<Record<string, unknown>>;
  /** Who made an all-purpose cluster. */
  readonly creator: string | undefined;
  readonly createdTime: number;
  /** Where its nodes come from; '' for those that belong to no named pool. */
  readonly poolId: string;
  /** Workers that it wants to have: the desired number, not the actual one (spec 2.8). */
  readonly workers: number;
  /** Nodes that it wants to hold: its workers and a driver; none for one that was allocated on first use. */
  readonly wantedNodes: number;
}

export interface Cluster extends NewClusterRow {
  readonly state: 'PENDING' | 'RUNNING' | 'TERMINATED';
  readonly sparkContextId: string | undefined;
  /** Nodes that it holds. */
  readonly nodes: number;
  /** Tells one start of it from the next; it changes with every request for nodes. */
  readonly generation: number;
  readonly startedTime: number | undefined;
  readonly terminatedTime: number | undefined;
  /** Why it ended. */
  readonly termination: Termination | undefined;
}

/** Workers that it has: all but the driver. */
export function actualWorkers({ nodes }: Pick<Cluster, 'nodes'>): number {
  return Math.max(0, nodes - 1);
}

/**
 * A cluster id in the usual form MMDD-HHMMSS-xxxxxxxx, of the UTC time of its making.
 * @param random 8 characters of a-z0-9
 */
export function clusterIdAt(now: number, random: string): string {
  const [, month = '', day = '', hour = '', minute = '', second = ''] =
    /^\d+-(\d\d)-(\d\d)T(\d\d):(\d\d):(\d\d)/.exec(toIsoTime(now)) ?? [];
  return `${month}${day}-${hour}${minute}${second}-${random}`;
}
