/**
 * Settings stored once per revision of a job instead of once per run; the active runs in a table of their own, so that
 * no update of a run changes an index; launches that begin their first tasks.
 */

/**
 * As in 0005: an index is always the right choice for the few rows of one call, and keeps the order of the locks.
 */
const byIndex = `
  set enable_seqscan = off
  set enable_hashjoin = off
  set enable_mergejoin = off`;

const sharedSettings: readonly string[] = [
  // last_number: the greatest number_in_job of the runs that have this revision; null while it is the current one.
  `create table job_settings (
     job_id bigint not null references jobs on delete cascade,
     revision bigint not null,
     settings jsonb not null,
     last_number bigint,
     primary key (job_id, revision))`,
  `create index job_settings_replaced on job_settings (job_id) where last_number is not null`,
  `insert into job_settings (job_id, revision, settings)
     select job_id, settings_revision, settings from jobs where not hidden`,
  `create function store_job_settings() returns trigger language plpgsql as $$
  begin
    if tg_op = 'UPDATE' then
      update job_settings set last_number = new.runs_started
        where job_id = new.job_id and revision = old.settings_revision;
    end if;
    insert into job_settings (job_id, revision, settings) values (new.job_id, new.settings_revision, new.settings);
    return null;
  end $$`,
  `create trigger jobs_settings_stored after insert on jobs
     for each row when (not new.hidden) execute function store_job_settings()`,
  `create trigger jobs_settings_replaced after update of settings on jobs
     for each row when (not new.hidden and old.settings_revision <> new.settings_revision)
     execute function store_job_settings()`,
  // A run without settings of its own has those of its revision.
  `alter table runs add column settings_revision bigint`,
  `alter table runs alter column settings drop not null`,
  `alter table runs add constraint runs_have_settings check (settings is not null or settings_revision is not null)`,
  // False for nodes of earlier versions, which read settings from the run alone: while one of them is known, runs
  // get settings of their own.
  `alter table nodes add column reads_shared_settings boolean not null default false`,
];

const activeRuns: readonly string[] = [
  // Triggers keep the table, so that it is right whichever version of the engine writes a run.
  `create table active_runs (
     is_queued boolean not null,
     job_id bigint not null,
     run_id bigint not null,
     start_time bigint not null,
     parallel_task_runs integer,
     primary key (is_queued, job_id, run_id)
   ) with (autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 5000)`,
  `create index active_runs_listed on active_runs (start_time desc, run_id desc)`,
  `insert into active_runs (is_queued, job_id, run_id, start_time, parallel_task_runs)
     select queue_code is not null, job_id, run_id, start_time, parallel_task_runs from runs where active`,
  `create function add_active_runs() returns trigger language plpgsql as $$
  begin
    insert into active_runs (is_queued, job_id, run_id, start_time, parallel_task_runs)
      select queue_code is not null, job_id, run_id, start_time, parallel_task_runs from new_runs where active;
    return null;
  end $$`,
  `create function replace_active_run() returns trigger language plpgsql as $$
  begin
    delete from active_runs where is_queued = (old.queue_code is not null) and job_id = old.job_id and run_id = old.run_id;
    if tg_op = 'UPDATE' and new.active then
      insert into active_runs (is_queued, job_id, run_id, start_time, parallel_task_runs)
        values (new.queue_code is not null, new.job_id, new.run_id, new.start_time, new.parallel_task_runs);
    end if;
    return null;
  end $$`,
  `create trigger runs_inserted after insert on runs
     referencing new table as new_runs for each statement execute function add_active_runs()`,
  `create trigger runs_activity_changed after update on runs for each row when (
     old.active <> new.active or (new.active and (
       (old.queue_code is null) <> (new.queue_code is null) or old.start_time <> new.start_time
       or old.parallel_task_runs is distinct from new.parallel_task_runs)))
     execute function replace_active_run()`,
  `create trigger runs_deleted after delete on runs
     for each row when (old.active) execute function replace_active_run()`,
  // Without indexes on what changes, all updates of a run that does not fail are HOT.
  `drop index runs_active`,
  `drop index runs_active_of_job`,
  `drop index runs_using_capacity`,
];

const launches: readonly string[] = [
  // As launch_pending_runs_1, whose header says what it leaves to the launch transaction. Tasks that need nothing but
  // their run begin with it. A job that is locked for longer than lock_wait_ms ends the call. One row per task of a launch; task_index counts from 1.
  `create function launch_pending_runs_2(
    given_jobs jsonb, launch_jobs bigint[], creators text[], given_parameters jsonb[], node text, at bigint,
    max_task_runs bigint, lock_number integer, lock_slots integer, slot_size integer, lock_wait_ms integer)
  returns table (launch_index integer, launched_run_id bigint, launched_number bigint, launched_at bigint,
    task_index integer, task_run_id bigint)
  language plpgsql${byIndex}
  as $$
  declare
    job record;
    wanted bigint;
    slots integer;
    first_slot integer;
    budget bigint;
    granted bigint;
    latest bigint;
    shares_settings boolean;
  begin
    perform set_config('lock_timeout', lock_wait_ms::text, true);
    -- Jobs before slots, as in the launch transaction: two launches that wait for each other would deadlock.
    perform from jobs where job_id = any (launch_jobs) order by job_id for no key update;
    select sum(given.parallel_task_runs * given.launches) into wanted
    from jsonb_to_recordset(given_jobs) as given (parallel_task_runs bigint, launches bigint);
    slots := least(lock_slots, (wanted + slot_size - 1) / slot_size);
    first_slot := pg_backend_pid() % (lock_slots - slots + 1);
    perform pg_advisory_xact_lock(lock_number, slot) from generate_series(first_slot, first_slot + slots - 1) as slot;
    if exists (select from runs where queue_code = 'ACTIVE_RUNS_LIMIT_REACHED') then
      return;
    end if;
    select least(slots * slot_size, max_task_runs - lock_slots * slot_size - coalesce(sum(coalesce(parallel_task_runs, 100)), 0))
      into budget from active_runs where not is_queued;
    shares_settings := not exists (select from nodes where not reads_shared_settings);
    for job in
      select jobs.job_id, jobs.runs_started, case when not shares_settings then jobs.settings end as own_settings,
        jobs.settings_revision, jobs.api_version, given.max_concurrent_runs,
        given.format, given.name, given.tasks, given.parallel_task_runs, given.launches, given.begins
      from jsonb_to_recordset(given_jobs) as given (job_id bigint, settings_revision bigint, launches bigint,
        max_concurrent_runs bigint, format text, name text, tasks jsonb, parallel_task_runs bigint, begins boolean)
      join jobs on jobs.job_id = given.job_id
      where jobs.settings_revision = given.settings_revision and jobs.deleted_time is null and not jobs.hidden
      order by jobs.job_id
    loop
      select least(job.max_concurrent_runs - count(*), budget / job.parallel_task_runs, job.launches,
          case when count(*) filter (where is_queued) > 0 then 0 end)
        into granted
        from (select is_queued from active_runs where is_queued in (false, true) and job_id = job.job_id
          limit job.max_concurrent_runs) as used;
      continue when granted <= 0;
      budget := budget - granted * job.parallel_task_runs;
      -- The runs of a job start in the order of their numbers, also when the clocks of two engines differ a little.
      select start_time into latest from runs where job_id = job.job_id order by start_time desc, run_id desc limit 1;
      latest := case when latest between at and at + 1000 then latest else at end;
      update jobs set runs_started = runs_started + granted where job_id = job.job_id;
      return query
        with launch as materialized (
          select given.index::integer as index, given.creator, given.parameters, nextval('run_ids') as run_id,
            job.runs_started + row_number() over (order by given.index) as number
          from (select * from unnest(launch_jobs, creators, given_parameters)
                with ordinality as one (job_id, creator, parameters, index)
                where one.job_id = job.job_id order by one.index limit granted) as given
        ), stored_runs as (
          insert into runs (run_id, job_id, number_in_job, format, api_version, name, run_type, trigger, creator,
            settings, settings_revision, overriding_parameters, original_attempt_run_id, attempt, owner,
            parallel_task_runs, parallel_run_job_tasks, state, active, start_time, running_time)
          select launch.run_id, job.job_id, launch.number, job.format, job.api_version, job.name, 'JOB_RUN',
            'ONE_TIME', launch.creator, job.own_settings, case when shares_settings then job.settings_revision end,
            launch.parameters, launch.run_id, 0, node, job.parallel_task_runs, 0,
            case when job.begins then 'RUNNING' else 'PENDING' end, true, latest, case when job.begins then latest end
          from launch
        ), planned as materialized (
          select launch.index, launch.run_id as job_run_id, launch.number, task.index::integer as task_index,
            case job.format when 'SINGLE_TASK' then launch.run_id else nextval('run_ids') end as run_id,
            task.task_key, task.message, task.begins
          from launch cross join rows from (
            jsonb_to_recordset(job.tasks) as (task_key text, message text, begins boolean)
          ) with ordinality as task (task_key, message, begins, index)
        ), stored_tasks as (
          insert into task_runs (run_id, job_run_id, task_key, attempt, state, active, message, start_time, running_time)
          select planned.run_id, planned.job_run_id, planned.task_key, 0,
            case when planned.begins then 'RUNNING' else 'PENDING' end, true, planned.message,
            case when planned.begins then latest end, case when planned.begins then latest end
          from planned
        )
        select planned.index, planned.job_run_id, planned.number, latest, planned.task_index, planned.run_id
        from planned;
    end loop;
  end $$`,
];

export const sharedSettingsAndActiveRuns: readonly string[] = [...sharedSettings, ...activeRuns, ...launches];
