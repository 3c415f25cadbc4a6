/** Kysely types of the tables of clusters. */
import type { Generated } from 'kysely';
import type { ClusterKind } from '../../../engine/cluster/cluster.ts';
import type { ClusterEventType, ClusterEventDetails } from '../../../engine/cluster/events.ts';
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
}
