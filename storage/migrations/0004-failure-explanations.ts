/** Explanations of failures, their cause codes, and who asked for the stop of a run. */

export const failureExplanations: readonly string[] = [
  // Nullable: the version before neither writes nor reads these columns.
  `alter table runs add column explanation jsonb, add column cause_code text, add column stop_request jsonb`,
  `alter table task_runs add column explanation jsonb, add column cause_code text`,
  // Only failed runs are in the index: the updates of all others stay HOT.
  `create index runs_of_cause on runs (cause_code, start_time desc, run_id desc) where cause_code is not null`,
];
