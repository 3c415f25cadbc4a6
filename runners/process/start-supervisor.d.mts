import type { ChildProcess } from 'node:child_process';

/** Environment variable that marks the processes of an attempt with its directory. */
export const attemptMarker: 'RUNYARD_ATTEMPT_DIR';

/** Process to start, and the directory of its files. */
export interface SupervisorRequest {
  /** Absolute directory for `pid`, `exit`, `stdout` and `stderr`. */
  readonly directory: string;
  /** Directory of the attempt, with which all its processes are marked. */
  readonly attemptDirectory: string;
  readonly argv: readonly [string, ...string[]];
  /** Existing directory. */
  readonly cwd: string;
  /** Complete environment; nothing is inherited from the service. */
  readonly env: Readonly<Record<string, string>>;
  /** Command prefix that runs the supervisor as another user. */
  readonly runAs?: readonly string[] | undefined;
  /** Resource limits of the program, as options and values of `ulimit`. */
  readonly limits?: string | undefined;
}

/**
 * Starts the supervisor as a child of the calling process. It claims the attempt; of several supervisors of one
 * attempt, one runs the program and the others exit.
 * @throws Error when the directory cannot be written; a failed start is an `error` event of the child
 */
export function startSupervisor(request: SupervisorRequest): ChildProcess;
