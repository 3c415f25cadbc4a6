/** The first schema: people, jobs, runs, task runs, clusters, nodes with leases, and the outbox. */
import { sql, type Kysely } from 'kysely';
import type { Migration } from 'kysely/migration';

/** Progress columns with the invariants of engine/run/run.ts `Progress` as named CHECKs. */
const progress = (table: string): string => `
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
     constraint tokens_hash_is_sha256 check (hash ~ '^[0-9a-f]{64}$'))`,
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
     ${progress('runs')},
     constraint runs_number_in_job_unique unique (job_id, number_in_job),
     constraint runs_have_start_time check (start_time is not null),
     constraint runs_format_known check (format in ('SINGLE_TASK', 'MULTI_TASK')),
     constraint runs_type_known check (run_type in ('JOB_RUN', 'WORKFLOW_RUN', 'SUBMIT_RUN')),
     constraint runs_trigger_known check (trigger in ('PERIODIC', 'ONE_TIME', 'RETRY')),
     constraint runs_stop_reason_known check (stop_reason in ('cancel', 'timeout')),
     constraint runs_attempt_not_negative check (attempt >= 0)
   ) with (fillfactor = 50)`,
  `create index runs_of_job on runs (job_id, run_id desc)`,
  `create index runs_active on runs (run_id desc) where active`,
  `create index runs_active_of_job on runs (job_id) where active`,
  `create table task_runs (
     run_id bigint primary key,
     job_run_id bigint not null references runs on delete cascade,
     task_key text not null,
     attempt integer not null,
     cluster_id text,
     spark_context_id text,
     ${progress('task_runs')},
     constraint task_runs_attempt_unique unique (job_run_id, task_key, attempt),
     constraint task_runs_attempt_not_negative check (attempt >= 0)
   ) with (fillfactor = 50)`,
  `create table idempotency_tokens (
     job_id bigint not null,
     token text not null,
     run_id bigint not null,
     primary key (job_id, token))`,
  `create table clusters (
     cluster_id text primary key,
     kind text not null,
     state text not null,
     job_run_id bigint,
     cluster_key text,
     spec jsonb not null,
     spark_context_id text,
     created_time bigint not null,
     started_time bigint,
     terminated_time bigint,
     termination_reason text,
     constraint clusters_kind_known check (kind in ('JOB', 'ALL_PURPOSE')),
     constraint clusters_state_known check (state in ('PENDING', 'RUNNING', 'TERMINATED')),
     constraint clusters_job_has_run check ((kind = 'JOB') = (job_run_id is not null)),
     constraint clusters_terminated_has_time check ((state = 'TERMINATED') = (terminated_time is not null)))`,
  `create index clusters_of_run on clusters (job_run_id)`,
  `create table nodes (
     node_id text primary key,
     host text not null,
     boot_id text not null,
     pid integer not null,
     process_start text not null,
     joined_time bigint not null,
     lease_until bigint not null)`,
  `create table outbox (
     notice_id bigint generated always as identity (maxvalue 9007199254740991) primary key,
     event text not null,
     channel text not null,
     recipient text not null,
     job_id bigint not null,
     run_id bigint,
     task_key text,
     created_time bigint not null,
     delivered_time bigint,
     constraint outbox_channel_known check (channel in ('email', 'webhook')))`,
  `create index outbox_waiting on outbox (notice_id) where delivered_time is null`,
];

export const firstSchema: Migration = {
  async up(database: Kysely<unknown>): Promise<void> {
    for (const statement of statements) await sql.raw(statement).execute(database);
  },
};
