/**
 * What a run_job_task gives to the run that it starts, how deep it may go, and what it takes over from the
 * end.
 */
import { Type } from 'typebox';
import { Check } from 'typebox/value';
import { runParameterFields, type RunParameters } from './parameters.ts';
import type { Run } from './run.ts';
import type { ResultState } from './states.ts';

const ChildParametersSchema = Type.Object(runParameterFields);

/**
 * The parameters for run-now. @param body the value of `run_job_task`, which its schema has checked;
 * references resolved
 */
export function childParametersOf(body: Readonly<Record<string, unknown>>): RunParameters {
  const given = Object.fromEntries(Object.entries(body).filter(([field]) => field in runParameterFields));
  if (!Check(ChildParametersSchema, given))
    throw new Error('The parameters of a run_job_task are not those of its schema.');
  return given;
}

/**
 * Why a job may not be started from here: it would run inside itself, or too deep. Undefined when it may.
 * @param ancestors jobs whose runs led here, the starting one first
 * @param most how many run_job_tasks may stand between a run and the first one
 */
export function nestingError(ancestors: readonly number[], jobId: number, most: number): string | undefined {
  if (ancestors.includes(jobId)) {
    const chain = [...ancestors.toReversed(), jobId].join(' -> ');
    return `Job ${jobId} would start itself: its run_job_tasks form a cycle (${chain}).`;
  }
  if (ancestors.length <= most) return undefined;
  return `Job ${jobId} would be started by run_job_tasks nested ${ancestors.length} deep; at most ${most} are allowed.`;
}

/** The result and message that the task takes over. */
export function taskEndOf({ runId, jobId, progress: { state, result, message } }: Run): {
  readonly result: ResultState;
  readonly message: string;
} {
  if (state === 'TERMINATED' && result === 'SUCCESS') return { result, message: '' };
  const told = `Run ${runId} of job ${jobId} ended as ${state === 'TERMINATED' ? result : state}${message === '' ? '.' : `: ${message}`}`;
  // What was not run, or broke, is a failure of this task; the service itself has not failed it.
  return { result: state === 'TERMINATED' && result !== undefined ? result : 'FAILED', message: told };
}
