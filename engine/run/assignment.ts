/** What the engine hands to a runner for one attempt, and what comes back. Plain data: it crosses threads. */

import type { LibraryPaths } from '../cluster/libraries.ts';
import type { NodeType } from '../cluster/node-types.ts';
import type { TaskValues } from './dynamic-values.ts';

/** How a task ended, as its runner says it. */
export type TaskOutcome =
  | { readonly kind: 'succeeded' }
  /** The work itself failed. `message` becomes the state_message. */
  | { readonly kind: 'failed'; readonly message: string }
  /** The task was stopped because the engine asked for it. */
  | { readonly kind: 'stopped' }
  /** The service failed the task, not the task itself (INTERNAL_ERROR). */
  | { readonly kind: 'lost'; readonly message: string };

/** The cluster that a task runs on. */
export interface TaskCluster {
  readonly clusterId: string;
  /** The cluster's own directory. */
  readonly directory: string;
  /** `spark_env_vars` and the cluster's own variables; part of the environment of every task on it. */
  readonly environment: Readonly<Record<string, string>>;
  /** Size of the node that tasks run on, the driver; undefined when it is not known. */
  readonly nodeType?: NodeType | undefined;
  /** Nodes beside the driver; undefined for a cluster that was allocated on its first use. */
  readonly workers?: number | undefined;
  /** What is installed on it, for PYTHONPATH, PATH and class path. */
  readonly libraries: LibraryPaths;
}

/** One attempt of one task. */
export interface TaskAssignment {
  readonly jobId: number;
  readonly jobRunId: number;
  /** The attempt's own id. */
  readonly runId: number;
  readonly taskKey: string;
  readonly attempt: number;
  /** The settings field that holds the task, e.g. `notebook_task`. */
  readonly kind: string;
  /**
   * The value of that field, with the run's parameters merged in and references to dynamic values resolved.
   */
  readonly task: Readonly<Record<string, unknown>>;
  readonly parameters: Readonly<Record<string, unknown>>;
  /** What the tasks before this one have set, by task key. */
  readonly taskValues: Readonly<Record<string, TaskValues>>;
  readonly libraries: readonly Readonly<Record<string, unknown>>[];
  /** Absolute private directory of the attempt. */
  readonly directory: string;
  readonly cluster: TaskCluster | undefined;
}
