/** Facts about a failure, from which its explanation is made. Plain data: runners send them across threads. */

/** A file of the user, with the position of the failure. */
export interface CodePlace {
  /** Path as users know it, or as the program printed it. */
  readonly file?: string | undefined;
  readonly cell?: number | undefined;
  readonly line?: number | undefined;
}

/** Whether the kernel has ended a program for lack of memory. */
export type OomKill =
  /** Its log names the process. */
  | { readonly kind: 'certain'; readonly record: string }
  /** It has ended processes of this machine while the program ran. */
  | { readonly kind: 'likely'; readonly kills: number }
  | { readonly kind: 'none' };

export type Failure =
  /** The program ended with an uncaught error. */
  | {
      readonly kind: 'error';
      /** First line of the error: `KeyError: 'region'`. */
      readonly error: string;
      readonly at?: CodePlace | undefined;
      /** Frames of the user's files, innermost last. */
      readonly frames?: readonly string[] | undefined;
      readonly foldedFrames?: number | undefined;
      /** Class path that was searched, as users know it. */
      readonly searched?: readonly string[] | undefined;
      /** Query that shows the rows that fail an expectation. */
      readonly rowsQuery?: string | undefined;
    }
  /** The program ended with a code, without an error that the runner found. */
  | {
      readonly kind: 'exit';
      /** `Python program`. */
      readonly program: string;
      readonly code: number;
      /** Cell that was running. */
      readonly at?: CodePlace | undefined;
      /** Sentence of the runner: `The Python program ended with exit code 3.` */
      readonly error: string;
      readonly lastLines: readonly string[];
      /** Set for a program that SIGKILL ended; undefined: unknown. */
      readonly oomKill?: OomKill | undefined;
    }
  /** The task could not be started, or the engine refused to go on. The message says why. */
  | {
      readonly kind: 'message';
      readonly message: string;
      /** True when the engine failed, not the task. */
      readonly lost?: boolean;
      /** Set when the sentence comes from the code or SQL of the user. */
      readonly origin?: 'user code';
      readonly at?: CodePlace | undefined;
      /** Query that shows the rows that fail an expectation. */
      readonly rowsQuery?: string | undefined;
    }
  | {
      readonly kind: 'library';
      readonly message: string;
      /** `pypi six==1.16.0`, and the index that was asked. */
      readonly libraries: readonly { readonly name: string; readonly index: string | undefined }[];
    }
  /** The cluster could not start or ended. `code`: that of the termination. */
  | { readonly kind: 'cluster'; readonly code: string; readonly clusterId: string; readonly message: string }
  /** The run that a run_job_task started did not succeed. */
  | {
      readonly kind: 'child';
      readonly runId: number;
      readonly jobId: number;
      readonly jobName: string;
      /** FAILED, TIMEDOUT, SKIPPED, ... */
      readonly end: string;
      /** state_message of the child, and its cause when it has one. */
      readonly message: string;
      readonly cause?: string | undefined;
      /** Page of the child run. */
      readonly url: string;
    }
  | { readonly kind: 'stop'; readonly stop: Stop; readonly phase: StopPhase };

/** Who or what asked for the end of a run. */
export type Stop =
  | { readonly reason: 'cancel'; readonly by: StopRequest | undefined }
  | { readonly reason: 'timeout'; readonly limit: TimeLimit };

/** Origin of a cancellation. */
export interface StopRequest {
  /** User who asked; absent when the engine did. */
  readonly user?: string | undefined;
  /** `the token "ci"`, `the console`. */
  readonly through?: string | undefined;
  /** Whole text of a stop that the engine asked for. */
  readonly text?: string | undefined;
  /** Why the engine asked: `run 112, which started it, was cancelled`. */
  readonly because?: string | undefined;
}

/** A timeout_seconds. */
export interface TimeLimit {
  /** `task load`, `job nightly`. */
  readonly owner: string;
  readonly seconds: number;
}

/** What the task did when it was stopped. */
export interface StopPhase {
  readonly kind: 'not started' | 'waiting' | 'running' | 'child run' | 'plugin';
  /** For `waiting`: the state_message of that moment. For `child run`: the child. */
  readonly message: string;
  /** Milliseconds in this phase. */
  readonly durationMs: number | undefined;
}

/** Where and how the attempt ran. */
export interface FailureContext {
  readonly taskKey: string;
  readonly runId: number;
  readonly attempt: number;
  /** True for a run with several tasks, which can be repaired. */
  readonly isMultiTask: boolean;
  /** Settings field of the task, e.g. `notebook_task`. */
  readonly taskKind: string;
  /** The file or notebook that the task names. */
  readonly file: string | undefined;
  readonly clusterId: string | undefined;
  /** `spark_env_vars` of the cluster named it. */
  readonly clusterPath: string | undefined;
  readonly nodeTypeId: string | undefined;
  /** Memory that a process of the task may use, MB; undefined: no limit known. */
  readonly memoryMb: number | undefined;
  /** The next larger node type, if there is one. */
  readonly largerNodeType: string | undefined;
  readonly host: string;
  /** Set while the disk of the data directory is full: its path. */
  readonly fullDisk: string | undefined;
}
