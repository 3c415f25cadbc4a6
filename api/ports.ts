/** What the operations ask of the world: types only. storage/ has what fits them, cli/ wires them together. */
import type { CancelPorts } from '../engine/cancel.ts';
import type { Clock } from '../engine/clock.ts';
import type { ApiVersion } from '../engine/job/format.ts';
import type { JobSettings } from '../engine/job/settings.ts';
import type { LaunchPorts } from '../engine/launch.ts';
import type { Limits } from '../engine/limits.ts';
import type { Notice } from '../engine/notification/notice.ts';
import type { Job } from '../engine/ports.ts';
import type { TaskOutput } from '../engine/run/output.ts';
import type { Run, RunType, RunWithTasks, TaskRun } from '../engine/run/run.ts';

export interface NewJob {
  readonly settings: JobSettings;
  readonly version: ApiVersion;
  readonly creator: string;
  readonly now: number;
}

export interface JobFilter {
  /** Exact, but without regard to case. */
  readonly name: string | undefined;
  /** Only jobs with a smaller id: those after the end of the page before. */
  readonly before: number | undefined;
  readonly offset: number;
  /** Undefined: all of them. */
  readonly limit: number | undefined;
}

export interface JobStore {
  /** @throws ServiceError QUOTA_EXCEEDED when `savedJobs` jobs are stored already */
  create(job: NewJob, savedJobs: number): Promise<number>;
  find(jobId: number): Promise<Job | undefined>;
  /** Newest first. */
  list(filter: JobFilter): Promise<Job[]>;
  /** Removes a job from every view; returns the ids of its active runs, none when it was gone already. */
  remove(jobId: number, now: number, notices: (job: Job) => Notice[]): Promise<number[]>;
}

export interface RunFilter {
  readonly jobId: number | undefined;
  /** True: active runs only; false: completed ones only; undefined: both. */
  readonly active: boolean | undefined;
  readonly type: RunType | undefined;
  /** Start times, epoch ms, both inclusive. */
  readonly startFrom: number | undefined;
  readonly startTo: number | undefined;
  /** Only runs with a smaller id: those after the end of the page before. */
  readonly before: number | undefined;
  readonly offset: number;
  readonly limit: number;
}

export interface RunReader {
  /** By the id of the run or of one of its task runs. */
  find(runId: number): Promise<RunWithTasks | undefined>;
  /** Newest first. */
  list(filter: RunFilter): Promise<Run[]>;
  /** The task runs of each of these runs, by run id; oldest attempt first within a task. */
  tasksOf(runIds: readonly number[]): Promise<ReadonlyMap<number, readonly TaskRun[]>>;
}

/** What the attempts left behind. Both take the id of a task run. */
export interface OutputReader {
  read(runId: number): Promise<TaskOutput | undefined>;
  /** The first `bytes` bytes of stdout and stderr, in that order; empty when there is nothing yet. */
  logs(runId: number, bytes: number): Promise<{ readonly text: string; readonly truncated: boolean }>;
}

/** The installation, as the pages of the console and the clients name it. */
export interface Site {
  /** Without a slash at the end. A function, because a port that the system picks is known only later. */
  publicUrl(): string;
  /** Decimal digits. */
  readonly workspaceId: string;
}

/** Everything that operations are made from; each takes the part that it needs. */
export interface OperationPorts {
  readonly jobs: JobStore;
  readonly runs: RunReader;
  readonly outputs: OutputReader;
  readonly launching: LaunchPorts;
  readonly cancelling: CancelPorts;
  readonly clock: Clock;
  readonly limits: Limits;
  /** Names of all known task kinds: the built-in ones and those of plugins. */
  readonly kinds: readonly string[];
  readonly site: Site;
}
