/** Rules of run_job_task: parameters of the child run, nesting, and the end of the task. */
import { Type } from 'typebox';
import { Check } from 'typebox/value';
import { runParameterFields, type RunParameters } from './parameters.ts';
import { renderCause } from './explain/explanation.ts';
import type { Failure } from './explain/failure.ts';
import type { Run } from './run.ts';

const ChildParametersSchema = Type.Object(runParameterFields);

/** Returns the run-now parameters. @param body the value of `run_job_task`, checked and resolved */
export function childParametersOf(body: Readonly<Record<string, unknown>>): RunParameters {
  const given = Object.fromEntries(Object.entries(body).filter(([field]) => field in runParameterFields));
  if (!Check(ChildParametersSchema, given))
    throw new Error('The parameters of a run_job_task are not those of its schema.');
  return given;
}

/**
 * Returns why a job may not be started: it would run inside itself, or be nested too deep. Undefined when it
 * may.
 * @param ancestors jobs whose runs led here, the starting one first
 * @param max allowed number of run_job_tasks between a run and the first one
 */
export function nestingError(ancestors: readonly number[], jobId: number, max: number): string | undefined {
  if (ancestors.includes(jobId)) {
    const chain = [...ancestors.toReversed(), jobId].join(' -> ');
    return `Job ${jobId} would start itself: its run_job_tasks form a cycle (${chain}).`;
  }
  if (ancestors.length <= max) return undefined;
  return `Job ${jobId} would be started by run_job_tasks nested ${ancestors.length} deep; at most ${max} are allowed.`;
}

/**
 * Returns the failure of a run_job_task from the end of its child run; undefined for a success.
 * @param url page of the child run
 */
export function childFailureOf(
  { runId, jobId, name, progress }: Run,
  url: string,
): Extract<Failure, { kind: 'child' }> | undefined {
  const { state, result, message, explanation } = progress;
  if (state === 'TERMINATED' && result === 'SUCCESS') return undefined;
  return {
    kind: 'child',
    runId,
    jobId,
    jobName: name,
    end: state === 'TERMINATED' && result !== undefined ? result : state,
    message,
    cause: explanation && renderCause(explanation.cause, explanation.place),
    url,
  };
}
