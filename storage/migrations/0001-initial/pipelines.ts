/** Tables of pipelines and their updates. The state of an update is that of its task run. */

export const pipelineTables = [
  `create table pipelines (
     pipeline_id uuid primary key,
     number bigint generated always as identity (maxvalue 9007199254740991)
       constraint pipelines_number_unique unique,
     name text not null,
     creator text not null,
     created_time bigint not null,
     modified_time bigint not null,
     document jsonb,
     spec_path text,
     constraint pipelines_name_given check (name <> ''),
     constraint pipelines_one_source check ((document is null) <> (spec_path is null)))`,
  `create index pipelines_by_name on pipelines (name)`,
  `create table pipeline_updates (
     update_id uuid primary key,
     number bigint generated always as identity (maxvalue 9007199254740991)
       constraint pipeline_updates_number_unique unique,
     pipeline_id uuid not null references pipelines on delete cascade,
     run_id bigint not null
       constraint pipeline_updates_run_unique unique references task_runs on delete cascade,
     cause text not null,
     request jsonb not null,
     storage text,
     created_time bigint not null,
     constraint pipeline_updates_cause_known check (cause in ('API_CALL', 'JOB_TASK')))`,
  `create index pipeline_updates_of_pipeline on pipeline_updates (pipeline_id, number desc)`,
];
