/** The first schema: people, jobs, runs, task runs, clusters, nodes with leases, and the outbox. */
import { sql, type Kysely } from 'kysely';
import type { Migration } from 'kysely/migration';
import { clusterTables } from './cluster-tables.ts';
import { dashboardTables } from './dashboard-tables.ts';
import { libraryTables } from './library-tables.ts';
import { notificationTables } from './notification-tables.ts';
import { pipelineTables } from './pipeline-tables.ts';
import { peopleTables } from './people-tables.ts';
import { scheduleTables } from './schedule-tables.ts';
import { workflowTables } from './workflow-tables.ts';

/** Progress columns with the invariants of engine/run/run.ts `Progress` as named CHECKs. */
const progressColumns = (table: string): string => `
  state text not null,
  active boolean not null,
  result text,
  message text not null default '',
  start_time bigint,
  running_time bigint,
  terminating_time bigint,
  end_time bigint,
  fence bigint not null default 1,
  constraint ${table}_state_known check (state in
    ('QUEUED', 'PENDING', 'RUNNING', 'TERMINATING', 'TERMINATED', 'SKIPPED', 'INTERNAL_ERROR')),
  constraint ${table}_active_means_not_terminal check
    (active = (state in ('QUEUED', 'PENDING', 'RUNNING', 'TERMINATING'))),
  constraint ${table}_result_known check (result in ('SUCCESS', 'FAILED', 'TIMEDOUT', 'CANCELED')),
  constraint ${table}_result_when_available check (case
    when state in ('QUEUED', 'PENDING', 'RUNNING', 'SKIPPED') then result is null
    when state in ('TERMINATING', 'TERMINATED') then result is not null
    else true end),
  constraint ${table}_end_time_means_terminal check ((end_time is null) = active),
  constraint ${table}_times_in_order check (
    (running_time is null or running_time >= start_time)
    and (terminating_time is null or terminating_time >= coalesce(running_time, start_time))
    and (end_time is null or end_time >= coalesce(terminating_time, running_time, start_time, 0))),
  constraint ${table}_fence_positive check (fence > 0)`;

const statements = [
  `create table principals (
     principal_id bigint generated always as identity (maxvalue 9007199254740991) primary key,
     user_name text not null constraint principals_user_name_unique unique,
     admin boolean not null,
     active boolean not null,
     created_time bigint not null,
     constraint principals_user_name_given check (user_name <> ''))`,
  `create table tokens (
     token_id text primary key,
     principal_id bigint not null references principals,
     hash text not null constraint tokens_hash_unique unique,
     comment text not null,
     scopes text[] not null,
     created_time bigint not null,
     expiry_time bigint,
     last_accessed_time bigint not null,
     revoked_time bigint,
     constraint tokens_id_is_hex check (token_id ~ '^[0-9a-f]{64}$'),
     constraint tokens_hash_is_sha256 check (hash ~ '^[0-9a-f]{64}$'),
     constraint tokens_permit_something check (cardinality(scopes) > 0),
     constraint tokens_expire_after_creation check (expiry_time > created_time))`,
  `create index tokens_of_principal on tokens (principal_id) where revoked_time is null`,
  `create table jobs (
     job_id bigint generated always as identity (maxvalue 9007199254740991) primary key,
     creator text not null,
     created_time bigint not null,
     name text not null,
     api_version text not null,
     format text not null,
     settings jsonb not null,
     hidden boolean not null,
     runs_started bigint not null default 0,
     deleted_time bigint,
     constraint jobs_format_known check (format in ('SINGLE_TASK', 'MULTI_TASK')),
     constraint jobs_api_version_known check (api_version in ('2.0', '2.1', '2.2')))`,
  `create index jobs_listed on jobs (job_id desc) where not hidden and deleted_time is null`,
  // Jobs created within the last hour are counted at every creation.
  `create index jobs_created on jobs (created_time)`,
  `create table job_permissions (
     job_id bigint not null references jobs on delete cascade,
     principal_id bigint references principals on delete cascade,
     group_name text,
     level text not null,
     constraint job_permissions_once unique nulls not distinct (job_id, principal_id, group_name),
     constraint job_permissions_one_name check ((principal_id is null) <> (group_name is null)),
     constraint job_permissions_group_known check (group_name in ('users', 'admins')),
     constraint job_permissions_level_known check (level in ('CAN_VIEW', 'CAN_MANAGE_RUN', 'CAN_MANAGE', 'IS_OWNER')),
     constraint job_permissions_no_group_owns check (level <> 'IS_OWNER' or group_name is null))`,
  `create unique index job_permissions_one_owner on job_permissions (job_id) where level = 'IS_OWNER'`,
  `create index job_permissions_of_principal on job_permissions (principal_id, job_id)`,
  // One sequence for runs and task runs: runs/get and get-output take the id of either.
  `create sequence run_ids as bigint maxvalue 9007199254740991`,
  // fillfactor leaves room for HOT updates: a run is updated some four times in its life.
  `create table runs (
     run_id bigint primary key,
     job_id bigint not null references jobs,
     number_in_job bigint not null,
     format text not null,
     api_version text not null,
     name text not null,
     run_type text not null,
     trigger text not null,
     creator text not null,
     settings jsonb not null,
     overriding_parameters jsonb,
     original_attempt_run_id bigint not null,
     attempt integer not null,
     stop_reason text,
     owner text,
     repair_id bigint,
     repair_count integer,
     repair_start_time bigint,
     earlier_duration bigint,
     queue_code text,
     admitted_time bigint,
     launched_by bigint,
     retimes integer not null default 0,
     warned_time bigint,
     ${progressColumns('runs')},
     constraint runs_queue_code_known check (queue_code in
       ('ACTIVE_RUNS_LIMIT_REACHED', 'MAX_CONCURRENT_RUNS_REACHED', 'ACTIVE_RUN_JOB_TASKS_LIMIT_REACHED')),
     constraint runs_queued_say_why check ((queue_code is not null) = (state = 'QUEUED')),
     constraint runs_admitted_after_start check (admitted_time >= start_time),
     constraint runs_retries_have_first check ((attempt > 0) = (trigger = 'RETRY') and (attempt > 0) = (original_attempt_run_id <> run_id)),
     constraint runs_number_in_job_unique unique (job_id, number_in_job),
     constraint runs_have_start_time check (start_time is not null),
     constraint runs_format_known check (format in ('SINGLE_TASK', 'MULTI_TASK')),
     constraint runs_type_known check (run_type in ('JOB_RUN', 'WORKFLOW_RUN', 'SUBMIT_RUN')),
     constraint runs_trigger_known check (trigger in ('PERIODIC', 'ONE_TIME', 'RETRY')),
     constraint runs_stop_reason_known check (stop_reason in ('cancel', 'timeout')),
     constraint runs_attempt_not_negative check (attempt >= 0),
     constraint runs_repaired_or_not check (num_nulls(repair_id, repair_count, repair_start_time, earlier_duration) in (0, 4)),
     constraint runs_repaired_have_tasks check (repair_id is null or format = 'MULTI_TASK'),
     constraint runs_repair_count_positive check (repair_count > 0),
     constraint runs_repair_after_start check (repair_start_time >= start_time),
     constraint runs_earlier_duration_not_negative check (earlier_duration >= 0)
   ) with (fillfactor = 50)`,
  // Lists are ordered by start time and id; a filter that few runs pass must not read all others to find
  // them.
  `create index runs_listed on runs (start_time desc, run_id desc)`,
  `create index runs_of_job on runs (job_id, start_time desc, run_id desc)`,
  `create index runs_of_type on runs (run_type, start_time desc, run_id desc)`,
  `create index runs_active on runs (start_time desc, run_id desc) where active`,
  `create index runs_active_of_job on runs (job_id) where active`,
  // Not by state: an index on it would make every update of a run dear. This column changes only where the
  // queue is left.
  `create index runs_queued on runs (job_id, number_in_job) where queue_code is not null`,
  // A task run of a run_job_task has one run, whatever engine asks for it again.
  `create unique index runs_launched_once on runs (launched_by) where launched_by is not null`,
  `create index runs_retried on runs (original_attempt_run_id, attempt) where attempt > 0`,
  `create table task_runs (
     run_id bigint primary key,
     job_run_id bigint not null references runs on delete cascade,
     task_key text not null,
     attempt integer not null,
     cluster_id text,
     spark_context_id text,
     due_time bigint,
     stop_reason text,
     warned_time bigint,
     ${progressColumns('task_runs')},
     constraint task_runs_stop_reason_known check (stop_reason in ('cancel', 'timeout')),
     constraint task_runs_attempt_unique unique (job_run_id, task_key, attempt),
     constraint task_runs_attempt_not_negative check (attempt >= 0)
   ) with (fillfactor = 50)`,
  // Each row begins a round of its run and keeps how the round before it ended; how the last one stands is in
  // runs.
  `create table repairs (
     repair_id bigint primary key,
     run_id bigint not null references runs on delete cascade,
     start_time bigint not null,
     ended_state text not null,
     ended_result text,
     ended_message text not null,
     ended_time bigint not null,
     earlier_parameters jsonb,
     constraint repairs_ended_state_known check (ended_state in ('TERMINATED', 'INTERNAL_ERROR')),
     constraint repairs_ended_result_known check (ended_result in ('SUCCESS', 'FAILED', 'TIMEDOUT', 'CANCELED')),
     constraint repairs_ended_result_when_available check (ended_state <> 'TERMINATED' or ended_result is not null),
     constraint repairs_start_after_end check (start_time >= ended_time))`,
  `create index repairs_of_run on repairs (run_id, repair_id)`,
  `create table idempotency_tokens (
     job_id bigint not null,
     token text not null,
     run_id bigint not null,
     primary key (job_id, token))`,
  ...clusterTables,
  `create table nodes (
     node_id text primary key,
     host text not null,
     boot_id text not null,
     pid integer not null,
     process_start text not null,
     directory_id text not null,
     joined_time bigint not null,
     lease_until bigint not null)`,
  // One row: files of runs are named by run ids, and those begin anew in every database.
  `create table installation (installation_id uuid primary key)`,
  `insert into installation values (gen_random_uuid())`,
  `create table outbox (
     notice_id bigint generated always as identity (maxvalue 9007199254740991) primary key,
     event text not null,
     channel text not null,
     recipient text not null,
     job_id bigint,
     run_id bigint,
     task_key text,
     created_time bigint not null,
     facts jsonb not null default '{}',
     taken_time bigint,
     constraint outbox_channel_known check (channel in ('email', 'webhook')))`,
  `create index outbox_waiting on outbox (notice_id) where taken_time is null`,
  ...notificationTables,
  ...peopleTables,
  ...scheduleTables,
  ...dashboardTables,
  ...libraryTables,
  ...pipelineTables,
  ...workflowTables,
];

export const initialSchema: Migration = {
  async up(database: Kysely<unknown>): Promise<void> {
    for (const statement of statements) await sql.raw(statement).execute(database);
  },
};
