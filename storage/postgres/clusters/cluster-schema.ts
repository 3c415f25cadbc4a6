/** Kysely types of the tables of clusters. */
import type { Generated } from 'kysely';
import type { ClusterKind } from '../../../engine/cluster/cluster.ts';
import type { ClusterEventType, ClusterEventDetails } from '../../../engine/cluster/events.ts';
import type { InstancePoolSpec } from '../../../engine/cluster/instance-pool.ts';
import type { ClusterPermissionLevel } from '../../../engine/cluster/cluster-permissions.ts';
import type { Group } from '../../../engine/job/permissions.ts';
import type { TerminationCode } from '../../../engine/cluster/termination.ts';
import type { JsonColumn } from '../json-column.ts';

export interface ClusterTable {
  cluster_id: string;
  kind: ClusterKind;
  name: Generated<string>;
  state: 'PENDING' | 'RUNNING' | 'TERMINATED';
  job_run_id: number | null;
  cluster_key: string | null;
  spec: JsonColumn<Record<string, unknown>>;
  creator: string | null;
  spark_context_id: string | null;
  created_time: number;
  started_time: number | null;
  terminated_time: number | null;
  termination_reason: TerminationCode | null;
  termination_parameters: JsonColumn<Record<string, string>> | null;
  pool_id: Generated<string>;
  workers: Generated<number>;
  /** Nodes that the cluster asks its pool for: workers and the driver. */
  requested_nodes: Generated<number>;
  granted_nodes: Generated<number>;
  ticket: Generated<number>;
  /** The engine node that starts an all-purpose cluster. */
  starting_node: string | null;
  last_used_time: number | null;
  /** True until the last log delivery. */
  logs_pending: Generated<boolean>;
  /** Set while the cluster is pinned: retention keeps it. */
  pinned_time: number | null;
  /** True for a PENDING cluster that a restart stopped. */
  restarting: Generated<boolean>;
  /** False: the access control list was never changed, and all users may manage the cluster. */
  permissions_set: Generated<boolean>;
}

/** Row of an entry of a cluster's access control list. */
export interface ClusterPermissionTable {
  cluster_id: string;
  principal_id: number | null;
  group_name: Group | null;
  level: ClusterPermissionLevel;
}

/** Row of an instance pool that the API manages. */
export interface InstancePoolTable {
  instance_pool_id: string;
  name: string;
  spec: JsonColumn<InstancePoolSpec>;
  created_time: number;
}

/** Row of a cluster policy that the API manages. */
export interface ClusterPolicyTable {
  policy_id: string;
  name: string;
  /** JSON text as written. */
  definition: string;
  description: Generated<string>;
  max_clusters_per_user: number | null;
  creator: string;
  created_time: number;
}

export interface ClusterEventTable {
  event_id: Generated<number>;
  cluster_id: string;
  time: number;
  type: ClusterEventType;
  details: JsonColumn<ClusterEventDetails>;
}

export interface ClusterTables {
  clusters: ClusterTable;
  cluster_events: ClusterEventTable;
  cluster_permissions: ClusterPermissionTable;
  instance_pools: InstancePoolTable;
  cluster_policies: ClusterPolicyTable;
}
