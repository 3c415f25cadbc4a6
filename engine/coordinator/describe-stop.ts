/** Describes the stop of a run or task: whose limit or request it was, and what the task did then. */
import type { AttemptStop } from '../run/attempt-end.ts';
import type { Stop, StopPhase, StopRequest } from '../run/explain/failure.ts';
import type { Run } from '../run/run.ts';
import type { StopReason } from '../run/states.ts';
import type { CoordinatorContext } from './coordinator-context.ts';
import { isSingleTask, setStopRequest, type RunExecution } from './run-execution.ts';
import type { TaskExecution } from './task-execution.ts';

type StopContext = Pick<CoordinatorContext, 'runs' | 'clock'>;

/** Returns the stop of the run; undefined while it is not to stop. */
export async function describeRunStop(
  c: Pick<StopContext, 'runs'>,
  execution: RunExecution,
): Promise<Stop | undefined> {
  const { run } = execution;
  if (run.stopReason === undefined) return undefined;
  return run.stopReason === 'timeout'
    ? { reason: 'timeout', limit: { owner: ownerOf(run), seconds: run.settings.timeout_seconds ?? 0 } }
    : { reason: 'cancel', by: await findStopRequest(c, execution) };
}

/** Returns the stop of a task, with what the task did at that moment. */
export async function describeTaskStop(
  c: StopContext,
  execution: RunExecution,
  task: TaskExecution,
  reason: StopReason,
  note?: string,
): Promise<AttemptStop> {
  return { stop: await stopOf(c, execution, task, reason), phase: phaseOf(c, execution, task, note) };
}

async function stopOf(
  c: StopContext,
  execution: RunExecution,
  { settings }: TaskExecution,
  reason: StopReason,
): Promise<Stop> {
  const { run } = execution;
  if (reason === 'cancel') return { reason, by: await findStopRequest(c, execution) };
  const isOwn = run.stopReason !== 'timeout' && !isSingleTask(execution);
  return {
    reason,
    limit: isOwn
      ? { owner: `task ${settings.task_key}`, seconds: settings.timeout_seconds ?? 0 }
      : { owner: ownerOf(run), seconds: run.settings.timeout_seconds ?? 0 },
  };
}

/** Returns who owns the timeout of a run. A submission has no job that users know. */
function ownerOf({ type, name }: Run): string {
  return `${type === 'JOB_RUN' ? 'job' : 'run'} ${name}`;
}

/** Returns who asked for the stop of a run, as far as the run says. */
export function requestOfRun({ stopRequest, stopMessage }: Run): StopRequest | undefined {
  return stopMessage === undefined ? stopRequest : { text: stopMessage };
}

/** Reads who asked for the stop, once: another node may have stored it. */
async function findStopRequest(
  { runs }: Pick<StopContext, 'runs'>,
  execution: RunExecution,
): Promise<StopRequest | undefined> {
  const { runId } = execution.run;
  const known = requestOfRun(execution.run);
  if (known !== undefined) return known;
  const by = await runs.findStopRequest(runId);
  if (by !== undefined) setStopRequest(execution, by);
  return by;
}

function phaseOf(
  { clock }: Pick<StopContext, 'clock'>,
  execution: RunExecution,
  { taskRun, waitsFor, phase }: TaskExecution,
  note: string | undefined,
): StopPhase {
  const { state, startTime, runningTime, message } = taskRun.progress;
  const since = state === 'PENDING' ? (startTime ?? execution.run.progress.startTime) : runningTime;
  const durationMs = since === undefined ? undefined : Math.max(0, clock.now() - since);
  if (note !== undefined) return { kind: 'plugin', message: note, durationMs };
  if (state === 'PENDING')
    return message === '' && phase.kind === 'waiting'
      ? { kind: 'not started', message, durationMs: undefined }
      : { kind: 'waiting', message: message === '' ? 'Waiting for its cluster' : message, durationMs };
  return waitsFor === undefined
    ? { kind: 'running', message: '', durationMs }
    : { kind: 'child run', message: waitsFor, durationMs };
}
