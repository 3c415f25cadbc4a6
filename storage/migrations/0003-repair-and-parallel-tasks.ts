/**
 * Repairs of single-task runs, with other settings and from the queue; the largest number of active task runs
 * of a run; the reason of a stop by a parent run.
 */
export const repairAndParallelTasks = [
  // Null: all active task runs of the run count, as for runs that an earlier version started.
  `alter table runs add column parallel_task_runs integer`,
  `alter table runs add column parallel_run_job_tasks integer`,
  // The state_message of a run that was stopped for another reason than the request of a user.
  `alter table runs add column stop_message text`,
  `alter table runs drop constraint runs_repaired_are_multi_task`,
  // Settings of the round before, when the repair changed them.
  `alter table repairs add column earlier_settings jsonb`,
  // A repair that waited too long in the queue is skipped; the run can be repaired again.
  `alter table repairs drop constraint repairs_ended_state_known`,
  `alter table repairs add constraint repairs_ended_state_known
     check (ended_state in ('TERMINATED', 'SKIPPED', 'INTERNAL_ERROR'))`,
];
