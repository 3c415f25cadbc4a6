/**
 * Launches and state changes of runs in one round trip each.
 *
 * A function is never changed: two versions of the engine share a database during an upgrade. A change gets a
 * function with the next number in its name.
 */

/** Columns of a state change, as storage/postgres/runs/state-writer.ts sends them. */
const changeColumns = `run_id bigint, from_state text, to_state text, to_active boolean, fence bigint, at bigint,
      start_time bigint, running_time bigint, terminating_time bigint, end_time bigint, warned boolean,
      result text, message text, explanation jsonb, cause_code text, cluster_id text, spark_context_id text`;

/**
 * The engine computes the times (engine/run/step.ts); a null keeps what the row has.
 */
const progressAssignments = `
      state = to_state, active = to_active,
      result = coalesce(change.result, row.result), message = coalesce(change.message, row.message),
      explanation = coalesce(change.explanation, row.explanation),
      cause_code = coalesce(change.cause_code, row.cause_code),
      start_time = coalesce(change.start_time, row.start_time),
      running_time = coalesce(change.running_time, row.running_time),
      terminating_time = coalesce(change.terminating_time, row.terminating_time),
      end_time = coalesce(change.end_time, row.end_time),
      warned_time = case when warned then coalesce(row.warned_time, at) else row.warned_time end`;

const expectedRow = `row.run_id = change.run_id and row.state = change.from_state and row.fence = change.fence`;

/**
 * Plans are cached while tables are small and used when they are large: an index is always the right choice for
 * the few rows of one call, and it keeps the order of the ids, in which rows are locked.
 */
const byIndex = `
  set enable_seqscan = off
  set enable_hashjoin = off
  set enable_mergejoin = off`;

export const hotPath: readonly string[] = [
  // Tells an engine whether its copy of the settings is current.
  `alter table jobs add column settings_revision bigint not null default 1`,
  `create function jobs_count_settings_revision() returns trigger language plpgsql as $$
  begin
    new.settings_revision := old.settings_revision + 1;
    return new;
  end $$`,
  `create trigger jobs_settings_changed before update of settings on jobs
     for each row when (old.settings is distinct from new.settings)
     execute function jobs_count_settings_revision()`,
  // The capacity that runs use, without a look at their task runs.
  `create index runs_using_capacity on runs (parallel_task_runs) where active and queue_code is null`,
  `create function write_state_changes_1(run_changes jsonb, task_changes jsonb) returns void
  language plpgsql${byIndex}
  as $$
  declare
    written bigint;
  begin
    if jsonb_array_length(run_changes) > 0 then
      update runs as row set ${progressAssignments},
        queue_code = case when to_state = 'QUEUED' then row.queue_code end
      from jsonb_to_recordset(run_changes) as change (${changeColumns})
      where ${expectedRow};
      get diagnostics written = row_count;
      if written < jsonb_array_length(run_changes) then
        raise exception 'A run is not in the expected state.' using errcode = 'RY001';
      end if;
    end if;
    if jsonb_array_length(task_changes) > 0 then
      update task_runs as row set ${progressAssignments},
        cluster_id = coalesce(change.cluster_id, row.cluster_id),
        spark_context_id = coalesce(change.spark_context_id, row.spark_context_id)
      from jsonb_to_recordset(task_changes) as change (${changeColumns})
      where ${expectedRow};
      get diagnostics written = row_count;
      if written < jsonb_array_length(task_changes) then
        raise exception 'A task run is not in the expected state.' using errcode = 'RY001';
      end if;
    end if;
  end $$`,
  // Starts runs that certainly may start. It returns no row for any other launch: the job has changed, is gone,
  // has reached its limit or has runs in the queue, or the workspace is close to its limit. A job that stays
  // locked ends the call with lock_not_available.
  // given_jobs: what the engine knows of each job; given_launches: the runs, in the order of their numbers.
  // The advisory locks are those of storage/postgres/queue/capacity.ts: each allows slot_size more task runs.
  `create function launch_pending_runs_1(
    given_jobs jsonb, given_launches jsonb, node text, at bigint, max_task_runs bigint,
    lock_number integer, lock_slots integer, slot_size integer)
  returns table (launch_index integer, launched_run_id bigint, launched_number bigint, launched_at bigint,
    task_run_ids jsonb)
  language plpgsql${byIndex}
  set lock_timeout = '200ms'
  as $$
  declare
    job record;
    wanted bigint;
    slots integer;
    first_slot integer;
    budget bigint;
    granted bigint;
    latest bigint;
  begin
    -- Jobs before slots, as in the launch transaction: two launches that wait for each other would deadlock.
    perform from jobs where job_id in (select job_id from jsonb_to_recordset(given_jobs) as given (job_id bigint))
      order by job_id for no key update;
    select sum(given.parallel_task_runs) into wanted
    from jsonb_to_recordset(given_launches) as launch (job_id bigint)
    join jsonb_to_recordset(given_jobs) as given (job_id bigint, parallel_task_runs bigint) using (job_id);
    slots := least(lock_slots, (wanted + slot_size - 1) / slot_size);
    first_slot := pg_backend_pid() % (lock_slots - slots + 1);
    perform pg_advisory_xact_lock(lock_number, slot) from generate_series(first_slot, first_slot + slots - 1) as slot;
    if exists (select from runs where queue_code = 'ACTIVE_RUNS_LIMIT_REACHED') then
      return;
    end if;
    select least(slots * slot_size, max_task_runs - lock_slots * slot_size - coalesce(sum(coalesce(parallel_task_runs, 100)), 0))
      into budget from runs where active and queue_code is null;
    for job in
      select jobs.job_id, jobs.runs_started, jobs.settings, jobs.api_version, given.max_concurrent_runs,
        given.format, given.name, given.tasks, given.parallel_task_runs
      from jsonb_to_recordset(given_jobs) as given (job_id bigint, settings_revision bigint,
        max_concurrent_runs bigint, format text, name text, tasks jsonb, parallel_task_runs bigint)
      join jobs on jobs.job_id = given.job_id
      where jobs.settings_revision = given.settings_revision and jobs.deleted_time is null and not jobs.hidden
      order by jobs.job_id
    loop
      select least(job.max_concurrent_runs - count(*), budget / job.parallel_task_runs,
          (select count(*) from jsonb_to_recordset(given_launches) as launch (job_id bigint)
            where launch.job_id = job.job_id),
          case when count(queue_code) > 0 then 0 end)
        into granted
        from (select queue_code from runs where job_id = job.job_id and active limit job.max_concurrent_runs) as used;
      continue when granted <= 0;
      budget := budget - granted * job.parallel_task_runs;
      -- The runs of a job start in the order of their numbers, also when the clocks of two engines differ a little.
      select start_time into latest from runs where job_id = job.job_id order by start_time desc, run_id desc limit 1;
      latest := case when latest between at and at + 1000 then latest else at end;
      update jobs set runs_started = runs_started + granted where job_id = job.job_id;
      return query
        with launch as (
          select given.index, given.creator, given.parameters, nextval('run_ids') as run_id,
            job.runs_started + row_number() over (order by given.index) as number
          from (select * from jsonb_to_recordset(given_launches)
                as one (index integer, job_id bigint, creator text, parameters jsonb)
                where one.job_id = job.job_id order by one.index limit granted) as given
        ), stored_runs as (
          insert into runs (run_id, job_id, number_in_job, format, api_version, name, run_type, trigger, creator,
            settings, overriding_parameters, original_attempt_run_id, attempt, owner, parallel_task_runs,
            parallel_run_job_tasks, state, active,
            start_time)
          select launch.run_id, job.job_id, launch.number, job.format, job.api_version, job.name, 'JOB_RUN',
            'ONE_TIME', launch.creator, job.settings, launch.parameters, launch.run_id, 0, node, job.parallel_task_runs, 0,
            'PENDING', true, latest
          from launch
        ), stored_tasks as (
          insert into task_runs (run_id, job_run_id, task_key, attempt, state, active, message)
          select case job.format when 'SINGLE_TASK' then launch.run_id else nextval('run_ids') end,
            launch.run_id, task.task_key, 0, 'PENDING', true, task.message
          from launch cross join jsonb_to_recordset(job.tasks) as task (task_key text, message text)
          returning run_id, job_run_id, task_key
        )
        select launch.index, launch.run_id, launch.number, latest, (
          select jsonb_object_agg(stored_tasks.task_key, stored_tasks.run_id) from stored_tasks
          where stored_tasks.job_run_id = launch.run_id)
        from launch;
    end loop;
  end $$`,
];
