/**
 * The runner plugin contract, version 1: what a task kind is made of and what it may ask of the engine.
 * Public.
 */
import type { TSchema } from 'typebox';
import type { TaskOutcome, TaskCluster } from '../engine/run/assignment.ts';
import type { ChildRunResult, ChildRunRequest } from '../engine/run/child-run.ts';
import type { TaskValues } from '../engine/run/dynamic-values.ts';
import type { TaskOutput } from '../engine/run/task-output.ts';

export type { TaskOutcome, TaskCluster } from '../engine/run/assignment.ts';
export type { ChildRunResult, ChildRunRequest } from '../engine/run/child-run.ts';

/** Raised when a plugin written for an earlier contract would no longer work. */
export const contractVersion = 1;

/** A program to start: its arguments are passed as they are, no shell reads them. */
export interface Command {
  readonly argv: readonly [program: string, ...args: string[]];
  /** Absolute; the attempt's working directory when absent. */
  readonly cwd?: string;
  /** Added to the task's environment (which holds nothing of the service's own). */
  readonly env?: Readonly<Record<string, string>>;
}

/** How a process ended. */
export type Exit =
  /** It ended by itself. A code above 128 usually means a signal: `describeExit` says which. */
  | { readonly kind: 'exited'; readonly code: number }
  /** It was ended because the task was cancelled or timed out. Nothing of its process group is left. */
  | { readonly kind: 'stopped' }
  /** It filled its log beyond the limit and was ended for it. */
  | { readonly kind: 'flooded'; readonly message: string }
  /**
   * It is gone and nobody saw how: its machine was restarted, or it was killed together with its supervisor.
   */
  | { readonly kind: 'lost'; readonly message: string };

/**
 * What is looked for. `notebook`: a workspace path that may lack its extension; with `at` the newest revision
 * that is not later than that instant (epoch ms).
 */
export type LocateTarget = 'file' | 'notebook' | { readonly notebook: true; readonly at: number };

/** What a runner may ask of the engine while it runs one attempt of one task. */
export interface RunnerContext {
  readonly jobId: number;
  /** The run that the task belongs to. */
  readonly jobRunId: number;
  /** The attempt itself: what runs/get-output is asked for. */
  readonly runId: number;
  readonly taskKey: string;
  /** 0 for the first attempt. */
  readonly attempt: number;
  /** Private directory of this attempt: `stdout`, `stderr`, `output.json` and whatever the runner keeps. */
  readonly directory: string;
  /** Absent for kinds that need no compute. */
  readonly cluster: TaskCluster | undefined;
  /** The task's `libraries`, as written. */
  readonly libraries: readonly Readonly<Record<string, unknown>>[];
  /**
   * The parameters given to run-now or submit, as written; `task` already carries them merged, and every
   * reference to a dynamic value resolved.
   */
  readonly parameters: Readonly<Record<string, unknown>>;
  /**
   * What the tasks before this one have set: task key -> name -> JSON text. Every task before it has an
   * entry.
   */
  readonly taskValues: Readonly<Record<string, TaskValues>>;
  /**
   * The whole environment of the task's processes, to which a command adds its own. Nothing of the service's
   * own is in it.
   */
  readonly environment: Readonly<Record<string, string>>;
  /** Aborted when the task is to stop (cancel or timeout). `exec` stops its process by itself. */
  readonly signal: AbortSignal;
  /** Size limits in bytes that a runner keeps. */
  readonly limits: {
    readonly notebookResultBytes: number;
    readonly notebookCellBytes: number;
    readonly taskValueBytes: number;
    readonly taskValuesBytes: number;
  };

  /**
   * Starts a process, or attaches to the one an earlier call with the same name started: after a restart of
   * the engine the runner is simply called again. stdout and stderr go straight to files of the attempt.
   * @param name tells several processes of one attempt apart; `main` (the default) is the one whose logs are
   *   shown. Made of letters, digits, `_` and `-`.
   */
  exec(command: Command, name?: string): Promise<Exit>;

  /**
   * The absolute path of a file named in a task: `managed_fs:/x`, `objstore://bucket/x`, a workspace path, or
   * a path below an allowed root. Proven to lie inside its root.
   * @param what `notebook` also finds the path with its extension added; see `LocateTarget`.
   * @throws LocateError when there is no such file or it may not be read; its message is fit for the run's
   *   state.
   */
  locate(uri: string, what?: LocateTarget): Promise<string>;

  /**
   * The path of an interpreter on this machine (`python3`, `java`), looked up once. Undefined when there is
   * none.
   */
  interpreter(program: string): Promise<string | undefined>;

  /**
   * Starts another run, a notebook on the cluster of this task (a WORKFLOW_RUN) or a stored job, and resolves
   * when it is over; it holds no thread meanwhile. It never rejects: what cannot be started has `result`
   * FAILED, no `runId`, and a message that says why.
   *
   * The run is cancelled when this task is to stop, or `options.signal` is aborted; its end is waited for all
   * the same.
   * @param options.key names the run within this attempt: one key gets one run, however often it is asked
   *   for. A runner is
   *   called again after a restart of the engine, so a key must be the same then (no random value that is not
   * kept).
   */
  launchJob(
    request: ChildRunRequest,
    options: { readonly key: string; readonly signal?: AbortSignal },
  ): Promise<ChildRunResult>;

  /** Keeps the attempt's output: what get-output answers with. The last call wins. */
  writeOutput(output: TaskOutput): Promise<void>;

  /** A line for the engine's log, with the ids of this attempt. */
  log(line: string): void;
}

/**
 * A task kind. An ES module named in the configuration (RUNYARD_PLUGINS) exports one as `plugin`. The module
 * is loaded in threads of its own, never in that of the engine or of another plugin; there it sees the
 * environment of tasks.
 *
 * What may go wrong, and what becomes of the task then:
 * - `run` throws or rejects: the task fails with the error, its trace is kept, its processes are ended.
 * - `run` ends with something that is no outcome: the task fails and says so.
 * - `run` does not end: the task runs until it is cancelled or times out; `signal` is aborted then, and after
 *   the grace
 *   period the thread is ended.
 * - the thread ends (process.exit, an exception in a callback, memory) or is blocked: `run` is called again,
 *   in a thread of
 *   its own; a thread that ends three times ends the task as INTERNAL_ERROR.
 */
export interface RunnerPlugin<Task = unknown> {
  readonly contract: typeof contractVersion;
  /** The settings field that holds such a task, e.g. `notebook_task`: lower case, ends in `_task`. */
  readonly kind: string;
  /**
   * Validates the field's value when a job is created: a JSON schema of an object that stands alone (no
   * `$ref`, no `$id`). Unknown fields are kept unless it says `additionalProperties: false`. A text in which
   * a reference to a dynamic value stands is checked as it is written, and given to `run` with the value in
   * its place.
   */
  readonly schema: TSchema;
  /**
   * False for kinds that need no cluster: `context.cluster` is undefined then, unless the task names one all
   * the same.
   */
  readonly needsCluster: boolean;
  /**
   * Runs one attempt. It may be called again for the same attempt after a restart of the engine, and must
   * then come to the same end: everything that must happen once goes through `context.exec`, which attaches
   * to the process that is there.
   * @param task the value of the field, checked by `schema`, with the values of its references
   */
  run(task: Task, context: RunnerContext): Promise<TaskOutcome>;
}

/** A file named in a task cannot be used. The message names the path and what is wrong with it. */
export class LocateError extends Error {
  constructor(message: string) {
    super(message);
    this.name = 'LocateError';
  }
}
