/** Tables of jobs, their permissions and their schedules. */

export const jobTables = [
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
  // Every creation counts the jobs created within the last hour.
  `create index jobs_created on jobs (created_time)`,
  `create table job_permissions (
     job_id bigint not null references jobs on delete cascade,
     principal_id bigint references principals on delete cascade,
     group_name text,
     level text not null,
     constraint job_permissions_grantee_unique unique nulls not distinct (job_id, principal_id, group_name),
     constraint job_permissions_one_grantee check ((principal_id is null) <> (group_name is null)),
     constraint job_permissions_group_known check (group_name in ('users', 'admins')),
     constraint job_permissions_level_known check
       (level in ('CAN_VIEW', 'CAN_MANAGE_RUN', 'CAN_MANAGE', 'IS_OWNER')),
     constraint job_permissions_no_group_owns check (level <> 'IS_OWNER' or group_name is null))`,
  `create unique index job_permissions_one_owner on job_permissions (job_id) where level = 'IS_OWNER'`,
  `create index job_permissions_of_principal on job_permissions (principal_id, job_id)`,
  // One row for each job with a schedule. next_fire_at is null while the schedule is paused, has run out, or
  // is invalid.
  `create table schedules (
     job_id bigint primary key references jobs on delete cascade,
     next_fire_at bigint,
     last_fire_at bigint,
     problem text,
     constraint schedules_fire_forward check (next_fire_at > last_fire_at),
     constraint schedules_invalid_do_not_fire check (problem is null or next_fire_at is null))`,
  `create index schedules_due on schedules (next_fire_at, job_id) where next_fire_at is not null`,
];
