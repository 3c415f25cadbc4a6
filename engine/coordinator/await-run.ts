/** Waiting for the end of a child run and its retries; cancels the child when its task is to stop. */
import { cancelChildRun } from '../cancel.ts';
import { ownershipLost, type OwnershipLost } from '../run/ownership.ts';
import type { Run } from '../run/run.ts';
import { isTerminal, type StopReason } from '../run/states.ts';
import type { CoordinatorContext } from './coordinator-context.ts';
import { setRunTimer, untilReleased, type RunExecution } from './run-execution.ts';
import type { TaskExecution } from './task-execution.ts';

export type AwaitContext = Pick<CoordinatorContext, 'runs' | 'clock' | 'runEndListeners' | 'stopRun'>;

/** Interval at which a run that another node may drive is read again, in milliseconds. */
const pollIntervalMs = 5_000;

/**
 * Waits for the end of a run; returns its latest attempt, or undefined when the run was deleted.
 * @param task the task that started the run
 * @param firstRunId the first attempt
 * @param stop aborted when the run is to be cancelled; its end is awaited all the same
 */
export async function awaitRun(
  c: AwaitContext,
  execution: RunExecution,
  task: TaskExecution,
  firstRunId: number,
  stop: AbortSignal,
): Promise<Run | undefined | OwnershipLost> {
  let watched = firstRunId;
  let cancelled: number | undefined;
  for (;;) {
    // Subscribes before the read, so that no end falls between the two.
    const ended = Promise.withResolvers<void>();
    const unsubscribe = c.runEndListeners.subscribe(watched, ended.resolve);
    try {
      const latest = await c.runs.findLatestAttempt(firstRunId);
      if (latest === undefined || (await hasFinallyEnded(c, latest))) return latest;
      if (latest.runId === watched) {
        // A retry may have begun just before its predecessor was asked to stop.
        if (stop.aborted && cancelled !== watched) {
          const message = childStopMessage(execution, task);
          await cancelChildRun({ runs: c.runs, stopRun: c.stopRun }, watched, message);
          cancelled = watched;
        }
        const pendingStop = cancelled === watched ? undefined : stop;
        if ((await waitForChange(c, execution, ended.promise, pendingStop)) === ownershipLost)
          return ownershipLost;
      }
      watched = latest.runId;
    } finally {
      unsubscribe();
    }
  }
}

const parentEnds: Readonly<Record<StopReason, string>> = { cancel: 'was cancelled', timeout: 'timed out' };

/** Returns the state_message of a child run that ends with its parent. */
function childStopMessage(
  { run }: RunExecution,
  { settings, stopReason, clusterLossMessage }: TaskExecution,
): string {
  const ended = clusterLossMessage === undefined ? 'has ended' : 'lost its cluster';
  const reason = stopReason === undefined ? ended : parentEnds[stopReason];
  return `Run cancelled by its parent: task ${settings.task_key} of run ${run.runId} ${reason}`;
}

/** Returns whether a run has ended without a retry, which would be stored together with its end. */
async function hasFinallyEnded({ runs }: Pick<AwaitContext, 'runs'>, run: Run): Promise<boolean> {
  if (!isTerminal(run.progress.state)) return false;
  const latest = await runs.findLatestAttempt(run.originalAttemptRunId);
  return latest === undefined || latest.runId === run.runId;
}

/** Waits for the end of the run on this node, the stop, or the next poll. */
async function waitForChange(
  { clock }: Pick<AwaitContext, 'clock'>,
  execution: RunExecution,
  ended: Promise<void>,
  stop: AbortSignal | undefined,
): Promise<void | OwnershipLost> {
  const woken = Promise.withResolvers<void>();
  const wake = (): void => woken.resolve();
  const cancelTimer = setRunTimer(execution, clock, clock.now() + pollIntervalMs, wake);
  stop?.addEventListener('abort', wake);
  if (stop?.aborted === true) wake();
  try {
    return await untilReleased(execution, Promise.race([ended, woken.promise]));
  } finally {
    stop?.removeEventListener('abort', wake);
    cancelTimer();
  }
}
