/**
 * A run that a task starts and waits for: what is asked, and what comes back. Plain data: it crosses threads.
 */
import type { RunParameters } from './parameters.ts';
import type { ResultState } from './states.ts';
import type { Run } from './run.ts';

/** What a task may start. */
export type ChildRunRequest =
  /** A notebook, as a WORKFLOW_RUN on the cluster of the task. */
  | {
      readonly kind: 'notebook';
      /** Absolute, in the workspace. */
      readonly path: string;
      readonly arguments: Readonly<Record<string, string>>;
      /** 0 for none. */
      readonly timeoutSeconds: number;
    }
  /** A stored job, as by run-now. */
  | { readonly kind: 'job'; readonly jobId: number; readonly parameters: RunParameters };

/** How it ended. */
export interface ChildRunResult {
  /** Absent when it could not be started. */
  readonly runId?: number;
  readonly result: ResultState;
  /** Why it did not succeed, in a sentence that names it; empty when it did. */
  readonly message: string;
  /** What a notebook gave to its exit call. */
  readonly value?: string;
}

/** The end of a run that could not be started. */
export function refusedChildRun(message: string): ChildRunResult {
  return { result: 'FAILED', message };
}

/**
 * Why no further run may be started from here: runs that start runs must end somewhere. Undefined when one
 * may.
 * @param depth how many runs led here, each started by a task of the one before; its own counts
 */
export function depthError(what: string, depth: number, most: number): string | undefined {
  if (depth <= most) return undefined;
  return `${what} would be started by notebooks nested ${depth} deep; at most ${most} are allowed.`;
}

/** @param why the error of its output, if it has one @param value what its notebook gave to the exit call */
export function toChildRunResult(
  what: string,
  { runId, progress }: Run,
  why: string | undefined,
  value: string | undefined,
): ChildRunResult {
  const { state, result = 'FAILED', message } = progress;
  if (state === 'TERMINATED' && result === 'SUCCESS')
    return { runId, result, message: '', ...(value !== undefined && { value }) };
  const reason = why ?? message;
  const told = `Run ${runId} of ${what} ended as ${state === 'TERMINATED' ? result : state}${reason === '' ? '.' : `: ${reason}`}`;
  return { runId, result: result === 'SUCCESS' ? 'FAILED' : result, message: told };
}
