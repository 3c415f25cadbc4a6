/** Public runner plugin contract, version 1: the parts of a task kind, and the functions of the engine. */
import type { TSchema } from 'typebox';
import type { TaskOutcome, TaskCluster } from '../engine/run/assignment.ts';
import type { ChildRunResult, ChildRunRequest } from '../engine/run/child-run.ts';
import type { TaskValues } from '../engine/run/dynamic-values.ts';
import type { TaskOutput } from '../engine/run/task-output.ts';

export type { TaskOutcome, TaskCluster } from '../engine/run/assignment.ts';
export type { ChildRunResult, ChildRunRequest } from '../engine/run/child-run.ts';

/** Version of the contract; increased when plugins for an earlier one no longer work. */
export const contractVersion = 1;

/** A program to start. Arguments are passed without a shell. */
export interface Command {
  readonly argv: readonly [program: string, ...args: string[]];
  /** Absolute. Default: the working directory of the attempt. */
  readonly cwd?: string;
  /** Added to the environment of the task. */
  readonly env?: Readonly<Record<string, string>>;
}

/** Exit of a process. */
export type Exit =
  /** The process exited by itself. A code above 128 usually means a signal. */
  | { readonly kind: 'exited'; readonly code: number }
  /** The engine ended it because the task was cancelled or timed out. No process of its group remains. */
  | { readonly kind: 'stopped' }
  /**
   * The engine ended it because its log exceeded the limit and could not be truncated, or because the Spark
   * driver that it used is gone.
   */
  | { readonly kind: 'flooded'; readonly message: string }
  /** It vanished without an exit code: its machine was restarted, or its supervisor was killed too. */
  | { readonly kind: 'lost'; readonly message: string };

/**
 * Kind of file to locate. `notebook`: a workspace path without its extension; `at`: the newest revision not
 * later than that instant (epoch ms).
 */
export type LocateTarget = 'file' | 'notebook' | { readonly notebook: true; readonly at: number };

/** Context of one attempt: its facts, and functions of the engine. */
export interface RunnerContext {
  readonly jobId: number;
  /** The run that the task belongs to. */
  readonly jobRunId: number;
  /** Id of the attempt, as for runs/get-output. */
  readonly runId: number;
  readonly taskKey: string;
  /** 0 for the first attempt. */
  readonly attempt: number;
  /** Private directory of this attempt, with `stdout`, `stderr`, `output.json` and files of the runner. */
  readonly directory: string;
  /** Undefined for kinds without a cluster. */
  readonly cluster: TaskCluster | undefined;
  /** The task's `libraries`, as written. */
  readonly libraries: readonly Readonly<Record<string, unknown>>[];
  /** Parameters of run-now or submit, as written. They are already merged into `task`. */
  readonly parameters: Readonly<Record<string, unknown>>;
  /** Task values of upstream tasks: task key -> name -> JSON text. Every upstream task has an entry. */
  readonly taskValues: Readonly<Record<string, TaskValues>>;
  /** Environment of the processes of the task, without variables of the service. Commands can add to it. */
  readonly environment: Readonly<Record<string, string>>;
  /** Aborted on cancel and timeout. `exec` ends its process by itself. */
  readonly signal: AbortSignal;
  /** Size limits in bytes that runners enforce. */
  readonly limits: {
    readonly notebookResultBytes: number;
    readonly notebookCellBytes: number;
    readonly taskValueBytes: number;
    readonly taskValuesBytes: number;
  };

  /**
   * Starts a process, or attaches to the one that an earlier call with the same name started, because the
   * runner is called again after a restart of the engine. stdout and stderr go to files of the attempt.
   * @param name distinguishes processes of one attempt; the logs of `main` (the default) are shown. Letters,
   *   digits, `_` and `-`.
   */
  exec(command: Command, name?: string): Promise<Exit>;

  /**
   * Returns the absolute path of a file named in a task: `managed_fs:/x`, `objstore://bucket/x`, a workspace
   * path, or a path below an allowed root. The file is verified to be inside its root.
   * @param what `notebook` also tries the extensions of notebooks; see `LocateTarget`.
   * @throws LocateError when the file does not exist or must not be read; its message can become the state
   *   message.
   */
  locate(uri: string, what?: LocateTarget): Promise<string>;

  /** Returns the path of an interpreter on this machine (`python3`, `java`); undefined when it is missing. */
  interpreter(program: string): Promise<string | undefined>;

  /**
   * Starts a child run, a notebook on the cluster of this task (a WORKFLOW_RUN) or a stored job, and resolves
   * when it ends; it occupies no thread. Never rejects: a run that cannot start has the result FAILED, no
   * `runId`, and a message with the reason.
   *
   * The run is cancelled when this task stops or `options.signal` is aborted; the promise still waits for its
   * end.
   * @param options.key idempotency key of the run within this attempt. The runner is called again after a
   *   restart of the engine and must then use the same key.
   */
  launchJob(
    request: ChildRunRequest,
    options: { readonly key: string; readonly signal?: AbortSignal },
  ): Promise<ChildRunResult>;

  /** Writes the output of the attempt, as returned by get-output. The last call wins. */
  writeOutput(output: TaskOutput): Promise<void>;

  /** Writes a line to the log of the engine, with the ids of this attempt. */
  log(line: string): void;
}

/**
 * A task kind. An ES module named in RUNYARD_PLUGINS exports it as `plugin`. The module is loaded in threads
 * of its own, with the environment of tasks.
 *
 * Failures and their effects on the task:
 * - `run` throws or rejects: the task fails with the error and its trace, and its processes are killed.
 * - `run` returns a value that is not an outcome: the task fails.
 * - `run` does not return: the task runs until it is cancelled or times out. Then `signal` is aborted, and
 *   after the grace period the thread is terminated.
 * - the thread ends (process.exit, an exception in a callback, memory) or blocks: `run` is called again in a
 *   dedicated thread. After three tries the task ends as INTERNAL_ERROR.
 */
export interface RunnerPlugin<Task = unknown> {
  readonly contract: typeof contractVersion;
  /** Settings field with the body of the task, e.g. `notebook_task`; lower case, ends in `_task`. */
  readonly kind: string;
  /**
   * JSON schema of an object, without `$ref` and `$id`, that validates the field when a job is created.
   * Unknown fields are kept unless it has `additionalProperties: false`. References to dynamic values are
   * validated as written; `run` receives their values.
   */
  readonly schema: TSchema;
  /** False for kinds without a cluster: `context.cluster` is undefined unless the task names one. */
  readonly needsCluster: boolean;
  /**
   * Runs one attempt. Must be idempotent, because it is called again after a restart of the engine: work that
   * must happen once belongs into `context.exec`, which attaches to an existing process.
   * @param task body of the task, validated by `schema`, with resolved references
   */
  run(task: Task, context: RunnerContext): Promise<TaskOutcome>;
}

/** Error of a file that cannot be used. The message names the path and the reason. */
export class LocateError extends Error {
  constructor(message: string) {
    super(message);
    this.name = 'LocateError';
  }
}
