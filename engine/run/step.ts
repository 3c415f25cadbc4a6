/** One step of a life: the write that it needs, and where the run or task run stands after it. */
import type { Progress } from './run.ts';
import { isTerminal, type LifeCycleState, type ResultState } from './states.ts';
import { next, type RunEvent, type Stamp } from './transitions.ts';

/** One write of states. Rows that are no longer in the state and fence that it names stay as they are. */
export interface StateChange {
  readonly kind: 'run' | 'task';
  readonly runId: number;
  readonly from: LifeCycleState;
  readonly to: LifeCycleState;
  readonly fence: number;
  /** Epoch ms of the transition; the stamps named by the transition are set to it. */
  readonly at: number;
  readonly stampStart: boolean;
  readonly stampRunning: boolean;
  readonly stampTerminating: boolean;
  readonly stampEnd: boolean;
  /** Notes that a notice says that it lasted too long. */
  readonly warned?: boolean;
  readonly result?: ResultState;
  readonly message?: string;
  readonly clusterId?: string;
  readonly sparkContextId?: string;
}

/** What stands somewhere in its life: a run or a task run. */
export interface StepSubject {
  readonly kind: 'run' | 'task';
  readonly runId: number;
  readonly fence: number;
  readonly progress: Progress;
}

/** What moves a life on. A repair is no step of it: it opens a life that is over (engine/run/repair.ts). */
export type StepEvent = Exclude<RunEvent, 'repair'>;

/** What a step adds to what is known. */
export interface StepFacts {
  readonly result?: ResultState;
  readonly message?: string;
  readonly clusterId?: string;
  readonly sparkContextId?: string;
}

export interface Step {
  readonly change: StateChange;
  readonly progress: Progress;
}

/**
 * The step of `subject` at `now` (epoch ms) when `event` happens.
 * @throws Error when the table of transitions has no such row: a bug of the caller
 */
export function stepOf(subject: StepSubject, event: StepEvent, now: number, facts: StepFacts = {}): Step {
  const { kind, runId, fence, progress } = subject;
  const row = next(progress.state, event);
  if (row === undefined)
    throw new Error(`A ${kind} in the state ${progress.state} cannot ${event} (${kind} ${runId}).`);
  const stamped = (stamp: Stamp): boolean => row.stamps.includes(stamp);
  const change: StateChange = {
    kind,
    runId,
    fence,
    from: progress.state,
    to: row.to,
    at: now,
    ...facts,
    stampStart: stamped('start'),
    stampRunning: stamped('running'),
    stampTerminating: stamped('terminating'),
    stampEnd: stamped('end'),
  };
  return { change, progress: progressAfter(progress, change) };
}

/** Where it stands after the change; the same arithmetic as the database's, so that memory and rows agree. */
function progressAfter(progress: Progress, change: StateChange): Progress {
  const latest = Math.max(
    change.at,
    progress.startTime ?? 0,
    progress.runningTime ?? 0,
    progress.terminatingTime ?? 0,
  );
  const stamps = {
    startTime: progress.startTime ?? (change.stampStart ? change.at : undefined),
    runningTime: change.stampRunning ? latest : progress.runningTime,
    terminatingTime: change.stampTerminating ? latest : progress.terminatingTime,
    message: change.message ?? progress.message,
  };
  const { to: state } = change;
  const result = change.result ?? progress.result;
  if (!isTerminal(state)) {
    return state === 'TERMINATING'
      ? { ...stamps, state, result: requireResult(result, state) }
      : { ...stamps, state };
  }
  switch (state) {
    case 'TERMINATED':
      return { ...stamps, state, result: requireResult(result, state), endTime: latest };
    case 'SKIPPED':
      return { ...stamps, state, endTime: latest };
    case 'INTERNAL_ERROR':
      return { ...stamps, state, result, endTime: latest };
    default:
      return state satisfies never;
  }
}

function requireResult(result: ResultState | undefined, state: string): ResultState {
  if (result === undefined) throw new Error(`The state ${state} needs a result.`);
  return result;
}
