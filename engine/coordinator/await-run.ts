/**
 * Waits for the end of a run that a task has started, with its retries, and cancels it when the task is to
 * stop.
 */
import { cancelChildRun } from '../cancel.ts';
import type { Run } from '../run/run.ts';
import { isTerminal } from '../run/states.ts';
import { setRunTimer, type RunExecution } from './run-execution.ts';
import type { CoordinatorContext } from './coordinator-context.ts';
import { OwnershipLost } from './transition-run.ts';

/** Between two looks at a run that another node may drive, in milliseconds. */
const pollIntervalMs = 5_000;

/**
 * The latest attempt of a run once that is over; undefined when it was deleted before.
 * @param started the first attempt
 * @param stop aborted when the run is to be cancelled; its end is waited for all the same
 * @throws OwnershipLost when this node drives the waiting run no more
 */
export async function awaitRun(
  c: CoordinatorContext,
  active: RunExecution,
  started: number,
  stop: AbortSignal,
): Promise<Run | undefined> {
  let watched = started;
  let asked: number | undefined;
  for (;;) {
    // Listened for from before the look on: no end falls between the two.
    const ending = subscribeToEnd(c, watched);
    try {
      const latest = await c.runs.findLatestAttempt(started);
      if (latest === undefined || (await hasFinallyEnded(c, latest))) return latest;
      if (latest.runId === watched) {
        // A retry may have begun just before its predecessor was asked to stop.
        if (stop.aborted && asked !== watched) {
          await cancelChildRun({ runs: c.runs, stopRun: c.stopRun }, watched);
          asked = watched;
        }
        await waitForChange(c, active, ending.heard, asked === watched ? undefined : stop);
        if (active.released || c.isClosing()) throw new OwnershipLost();
      }
      watched = latest.runId;
    } finally {
      ending.quiet();
    }
  }
}

/** Whether a run is said to be over, from now on until `quiet` is called. */
function subscribeToEnd(
  c: CoordinatorContext,
  runId: number,
): { readonly heard: Promise<void>; readonly quiet: () => void } {
  const { promise, resolve } = Promise.withResolvers<void>();
  return { heard: promise, quiet: c.runEndListeners.subscribe(runId, resolve) };
}

/** A run that is over may have a retry, which was stored together with its end. */
async function hasFinallyEnded(c: CoordinatorContext, run: Run): Promise<boolean> {
  if (!isTerminal(run.progress.state)) return false;
  const latest = await c.runs.findLatestAttempt(run.originalAttemptRunId);
  return latest === undefined || latest.runId === run.runId;
}

/**
 * Resolves when the run is said to be over, it is to stop, or it is time to look again. Never when this node
 * lets go of it.
 */
async function waitForChange(
  c: CoordinatorContext,
  active: RunExecution,
  heard: Promise<void>,
  stop: AbortSignal | undefined,
): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>();
  void heard.then(resolve);
  const disarm = setRunTimer(active, c.clock, c.clock.now() + pollIntervalMs, resolve);
  const hear = (): void => resolve();
  stop?.addEventListener('abort', hear);
  if (stop?.aborted === true) resolve();
  await promise;
  stop?.removeEventListener('abort', hear);
  disarm();
}
