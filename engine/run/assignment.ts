/** Assignment of an attempt to a runner, and its outcome. Plain data, because it crosses threads. */
import type { ClusterRuntime } from '../cluster/inventory.ts';
import type { LibraryPaths } from '../cluster/libraries.ts';
import type { NodeType } from '../cluster/node-types.ts';
import type { Failure } from './explain/failure.ts';
import type { TaskValues } from './dynamic-values.ts';

/** Outcome of an attempt, as its runner reports it. */
export type TaskOutcome =
  | { readonly kind: 'succeeded' }
  /** The task failed. `message` begins the state_message; `failure` has the facts that explain it. */
  | { readonly kind: 'failed'; readonly message: string; readonly failure?: Failure }
  /** The task was stopped at the request of the engine. */
  | {
      readonly kind: 'stopped';
      /** Sentence about a task that did not stop by itself. */
      readonly note?: string;
    }
  /** The service failed, not the task (INTERNAL_ERROR). */
  | { readonly kind: 'lost'; readonly message: string };

/** Driver of a cluster: a Spark Connect server on this machine, which the tasks of the cluster share. */
export interface SparkDriver {
  /** Directory of its process, with its logs and its exit code. */
  readonly directory: string;
  /** Loopback port of the Connect server. */
  readonly port: number;
  /** Secret that clients present. */
  readonly token: string;
  /** Id of the Spark application, as shown by Spark. */
  readonly applicationId: string;
}

/** Spark of a cluster, for one task. */
export interface SparkCluster {
  readonly master: string;
  /** SPARK_HOME. */
  readonly home: string;
  /** Import directories of PySpark. */
  readonly pythonPath: readonly string[];
  /** Python interpreter of the workers; the same as that of the task. */
  readonly python: string;
  /** SPARK_CONF_DIR, with the master and all properties of the cluster. */
  readonly confDirectory: string;
  /** Scheme of a store -> directory of its files. */
  readonly stores: Readonly<Record<string, string>>;
  /** Engine of SQL cells and SQL notebooks. */
  readonly sql: 'spark' | 'duckdb';
  /** The shared driver; undefined for a task that has a driver of its own. */
  readonly driver: SparkDriver | undefined;
}

/** Cluster on which a task runs. */
export interface TaskCluster {
  readonly clusterId: string;
  /** Directory of the cluster. */
  readonly directory: string;
  /** `spark_env_vars` and variables of the cluster itself; part of the environment of every task on it. */
  readonly environment: Readonly<Record<string, string>>;
  /** Size of the driver, on which tasks run; undefined when unknown. */
  readonly nodeType?: NodeType | undefined;
  /** Nodes beside the driver; undefined for a cluster that was allocated on its first use. */
  readonly workers?: number | undefined;
  /** Installed libraries, for PYTHONPATH, PATH and the class path. */
  readonly libraries: LibraryPaths;
  /** `warm`: processes of tasks are forked from one with imported modules, where that is possible. */
  readonly runtime?: ClusterRuntime | undefined;
  /** Undefined on a cluster without Spark. */
  readonly spark?: SparkCluster | undefined;
}

/** Attempt of a task. */
export interface TaskAssignment {
  readonly jobId: number;
  readonly jobRunId: number;
  /** Id of the attempt. */
  readonly runId: number;
  readonly taskKey: string;
  readonly attempt: number;
  /** Settings field of the task, e.g. `notebook_task`. */
  readonly kind: string;
  /** Value of that field, with the parameters of the run and resolved references. */
  readonly task: Readonly<Record<string, unknown>>;
  readonly parameters: Readonly<Record<string, unknown>>;
  /** Values that upstream tasks have set, by task key. */
  readonly taskValues: Readonly<Record<string, TaskValues>>;
  readonly libraries: readonly Readonly<Record<string, unknown>>[];
  /** Absolute path of the private directory of the attempt. */
  readonly directory: string;
  readonly cluster: TaskCluster | undefined;
}
