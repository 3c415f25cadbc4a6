/** The pool that executes tasks. Types only; runners/ implements them. */
import type { OwnershipLost } from '../run/ownership.ts';
import type { TaskAssignment, TaskOutcome } from '../run/assignment.ts';
import type { ChildRunRequest, ChildRunResult } from '../run/child-run.ts';

/** A task in the pool. */
export interface PooledTask {
  /**
   * Outcome of the task. Never rejects: when the thread of the pool crashes, the pool checks the task's
   * process and reports `lost`.
   */
  readonly outcome: Promise<TaskOutcome>;
  /** Asks the task to stop; the outcome follows. Idempotent. */
  stop(): void;
}

/** Starts child runs on behalf of a task. */
export interface ChildRunLauncher {
  /**
   * Starts a child run, or finds the one that this task started with the same key, and waits for its end.
   * @param stop cancels the child run, or prevents its start, when aborted
   */
  launchChild(
    key: string,
    request: ChildRunRequest,
    stop: AbortSignal,
  ): Promise<ChildRunResult | OwnershipLost>;
}

export interface TaskPool {
  run(assignment: TaskAssignment, launcher: ChildRunLauncher): PooledTask;
}
