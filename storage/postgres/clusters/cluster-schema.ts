/** The tables of clusters as Kysely sees them; the truth is storage/migrations/cluster-tables.ts. */
import type { ColumnType, Generated } from 'kysely';
import type { ClusterKind } from '../../../engine/cluster/cluster.ts';
import type { ClusterEventType, ClusterEventDetails } from '../../../engine/cluster/events.ts';
import type { TerminationCode } from '../../../engine/cluster/termination.ts';

/** A JSONB column: read as a value, written as JSON text. */
type Json<Value> = ColumnType<Value, string, string>;

export interface ClusterTable {
  cluster_id: string;
  kind: ClusterKind;
  name: Generated<string>;
  state: 'PENDING' | 'RUNNING' | 'TERMINATED';
  job_run_id: number | null;
  cluster_key: string | null;
  spec: Json<Record<string, unknown>>;
  creator: string | null;
  spark_context_id: string | null;
  created_time: number;
  started_time: number | null;
  terminated_time: number | null;
  termination_reason: TerminationCode | null;
  termination_parameters: Json<Record<string, string>> | null;
  pool_id: Generated<string>;
  workers: Generated<number>;
  wanted: Generated<number>;
  nodes: Generated<number>;
  ticket: Generated<number>;
  /** The node that starts an all-purpose cluster. */
  starting_node: string | null;
  last_used_time: number | null;
  /** True until its logs were delivered for the last time. */
  owes_logs: Generated<boolean>;
}

export interface ClusterEventTable {
  event_id: Generated<number>;
  cluster_id: string;
  time: number;
  type: ClusterEventType;
  details: Json<ClusterEventDetails>;
}

export interface ClusterTables {
  clusters: ClusterTable;
  cluster_events: ClusterEventTable;
}
