/** The tables of schedules. */

export const scheduleTables = [
  // One row for each job that starts by itself. A paused one, and one that has run out, has no next fire.
  `create table schedules (
     job_id bigint primary key references jobs on delete cascade,
     next_fire_at bigint,
     last_fire_at bigint,
     problem text,
     constraint schedules_fire_forward check (next_fire_at > last_fire_at),
     constraint schedules_with_problem_rest check (problem is null or next_fire_at is null))`,
  `create index schedules_due on schedules (next_fire_at, job_id) where next_fire_at is not null`,
  // Whatever else goes wrong: one fire is one run.
  `alter table runs add column scheduled_time bigint,
     add constraint runs_scheduled_have_time check (trigger <> 'PERIODIC' or scheduled_time is not null)`,
  `create unique index runs_fire_once on runs (job_id, scheduled_time) where trigger = 'PERIODIC'`,
];
