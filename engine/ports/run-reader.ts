/** Read access to runs, for the API. Types only; storage/ implements them. */
import type { CauseCode } from '../run/explain/explanation.ts';
import type { Mask } from '../run/masking.ts';
import type { Repair } from '../run/repair-rounds.ts';
import type { Run, RunType, RunWithTasks, TaskRun } from '../run/run.ts';

/** Filter of a run list (spec 4.1 rule 6). */
export interface RunFilter {
  /** User name; restricts the list to runs of jobs on which this user has a permission. */
  readonly visibleTo?: string | undefined;
  readonly jobId: number | undefined;
  /** True: active runs only; false: completed runs only; undefined: both. */
  readonly active: boolean | undefined;
  readonly type: RunType | undefined;
  /** Only runs that failed for this cause. */
  readonly causeCode?: CauseCode | undefined;
  /** Range of start times, epoch ms, both ends inclusive. */
  readonly startFrom: number | undefined;
  readonly startTo: number | undefined;
  /** Cursor: restricts the list to runs that come after this one. */
  readonly before: { readonly startTime: number; readonly runId: number } | undefined;
  readonly offset: number;
  readonly limit: number;
}

export interface RunReader {
  /** Finds a run by its own id or by the id of one of its task runs. */
  find(runId: number): Promise<RunWithTasks | undefined>;
  /** Lists runs by start time, newest first. */
  list(filter: RunFilter): Promise<Run[]>;
  /** Returns the task runs of each run by run id; within a task the oldest attempt comes first. */
  listTaskRuns(runIds: readonly number[]): Promise<ReadonlyMap<number, readonly TaskRun[]>>;
  /** Finds the run started by an attempt of a run_job_task. */
  findLaunchedRun(taskRunId: number): Promise<{ readonly runId: number } | undefined>;
  /** Lists the attempts of a single-task run, which are runs of their own, oldest first. */
  listAttempts(run: Run): Promise<Run[]>;
  /** Returns the mask of a run: the secrets of its clusters, also of a cluster that it shared. */
  getMask(run: Run): Promise<Mask>;
  /** Lists the repairs of a run, oldest first. */
  listRepairs(run: Run): Promise<Repair[]>;
}
