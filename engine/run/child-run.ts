/** Child run of a task: request and result. Plain data, because it crosses threads. */
import type { RunParameters } from './parameters.ts';
import { toSentence } from './explain/explanation.ts';
import type { ResultState } from './states.ts';
import type { Run } from './run.ts';

/** Request of a child run. */
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

/** End of a child run. */
export interface ChildRunResult {
  /** Absent when the run could not be started. */
  readonly runId?: number;
  readonly result: ResultState;
  /** Sentence that explains why the run did not succeed; empty when it did. */
  readonly message: string;
  /** Value of the notebook's exit call. */
  readonly value?: string;
}

/** Creates the result of a run that could not be started. */
export function refusedChildRun(message: string): ChildRunResult {
  return { result: 'FAILED', message };
}

/**
 * Returns why a run would be nested too deep; undefined when it may start.
 * @param depth length of the chain of runs that led here, the starting one included
 */
export function depthError(subject: string, depth: number, max: number): string | undefined {
  if (depth <= max) return undefined;
  return `${subject} would be started by notebooks nested ${depth} deep; at most ${max} are allowed.`;
}

/**
 * @param error the error of the run's output, if any
 * @param value the value of the notebook's exit call
 * @param url page of the child run
 */
export function toChildRunResult(
  subject: string,
  { runId, progress }: Run,
  error: string | undefined,
  value: string | undefined,
  url: string,
): ChildRunResult {
  const { state, result = 'FAILED', message } = progress;
  if (state === 'TERMINATED' && result === 'SUCCESS')
    return { runId, result, message: '', ...(value !== undefined && { value }) };
  const { cell, line } = progress.explanation?.place ?? {};
  const where = [cell && `cell ${cell}`, line && `line ${line}`].filter(Boolean).join(', ');
  const reason = error ?? progress.explanation?.cause ?? message;
  const end = `Run ${runId} of ${subject} ended as ${state === 'TERMINATED' ? result : state}`;
  const at = where === '' ? '' : ` in ${where}`;
  const text = `${end}${at}${toSentence(reason === '' ? '.' : `: ${reason}`)} Open run ${runId}: ${url}`;
  return { runId, result: result === 'SUCCESS' ? 'FAILED' : result, message: text };
}
