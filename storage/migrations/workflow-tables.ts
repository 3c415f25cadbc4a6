/** What runs keep that a task started: a notebook that runs another one. */

export const workflowTables = [
  // One task may start many, each under a key of its own: those stand among the idempotency tokens.
  `alter table runs add column parent_task_run_id bigint`,
];
