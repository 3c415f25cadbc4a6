/**
 * Kysely types of all tables, which storage/migrations creates. Ids and times are int8 columns, read as safe
 * numbers.
 */
import type { Generated } from 'kysely';
import type { LifeCycleState, ResultState, StopReason } from '../../engine/run/states.ts';
import type { QueueCode } from '../../engine/run/run-status.ts';
import type { RunType, TriggerType } from '../../engine/run/run.ts';
import type { ApiVersion, JobFormat } from '../../engine/job/job-format.ts';
import type { Group, PermissionLevel } from '../../engine/job/permissions.ts';
import type { JobSettings } from '../../engine/job/settings.ts';
import type { CauseCode, Explanation } from '../../engine/run/explain/explanation.ts';
import type { StopRequest } from '../../engine/run/explain/failure.ts';
import type { RunParameters } from '../../engine/run/parameters.ts';
import type { ClusterTables } from './clusters/cluster-schema.ts';
import type { DashboardTables } from './dashboards/dashboard-schema.ts';
import type { LibraryTables } from './libraries/library-schema.ts';
import type { NotificationTables } from './outbox/notification-schema.ts';
import type { PeopleTables } from './people/people-schema.ts';
import type { PipelineTables } from './pipelines/pipeline-schema.ts';
import type { ScheduleTable } from './schedules/schedule-schema.ts';
import type { JsonColumn, OptionalJsonColumn } from './json-column.ts';

export interface JobTable {
  job_id: Generated<number>;
  creator: string;
  created_time: number;
  name: string;
  api_version: ApiVersion;
  format: JobFormat;
  settings: JsonColumn<JobSettings>;
  hidden: boolean;
  runs_started: Generated<number>;
  /** Incremented by each change of the settings. */
  settings_revision: Generated<number>;
  deleted_time: number | null;
}

/** Row of a revision of the settings of a job, which its runs share. Triggers on jobs write it. */
export interface JobSettingsTable {
  job_id: number;
  revision: number;
  settings: JsonColumn<JobSettings>;
  /** Greatest number_in_job of the runs that have it; null while it is the current one. */
  last_number: number | null;
}

/** Row of an entry of a job's access control list. */
export interface JobPermissionTable {
  job_id: number;
  principal_id: number | null;
  group_name: Group | null;
  level: PermissionLevel;
}

/** Columns that runs and task runs share: state, result and times. */
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
  explanation: OptionalJsonColumn<Explanation>;
  /** That of the explanation, for filters. */
  cause_code: Generated<CauseCode | null>;
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
  /** Null for a run with the settings of its revision. */
  settings: OptionalJsonColumn<JobSettings>;
  /** Revision of the job; null for a run that always had settings of its own. */
  settings_revision: Generated<number | null>;
  overriding_parameters: JsonColumn<RunParameters> | null;
  /** Due time of the fire that started the run, epoch ms; null for runs that no schedule started. */
  scheduled_time: number | null;
  original_attempt_run_id: number;
  attempt: number;
  stop_reason: StopReason | null;
  /** Who asked for the stop. */
  stop_request: OptionalJsonColumn<StopRequest>;
  owner: string | null;
  /** Latest repair; the four columns are null together. */
  repair_id: number | null;
  repair_count: number | null;
  repair_start_time: number | null;
  earlier_duration: number | null;
  /** Limit that keeps a QUEUED run waiting. */
  queue_code: QueueCode | null;
  admitted_time: number | null;
  /** Task run of the run_job_task that started the run. */
  launched_by: number | null;
  /** Task run whose program started the run. */
  parent_task_run_id: number | null;
  timeout_revision: Generated<number>;
  warned_time: number | null;
  /** Largest number of its active task runs; null for a run that an earlier version started. */
  parallel_task_runs: number | null;
  /** Of them, those of the kind run_job_task. */
  parallel_run_job_tasks: number | null;
  /** State message of a stop that no user requested. */
  stop_message: string | null;
}

/** Row of an active run. Triggers on runs write it, so that runs need no index on columns that change. */
export interface ActiveRunTable {
  is_queued: boolean;
  job_id: number;
  run_id: number;
  start_time: number;
  parallel_task_runs: number | null;
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
  ended_state: 'TERMINATED' | 'SKIPPED' | 'INTERNAL_ERROR';
  ended_result: ResultState | null;
  ended_message: string;
  ended_time: number;
  /** That of the run at the end of the round; null for a success. */
  ended_explanation: OptionalJsonColumn<Explanation>;
  earlier_parameters: JsonColumn<RunParameters> | null;
  /** Settings of the round before; null when the repair kept them. */
  earlier_settings: JsonColumn<JobSettings> | null;
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
  /** False for a node of an earlier version, which needs settings in every run. */
  reads_shared_settings: Generated<boolean>;
}

export interface InstallationTable {
  installation_id: string;
}

/** Row of an applied migration; written by storage/migrations/migrate.ts. */
interface SchemaMigrationTable {
  name: string;
  /** Epoch ms. */
  applied_time: Generated<number>;
}

export interface Database
  extends NotificationTables, DashboardTables, PeopleTables, LibraryTables, PipelineTables, ClusterTables {
  jobs: JobTable;
  job_permissions: JobPermissionTable;
  job_settings: JobSettingsTable;
  runs: RunTable;
  active_runs: ActiveRunTable;
  task_runs: TaskRunTable;
  repairs: RepairTable;
  idempotency_tokens: IdempotencyTokenTable;
  nodes: NodeTable;
  installation: InstallationTable;
  schedules: ScheduleTable;
  schema_migrations: SchemaMigrationTable;
}
