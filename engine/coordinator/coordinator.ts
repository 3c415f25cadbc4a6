/**
 * The active runs of this node, each driven by events: accepted, stopped, advanced, and let go when they are
 * over.
 */
import { messageOf } from '../errors.ts';
import type { JobSettings } from '../job/settings.ts';
import type { RunStore } from '../ports/runs.ts';
import type { RunWithTasks } from '../run/run.ts';
import type { StopReason } from '../run/states.ts';
import { activeRunOf, isWorking, type ActiveRun } from './active-run.ts';
import { advanceRun } from './advance.ts';
import type { Coordination, CoordinatorPorts } from './coordination.ts';
import { armRunTimeout, retimeRun, stopRun } from './stop.ts';
import { armRunWarning } from './warn.ts';
import { LetGo } from './write.ts';

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
  retime(runId: number, settings: JobSettings, retimes?: number): void;
  /**
   * How often timeouts were changed of a run that this node drives, as far as it knows; undefined for every
   * other run.
   */
  retimesOf(runId: number): number | undefined;
  /** Ids of the runs that this node drives. */
  driven(): number[];
  /** Stops driving runs that another node has adopted. */
  letGo(runIds: readonly number[]): void;
  /**
   * Starts no task any more, and resolves when those that run are over. Runs that have more to do stay
   * active.
   */
  drain(): Promise<void>;
  /** Whether this node drives a run. */
  drives(runId: number): boolean;
  /** Number of runs that this node drives. */
  active(): number;
  /**
   * Lets go of everything: tasks go on running, and nothing more is written. Resolves when no write is under
   * way.
   */
  close(): Promise<void>;
}

export function createCoordinator(ports: CoordinatorPorts): Coordinator {
  const runs = new Map<number, ActiveRun>();
  let closing = false;
  let draining = false;

  const advance = (active: ActiveRun): void => {
    active.turn = active.turn.then(() =>
      active.retired || closing ? undefined : decide(coordination, active),
    );
  };
  const retire = (active: ActiveRun): void => retireFrom(runs, active);
  const stop = (runId: number, reason: StopReason): void => {
    const active = runs.get(runId);
    if (active !== undefined && stopRun(active, reason)) advance(active);
  };
  const writes = new Set<Promise<unknown>>();
  const noted = noting(writes, ports.runs);
  const coordination: Coordination = {
    ...ports,
    runs: noted,
    advance,
    letGo: retire,
    closing: () => closing,
    draining: () => draining,
    timeOut: ({ run: { runId } }) => void noteTimeout(ports, runId).then((reason) => stop(runId, reason)),
    stopRun(runId, reason) {
      stop(runId, reason);
      ports.freed();
    },
    launching: { ...ports, runs: noted, accept: (run) => accept(run) },
  };
  const accept: Coordinator['accept'] = (stored) => {
    if (closing) return;
    const former = runs.get(stored.run.runId);
    // Adopted back: what was known of it is out of date.
    if (former !== undefined) retire(former);
    runs.set(stored.run.runId, takeUp(coordination, stored));
  };

  return {
    accept,
    stop,
    retime(runId, settings, retimes) {
      const active = runs.get(runId);
      if (active !== undefined) retimeRun(coordination, active, settings, retimes);
    },
    retimesOf: (runId) => runs.get(runId)?.run.retimes,
    driven: () => [...runs.keys()],
    letGo(runIds) {
      for (const active of runIds.map((runId) => runs.get(runId))) if (active !== undefined) retire(active);
    },
    async drain() {
      draining = true;
      await workDone(runs);
    },
    drives: (runId) => runs.has(runId),
    active: () => runs.size,
    async close() {
      closing = true;
      const turns = [...runs.values()].map((active) => active.turn);
      for (const active of runs.values()) retire(active);
      await Promise.all(turns);
      await Promise.allSettled(writes);
    },
  };
}

/** Begins to drive a run. */
function takeUp(c: Coordination, stored: RunWithTasks): ActiveRun {
  const active = activeRunOf(stored);
  armRunTimeout(c, active);
  armRunWarning(c, active);
  c.advance(active);
  return active;
}

function retireFrom(runs: Map<number, ActiveRun>, active: ActiveRun): void {
  active.retired = true;
  for (const cancel of active.timers) cancel();
  if (runs.get(active.run.runId) === active) runs.delete(active.run.runId);
}

/** Resolves when no task has a process or a cleanup that is waited for. */
async function workDone(runs: ReadonlyMap<number, ActiveRun>): Promise<void> {
  const driven = (): Promise<void>[] =>
    [...runs.values()]
      .flatMap(({ tasks }) => [...tasks.values()])
      .filter(isWorking)
      .flatMap((task) => task.driven ?? []);
  for (let some = driven(); some.length > 0; some = driven()) await Promise.race(some);
}

/** One decision about a run, after which it may be over. */
async function decide(c: Coordination, active: ActiveRun): Promise<void> {
  const { runId } = active.run;
  try {
    if (!(await advanceRun(c, active))) return;
    c.letGo(active);
    c.endings.tell(runId);
    c.freed();
  } catch (error) {
    c.letGo(active);
    if (error instanceof LetGo || c.closing()) return;
    c.log.error(
      { run_id: runId, error: messageOf(error) },
      'The engine failed to advance this run. It stays active until an engine adopts it: restart this one.',
    );
  }
}

/**
 * Stores that the time of a run is over. Gives the reason for which it stops: a cancel may have come first.
 */
async function noteTimeout({ runs, log }: CoordinatorPorts, runId: number): Promise<StopReason> {
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
function noting(writes: Set<Promise<unknown>>, runs: RunStore): RunStore {
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
    launch: (steps, patience) => noted(runs.launch(steps, patience)),
  };
}
