/**
 * The active runs of this node, each driven by events: accepted, stopped, advanced, and let go when they are
 * over.
 */
import { messageOf } from '../errors.ts';
import type { JobSettings } from '../job/settings.ts';
import type { RunStore } from '../ports/runs.ts';
import type { RunWithTasks } from '../run/run.ts';
import type { StopReason } from '../run/states.ts';
import { createRunExecution, isExecuting, type RunExecution } from './run-execution.ts';
import { advanceRun } from './advance-run.ts';
import type { CoordinatorContext, CoordinatorPorts } from './coordinator-context.ts';
import { setRunTimeout, updateRunTimeouts, stopRun } from './stop.ts';
import { setRunWarning } from './duration-warnings.ts';
import { OwnershipLost } from './transition-run.ts';

export interface Coordinator {
  /** Drives a stored run that this node owns, from wherever it stands. */
  accept(run: RunWithTasks): void;
  /** Ends a run whose stop has been noted. Nothing happens for a run that this node does not drive. */
  stop(runId: number, reason: StopReason): void;
  /**
   * Gives a run other timeouts, counted from its start: one that is over already strikes at once. `settings`
   * are those of the run with nothing but timeouts changed, as they are stored. Nothing happens for a run
   * that this node does not drive.
   */
  updateTimeouts(runId: number, settings: JobSettings, retimes?: number): void;
  /**
   * How often timeouts were changed of a run that this node drives, as far as it knows; undefined for every
   * other run.
   */
  timeoutRevisionOf(runId: number): number | undefined;
  /** Ids of the runs that this node drives. */
  listDrivenRuns(): number[];
  /** Stops driving runs that another node has adopted. */
  release(runIds: readonly number[]): void;
  /**
   * Starts no task any more, and resolves when those that run are over. Runs that have more to do stay
   * active.
   */
  drain(): Promise<void>;
  /** Whether this node drives a run. */
  isDriving(runId: number): boolean;
  /** Number of runs that this node drives. */
  countDrivenRuns(): number;
  /**
   * Lets go of everything: tasks go on running, and nothing more is written. Resolves when no write is under
   * way.
   */
  close(): Promise<void>;
}

export function createCoordinator(ports: CoordinatorPorts): Coordinator {
  const runs = new Map<number, RunExecution>();
  let closing = false;
  let draining = false;

  const advance = (active: RunExecution): void => {
    active.lastDecision = active.lastDecision.then(() =>
      active.released || closing ? undefined : decideOnce(coordination, active),
    );
  };
  const retire = (active: RunExecution): void => releaseExecution(runs, active);
  const stop = (runId: number, reason: StopReason): void => {
    const active = runs.get(runId);
    if (active !== undefined && stopRun(active, reason)) advance(active);
  };
  const writes = new Set<Promise<unknown>>();
  const noted = trackWrites(writes, ports.runs);
  const coordination: CoordinatorContext = {
    ...ports,
    runs: noted,
    advance,
    release: retire,
    isClosing: () => closing,
    isDraining: () => draining,
    stopOnTimeout: ({ run: { runId } }) =>
      void recordTimeout(ports, runId).then((reason) => stop(runId, reason)),
    stopRun(runId, reason) {
      stop(runId, reason);
      ports.onCapacityFreed();
    },
    launchPorts: { ...ports, runs: noted, acceptRun: (run) => accept(run) },
  };
  const accept: Coordinator['accept'] = (stored) => {
    if (closing) return;
    const former = runs.get(stored.run.runId);
    // Adopted back: what was known of it is out of date.
    if (former !== undefined) retire(former);
    runs.set(stored.run.runId, resumeRun(coordination, stored));
  };

  return {
    accept,
    stop,
    updateTimeouts(runId, settings, retimes) {
      const active = runs.get(runId);
      if (active !== undefined) updateRunTimeouts(coordination, active, settings, retimes);
    },
    timeoutRevisionOf: (runId) => runs.get(runId)?.run.timeoutRevision,
    listDrivenRuns: () => [...runs.keys()],
    release(runIds) {
      for (const active of runIds.map((runId) => runs.get(runId))) if (active !== undefined) retire(active);
    },
    async drain() {
      draining = true;
      await waitForExecutingTasks(runs);
    },
    isDriving: (runId) => runs.has(runId),
    countDrivenRuns: () => runs.size,
    async close() {
      closing = true;
      const turns = [...runs.values()].map((active) => active.lastDecision);
      for (const active of runs.values()) retire(active);
      await Promise.all(turns);
      await Promise.allSettled(writes);
    },
  };
}

/** Begins to drive a run. */
function resumeRun(c: CoordinatorContext, stored: RunWithTasks): RunExecution {
  const active = createRunExecution(stored);
  setRunTimeout(c, active);
  setRunWarning(c, active);
  c.advance(active);
  return active;
}

function releaseExecution(runs: Map<number, RunExecution>, active: RunExecution): void {
  active.released = true;
  for (const cancel of active.cancelTimers) cancel();
  if (runs.get(active.run.runId) === active) runs.delete(active.run.runId);
}

/** Resolves when no task has a process or a cleanup that is waited for. */
async function waitForExecutingTasks(runs: ReadonlyMap<number, RunExecution>): Promise<void> {
  const driven = (): Promise<void>[] =>
    [...runs.values()]
      .flatMap(({ tasks }) => [...tasks.values()])
      .filter(isExecuting)
      .flatMap((task) => task.driverDone ?? []);
  for (let some = driven(); some.length > 0; some = driven()) await Promise.race(some);
}

/** One decision about a run, after which it may be over. */
async function decideOnce(c: CoordinatorContext, active: RunExecution): Promise<void> {
  const { runId } = active.run;
  try {
    if (!(await advanceRun(c, active))) return;
    c.release(active);
    c.runEndListeners.notify(runId);
    c.onCapacityFreed();
  } catch (error) {
    c.release(active);
    if (error instanceof OwnershipLost || c.isClosing()) return;
    c.log.error(
      { run_id: runId, error: messageOf(error) },
      'The engine failed to advance this run. It stays active until an engine adopts it: restart this one.',
    );
  }
}

/**
 * Stores that the time of a run is over. Gives the reason for which it stops: a cancel may have come first.
 */
async function recordTimeout({ runs, log }: CoordinatorPorts, runId: number): Promise<StopReason> {
  try {
    return (await runs.requestStop(runId, 'timeout'))?.stopReason ?? 'timeout';
  } catch (error) {
    // An engine that adopts the run finds the time over by itself.
    log.warn(
      { run_id: runId, error: messageOf(error) },
      'The timeout of this run could not be stored; it is stopped all the same.',
    );
    return 'timeout';
  }
}

/** The store, with its writes and launches that are under way kept in `writes`. */
function trackWrites(writes: Set<Promise<unknown>>, runs: RunStore): RunStore {
  const noted = async <Result>(writing: Promise<Result>): Promise<Result> => {
    writes.add(writing);
    try {
      return await writing;
    } finally {
      writes.delete(writing);
    }
  };
  return {
    ...runs,
    write: (changeSet) => noted(runs.write(changeSet)),
    launchTransaction: (steps, onOutage) => noted(runs.launchTransaction(steps, onOutage)),
  };
}
