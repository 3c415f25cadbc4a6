/** Spark applications of clusters, for the API. Types only; runners/ implements them. */
import type { SparkApplication, SparkProgress, SparkStage } from '../run/spark-application.ts';

/** An application of a cluster: its shared driver, or a task with a driver of its own. */
export interface ClusterApplication {
  readonly application: SparkApplication;
  /** Id of the task run whose driver it is; undefined for the shared driver. */
  readonly runId: number | undefined;
  /** LOST: its driver is gone, and did not end the application. */
  readonly state: 'RUNNING' | 'FINISHED' | 'LOST';
  /** True while this engine can show Spark's own pages of it. */
  readonly hasPages: boolean;
}

/** What Spark computes for one task run. */
export interface TaskProgress {
  readonly applicationId: string;
  readonly progress: SparkProgress;
  /** Running stages. */
  readonly stages: readonly SparkStage[];
}

/** A page of Spark. */
export interface SparkPage {
  readonly status: number;
  readonly contentType: string;
  /** Path to go to instead, below the pages of the application. */
  readonly location: string | undefined;
  readonly content: Buffer;
}

export interface SparkApplications {
  /** Lists the applications of a cluster, newest first. */
  list(clusterId: string): Promise<ClusterApplication[]>;
  /** Returns the progress of a task run; undefined when it has not used Spark. */
  findProgress(runId: number): Promise<TaskProgress | undefined>;
  /**
   * Reads one of Spark's own pages of a running application.
   * @param path begins with a slash; with its query
   * @param base path below which the reader sees the pages; their links begin with it
   * @returns undefined when the application does not run on this machine
   */
  readPage(
    clusterId: string,
    applicationId: string,
    path: string,
    base: string,
  ): Promise<SparkPage | undefined>;
}
