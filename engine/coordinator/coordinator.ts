/** Coordinator: drives the active runs of this node, each through its own queue of events. */
import { messageOf } from '../errors.ts';
import type { JobSettings } from '../job/settings.ts';
import type { RunStore } from '../ports/runs.ts';
import { ownershipLost } from '../run/ownership.ts';
import type { RunWithTasks } from '../run/run.ts';
import type { StopReason } from '../run/states.ts';
import { advanceRun } from './advance-run.ts';
import type { CoordinatorContext, CoordinatorPorts } from './coordinator-context.ts';
import type { ExecutionEvent } from './execution-events.ts';
import { handleEvent } from './handle-event.ts';
import {
  createRunExecution,
  isReleased,
  postEvent,
  releaseExecution,
  requestDecision,
  type RunExecution,
} from './run-execution.ts';
import { isExecuting } from './task-execution.ts';

export interface Coordinator {
  /** Drives a stored run that this node owns, from its stored state. */
  accept(run: RunWithTasks): void;
  /** Stops a run whose stop is stored. Ignored for a run that this node does not drive. */
  stop(runId: number, reason: StopReason, message?: string): void;
  /**
   * Applies changed timeouts, counted from the start of the run; one that is past stops the run at once.
   * Ignored for a run that this node does not drive.
   * @param settings the stored settings of the run, in which only timeouts have changed
   */
  updateTimeouts(runId: number, settings: JobSettings, revision?: number): void;
  /**
   * Returns the revision of the timeouts that this node knows; undefined for a run that it does not drive.
   */
  timeoutRevisionOf(runId: number): number | undefined;
  /** Returns the ids of the runs that this node drives. */
  listDrivenRuns(): number[];
  /** Stops driving runs that another node has adopted. */
  release(runIds: readonly number[]): void;
  /** Starts no more tasks and waits for those that run. Runs with further tasks stay active. */
  drain(): Promise<void>;
  /** Ends all tasks that execute on this node, because the node cannot go on. @param message why */
  endTasks(message: string): void;
  /** Returns whether this node drives a run. */
  isDriving(runId: number): boolean;
  /** Returns the number of runs that this node drives. */
  countDrivenRuns(): number;
  /** Releases all runs and waits for the writes under way. Task processes keep running. */
  close(): Promise<void>;
}

/** The runs that this node drives, and whether it takes more. */
interface CoordinatorState {
  readonly executions: Map<number, RunExecution>;
  readonly writes: Set<Promise<unknown>>;
  isClosing: boolean;
  isDraining: boolean;
}

export function createCoordinator(ports: CoordinatorPorts): Coordinator {
  const state: CoordinatorState = {
    executions: new Map(),
    writes: new Set(),
    isClosing: false,
    isDraining: false,
  };
  const { executions } = state;
  const context = createContext(ports, state);
  const post = (runId: number, event: ExecutionEvent): void => {
    const execution = executions.get(runId);
    if (execution !== undefined) context.post(execution, event);
  };
  return {
    accept: context.launchPorts.acceptRun,
    stop: (runId, reason, message) => post(runId, { kind: 'stop requested', reason, message }),
    updateTimeouts: (runId, settings, revision) =>
      post(runId, { kind: 'timeouts updated', settings, revision }),
    timeoutRevisionOf: (runId) => executions.get(runId)?.run.timeoutRevision,
    listDrivenRuns: () => [...executions.keys()],
    release(runIds) {
      for (const execution of runIds.map((runId) => executions.get(runId)))
        if (execution !== undefined) context.release(execution);
    },
    async drain() {
      state.isDraining = true;
      await waitForExecutingTasks(executions);
    },
    endTasks(message) {
      for (const execution of executions.values())
        for (const task of execution.tasks.values())
          if (isExecuting(task)) context.post(execution, { kind: 'cluster lost', task, message });
    },
    isDriving: (runId) => executions.has(runId),
    countDrivenRuns: () => executions.size,
    async close() {
      state.isClosing = true;
      const decisions = [...executions.values()].map((execution) => execution.lastDecision);
      for (const execution of executions.values()) context.release(execution);
      await Promise.all(decisions);
      await Promise.allSettled(state.writes);
    },
  };
}

function createContext(ports: CoordinatorPorts, state: CoordinatorState): CoordinatorContext {
  const { executions } = state;
  const runs = trackWrites(state.writes, ports.runs);
  const decide = (execution: RunExecution): void =>
    requestDecision(execution, () => decideOnce(context, execution));
  const context: CoordinatorContext = {
    ...ports,
    runs,
    post: (execution, event) =>
      postEvent(execution, event, (next) => handleOrLog(context, decide, execution, next)),
    release(execution) {
      releaseExecution(execution);
      const { runId } = execution.run;
      if (executions.get(runId) === execution) executions.delete(runId);
    },
    stopRun(runId, reason, message) {
      const execution = executions.get(runId);
      if (execution !== undefined) context.post(execution, { kind: 'stop requested', reason, message });
      ports.onCapacityFreed();
    },
    launchPorts: {
      ...ports,
      runs,
      acceptRun: (run) => acceptRun(context, state, run),
      onSkipped: ports.runEndListeners.notify,
    },
    isDraining: () => state.isDraining,
  };
  return context;
}

/** Handles one event. An error is logged, so that the events after it are handled. */
function handleOrLog(
  c: CoordinatorContext,
  decide: (execution: RunExecution) => void,
  execution: RunExecution,
  event: ExecutionEvent,
): void {
  try {
    handleEvent(c, decide, execution, event);
  } catch (error) {
    c.log.error(
      { run_id: execution.run.runId, event: event.kind, error: messageOf(error) },
      'The engine failed to handle an event of this run.',
    );
  }
}

/** Drives a stored run from its stored state. */
function acceptRun(
  c: Pick<CoordinatorContext, 'post' | 'release'>,
  { executions, isClosing }: CoordinatorState,
  stored: RunWithTasks,
): void {
  if (isClosing) return;
  const { runId } = stored.run;
  const earlier = executions.get(runId);
  // A run that comes back after another node had it: the state in memory is out of date.
  if (earlier !== undefined) c.release(earlier);
  const execution = createRunExecution(stored);
  executions.set(runId, execution);
  c.post(execution, { kind: 'accepted' });
}

/** Takes one decision about a run and releases the run when it has ended. */
async function decideOnce(c: CoordinatorContext, execution: RunExecution): Promise<void> {
  const { runId } = execution.run;
  try {
    const result = await advanceRun(c, execution);
    if (result === 'active') return;
    c.release(execution);
    if (result === ownershipLost) return;
    c.runEndListeners.notify(runId, execution.run.progress.explanation?.cause_code);
    c.onCapacityFreed();
  } catch (error) {
    if (isReleased(execution)) return;
    c.release(execution);
    c.log.error(
      { run_id: runId, error: messageOf(error) },
      'The engine failed to advance this run. The run stays active until an engine adopts it; restart this engine.',
    );
  }
}

/** Waits until no task has a process or a cleanup under way. */
async function waitForExecutingTasks(executions: ReadonlyMap<number, RunExecution>): Promise<void> {
  const drivers = (): Promise<void>[] =>
    [...executions.values()]
      .flatMap(({ tasks }) => [...tasks.values()])
      .filter(isExecuting)
      .flatMap((task) => task.driver ?? []);
  for (let running = drivers(); running.length > 0; running = drivers()) await Promise.race(running);
}

/** Returns the store with its writes and launches recorded while they are under way. */
function trackWrites(writes: Set<Promise<unknown>>, runs: RunStore): RunStore {
  const track = async <Result>(write: Promise<Result>): Promise<Result> => {
    writes.add(write);
    try {
      return await write;
    } finally {
      writes.delete(write);
    }
  };
  return {
    ...runs,
    write: (changeSet) => track(runs.write(changeSet)),
    launchTransaction: (steps, options) => track(runs.launchTransaction(steps, options)),
  };
}
