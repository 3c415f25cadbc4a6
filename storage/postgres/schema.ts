/**
 * The tables as Kysely sees them. The truth is storage/migrations; ids and times are int8, read as safe
 * numbers.
 */
import type { ColumnType, Generated } from 'kysely';
import type { LifeCycleState, ResultState, StopReason } from '../../engine/run/states.ts';
import type { QueueCode } from '../../engine/run/run-status.ts';
import type { RunType, TriggerType } from '../../engine/run/run.ts';
import type { ApiVersion, JobFormat } from '../../engine/job/job-format.ts';
import type { Group, PermissionLevel } from '../../engine/job/permissions.ts';
import type { JobSettings } from '../../engine/job/settings.ts';
import type { RunParameters } from '../../engine/run/parameters.ts';
import type { ClusterTables } from './clusters/cluster-schema.ts';
import type { DashboardTables } from './dashboards/dashboard-schema.ts';
import type { NotificationDetails } from '../../engine/run/notification.ts';
import type { LibraryTables } from './libraries/library-schema.ts';
import type { NotificationTables } from './outbox/notification-schema.ts';
import type { AutoscopeColumns, PeopleTables, PersonColumns } from './people/people-schema.ts';
import type { PipelineTables } from './pipelines/pipeline-schema.ts';
import type { ScheduleTable } from './schedules/schedule-schema.ts';

/** A JSONB column: read as a value, written as JSON text. */
type Json<Value> = ColumnType<Value, string, string>;

export interface PrincipalTable extends PersonColumns {
  principal_id: Generated<number>;
  user_name: string;
  admin: boolean;
  active: boolean;
  created_time: number;
}

export interface TokenTable extends AutoscopeColumns {
  token_id: string;
  principal_id: number;
  hash: string;
  comment: string;
  scopes: string[];
  created_time: number;
  expiry_time: number | null;
  last_accessed_time: number;
  revoked_time: number | null;
}

export interface JobTable {
  job_id: Generated<number>;
  creator: string;
  created_time: number;
  name: string;
  api_version: ApiVersion;
  format: JobFormat;
  settings: Json<JobSettings>;
  hidden: boolean;
  runs_started: Generated<number>;
  deleted_time: number | null;
}

/** One entry of the access control list of a job. */
export interface JobPermissionTable {
  job_id: number;
  principal_id: number | null;
  group_name: Group | null;
  level: PermissionLevel;
}

/** Columns that runs and task runs share: where it stands. */
interface ProgressColumns {
  state: LifeCycleState;
  active: boolean;
  result: ResultState | null;
  message: string;
  start_time: number | null;
  running_time: number | null;
  terminating_time: number | null;
  end_time: number | null;
  fence: Generated<number>;
}

export interface RunTable extends ProgressColumns {
  run_id: number;
  job_id: number;
  number_in_job: number;
  format: JobFormat;
  api_version: ApiVersion;
  name: string;
  run_type: RunType;
  trigger: TriggerType;
  creator: string;
  settings: Json<JobSettings>;
  overriding_parameters: Json<RunParameters> | null;
  /** For which a schedule started it, epoch ms; null for all other runs. */
  scheduled_time: number | null;
  original_attempt_run_id: number;
  attempt: number;
  stop_reason: StopReason | null;
  owner: string | null;
  /** The latest repair; the four are null together. */
  repair_id: number | null;
  repair_count: number | null;
  repair_start_time: number | null;
  earlier_duration: number | null;
  /** The limit that a QUEUED run waits for. */
  queue_code: QueueCode | null;
  admitted_time: number | null;
  /** The task run of a run_job_task that started it. */
  launched_by: number | null;
  /** The task run whose program started it. */
  parent_task_run_id: number | null;
  retimes: Generated<number>;
  warned_time: number | null;
}

export interface TaskRunTable extends ProgressColumns {
  run_id: number;
  job_run_id: number;
  task_key: string;
  attempt: number;
  cluster_id: string | null;
  spark_context_id: string | null;
  due_time: number | null;
  stop_reason: StopReason | null;
  warned_time: number | null;
}

export interface RepairTable {
  repair_id: number;
  run_id: number;
  start_time: number;
  ended_state: 'TERMINATED' | 'INTERNAL_ERROR';
  ended_result: ResultState | null;
  ended_message: string;
  ended_time: number;
  earlier_parameters: Json<RunParameters> | null;
}

export interface IdempotencyTokenTable {
  job_id: number;
  token: string;
  run_id: number;
}

export interface NodeTable {
  node_id: string;
  host: string;
  boot_id: string;
  pid: number;
  process_start: string;
  directory_id: string;
  joined_time: number;
  lease_until: number;
}

export interface InstallationTable {
  installation_id: string;
}

export interface OutboxTable {
  notice_id: Generated<number>;
  event: string;
  channel: 'email' | 'webhook';
  recipient: string;
  job_id: number | null;
  run_id: number | null;
  task_key: string | null;
  created_time: number;
  facts: Json<NotificationDetails>;
  /** When it became a delivery. */
  taken_time: number | null;
}

export interface Database
  extends NotificationTables, DashboardTables, PeopleTables, LibraryTables, PipelineTables, ClusterTables {
  principals: PrincipalTable;
  tokens: TokenTable;
  jobs: JobTable;
  job_permissions: JobPermissionTable;
  runs: RunTable;
  task_runs: TaskRunTable;
  repairs: RepairTable;
  idempotency_tokens: IdempotencyTokenTable;
  nodes: NodeTable;
  installation: InstallationTable;
  outbox: OutboxTable;
  schedules: ScheduleTable;
}
