/**
 * Processes and directories of attempts on this machine. Types only; runners/ and storage/ implement them.
 */
import type { TaskValues } from '../run/dynamic-values.ts';
import type { TaskOutput } from '../run/task-output.ts';

/** Processes of attempts, read from the operating system. */
export interface ProcessTable {
  /** Lists the run ids of attempts that have living processes on this machine. */
  listAttempts(): Promise<readonly number[]>;
  /** Kills every process of an attempt. */
  killAttempt(runId: number): Promise<void>;
}

/** Directories of runs and clusters, and the files that attempts leave in them. */
export interface RunDirectories {
  /** Creates the private directory of an attempt and returns its absolute path. Idempotent. */
  ensureAttemptDirectory(runId: number): Promise<string>;
  /** Creates the directory of a cluster and returns its absolute path. Idempotent. */
  ensureClusterDirectory(clusterId: string): Promise<string>;
  /** Returns the task values set by an attempt. */
  readTaskValues(runId: number): Promise<TaskValues>;
  /** Returns the output stored by the attempt's runner; undefined when there is none. */
  readOutput(runId: number): Promise<TaskOutput | undefined>;
  /** Returns the id of the Spark application that an attempt started; undefined when there is none. */
  findSparkApplication(runId: number): Promise<string | undefined>;
}
