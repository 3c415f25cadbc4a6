/** Tables of runs, task runs, repairs and idempotency tokens. */

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

export const runTables = [
  // One sequence for runs and task runs: runs/get and get-output take the id of either.
  `create sequence run_ids as bigint maxvalue 9007199254740991`,
  // The fill factor keeps space for HOT updates: a run is updated about four times.
  // launched_by: the task run of a run_job_task that started the run. parent_task_run_id: the task run whose
  // program started it; one task run may start several, each with an idempotency token of its own.
  `create table runs (
     run_id bigint primary key,
     job_id bigint not null references jobs,
     number_in_job bigint not null,
     format text not null,
     api_version text not null,
     name text not null,
     run_type text not null,
     trigger text not null,
     scheduled_time bigint,
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
     parent_task_run_id bigint,
     timeout_revision integer not null default 0,
     warned_time bigint,
     ${progressColumns('runs')},
     constraint runs_queue_code_known check (queue_code in
       ('ACTIVE_RUNS_LIMIT_REACHED', 'MAX_CONCURRENT_RUNS_REACHED', 'ACTIVE_RUN_JOB_TASKS_LIMIT_REACHED')),
     constraint runs_queue_code_means_queued check ((queue_code is not null) = (state = 'QUEUED')),
     constraint runs_admitted_after_start check (admitted_time >= start_time),
     constraint runs_retries_have_original check
       ((attempt > 0) = (trigger = 'RETRY') and (attempt > 0) = (original_attempt_run_id <> run_id)),
     constraint runs_number_in_job_unique unique (job_id, number_in_job),
     constraint runs_have_start_time check (start_time is not null),
     constraint runs_format_known check (format in ('SINGLE_TASK', 'MULTI_TASK')),
     constraint runs_type_known check (run_type in ('JOB_RUN', 'WORKFLOW_RUN', 'SUBMIT_RUN')),
     constraint runs_trigger_known check (trigger in ('PERIODIC', 'ONE_TIME', 'RETRY')),
     constraint runs_scheduled_have_time check (trigger <> 'PERIODIC' or scheduled_time is not null),
     constraint runs_stop_reason_known check (stop_reason in ('cancel', 'timeout')),
     constraint runs_attempt_not_negative check (attempt >= 0),
     constraint runs_repair_columns_together check
       (num_nulls(repair_id, repair_count, repair_start_time, earlier_duration) in (0, 4)),
     constraint runs_repaired_are_multi_task check (repair_id is null or format = 'MULTI_TASK'),
     constraint runs_repair_count_positive check (repair_count > 0),
     constraint runs_repair_after_start check (repair_start_time >= start_time),
     constraint runs_earlier_duration_not_negative check (earlier_duration >= 0)
   ) with (fillfactor = 50)`,
  // Lists are ordered by start time and id. Each filter has an index, so that a list with few matches does
  // not read all runs.
  `create index runs_listed on runs (start_time desc, run_id desc)`,
  `create index runs_of_job on runs (job_id, start_time desc, run_id desc)`,
  `create index runs_of_type on runs (run_type, start_time desc, run_id desc)`,
  `create index runs_active on runs (start_time desc, run_id desc) where active`,
  `create index runs_active_of_job on runs (job_id) where active`,
  // On queue_code, not on state: an index on state would prevent HOT updates. queue_code changes only when a
  // run leaves the queue.
  `create index runs_queued on runs (job_id, number_in_job) where queue_code is not null`,
  // A task run of a run_job_task starts one run, also when a second engine repeats the launch.
  `create unique index runs_launched_by_unique on runs (launched_by) where launched_by is not null`,
  // One fire of a schedule starts one run.
  `create unique index runs_fire_unique on runs (job_id, scheduled_time) where trigger = 'PERIODIC'`,
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
  // A row starts a repair round of its run and keeps the end of the round before it. The table runs holds the
  // state of the latest round.
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
     constraint repairs_ended_result_known check
       (ended_result in ('SUCCESS', 'FAILED', 'TIMEDOUT', 'CANCELED')),
     constraint repairs_ended_result_when_available check
       (ended_state <> 'TERMINATED' or ended_result is not null),
     constraint repairs_start_after_end check (start_time >= ended_time))`,
  `create index repairs_of_run on repairs (run_id, repair_id)`,
  `create table idempotency_tokens (
     job_id bigint not null,
     token text not null,
     run_id bigint not null,
     primary key (job_id, token))`,
];
