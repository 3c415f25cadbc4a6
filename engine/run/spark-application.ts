/**
 * Spark applications of attempts and clusters, found by their event logs: one file per application, named by its
 * id. spark-events.ts reads them.
 */

/** Name of the directory of event logs, in the directory of an attempt or driver. */
export const eventLogDirectory = 'spark-events';

/** Name of the directory of the logs of executors, in the directory of an attempt or driver. */
export const executorLogDirectory = 'executors';

/** Returns the id of the newest application among the names of event logs; undefined when there is none. */
export function newestApplicationId(names: readonly string[]): string | undefined {
  return names
    .map((name) => name.replace(/\.inprogress$/, '').replace(/\.(?:zstd|lz4|snappy|lzf)$/, ''))
    .filter((name) => /^[\w-]+$/.test(name))
    .toSorted()
    .at(-1);
}

export interface SparkExecutor {
  readonly id: string;
  /** `host:port`. */
  readonly host: string;
  readonly cores: number;
  /** Epoch ms. */
  readonly addedTime: number;
  readonly removedTime?: number;
  readonly removedReason?: string;
  /** Page of its log on its worker, by stream. */
  readonly logUrls: Readonly<Record<string, string>>;
}

export interface SparkStage {
  readonly stageId: number;
  readonly name: string;
  readonly tasks: number;
  /** Tasks that have succeeded. */
  tasksDone: number;
  readonly startedTime: number;
}

/** Counts of jobs; a skipped stage counts as completed. */
export interface SparkProgress {
  jobs: number;
  jobsDone: number;
  jobsFailed: number;
  stages: number;
  stagesDone: number;
  tasks: number;
  tasksDone: number;
}

export interface SparkJob {
  readonly session: string;
  /** Stages that are not completed. */
  readonly open: Map<number, PlannedStage>;
}

/** Stage of a job, as planned. */
export interface PlannedStage {
  readonly stageId: number;
  readonly name: string;
  readonly tasks: number;
  readonly parents: readonly number[];
}

/** What the log of an application has told so far. Changed by `foldSparkEvent`. */
export interface SparkApplication {
  applicationId: string;
  name: string;
  sparkVersion: string;
  startedTime: number;
  /** Undefined while it runs, and for a driver that was lost. */
  endedTime: number | undefined;
  readonly executors: Map<string, SparkExecutor>;
  /** Running stages. */
  readonly stages: Map<number, SparkStage & { readonly session: string }>;
  /** Running jobs. */
  readonly jobs: Map<number, SparkJob>;
  /** Progress of each session, in the order of their first jobs. */
  readonly progress: Map<string, SparkProgress>;
  /** Session -> user of Spark Connect: the task of a cluster that shares the application. */
  readonly users: Map<string, string>;
  /** Message of the newest failed job. */
  lastFailure: string | undefined;
}

export function newSparkApplication(): SparkApplication {
  return {
    applicationId: '',
    name: '',
    sparkVersion: '',
    startedTime: 0,
    endedTime: undefined,
    executors: new Map(),
    stages: new Map(),
    jobs: new Map(),
    progress: new Map(),
    users: new Map(),
    lastFailure: undefined,
  };
}

/**
 * Returns the progress of a user of Spark Connect, and the stages that run for them; of all users without one.
 */
export function progressOfUser(
  { progress, users, stages }: SparkApplication,
  user: string | undefined,
): { readonly progress: SparkProgress; readonly stages: readonly SparkStage[] } {
  const counts = (session: string): boolean => user === undefined || users.get(session) === user;
  const total = noProgress();
  for (const [session, own] of progress) {
    if (!counts(session)) continue;
    total.jobs += own.jobs;
    total.jobsDone += own.jobsDone;
    total.jobsFailed += own.jobsFailed;
    total.stages += own.stages;
    total.stagesDone += own.stagesDone;
    total.tasks += own.tasks;
    total.tasksDone += own.tasksDone;
  }
  return { progress: total, stages: [...stages.values()].filter(({ session }) => counts(session)) };
}

export function noProgress(): SparkProgress {
  return { jobs: 0, jobsDone: 0, jobsFailed: 0, stages: 0, stagesDone: 0, tasks: 0, tasksDone: 0 };
}
