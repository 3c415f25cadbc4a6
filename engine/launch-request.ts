/** What a caller says of a run that it launches. */
import type { RunParameters } from './run/parameters.ts';

export interface LaunchRunRequest {
  readonly jobId: number;
  readonly parameters: RunParameters;
  readonly idempotencyToken: string | undefined;
  readonly creator: string;
  /** True when the run may wait in the queue; undefined leaves it to the job. */
  readonly queue?: boolean | undefined;
  /** The task run of the run_job_task that launches; it has one run, also when it asks again. */
  readonly launchedBy?: number;
  readonly child?: ChildRunOrigin;
}

/** Origin of a run that a program starts. Each key has one run, also when the program asks again. */
export interface ChildRunOrigin {
  /** Scope of the key; not the id of a job. */
  readonly idempotencyScope: number;
  readonly key: string;
  /** The task run of the program. */
  readonly parentTaskRun: number;
}
