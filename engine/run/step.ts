/** One step through the transition table: the write that it needs, and the progress after it. */
import type { Explanation } from './explain/explanation.ts';
import { pendingProgress, type Progress } from './run.ts';
import { isTerminal, type LifeCycleState, type ResultState } from './states.ts';
import { next, type RunEvent, type TransitionRow } from './transitions.ts';

/** One state write. The database leaves a row alone that is not in the state and fence named here. */
export interface StateChange {
  readonly kind: 'run' | 'task';
  readonly runId: number;
  readonly from: LifeCycleState;
  readonly to: LifeCycleState;
  readonly fence: number;
  /** Epoch ms of the transition. */
  readonly at: number;
  /** Times that the transition sets, epoch ms; absent ones stay as they are. */
  readonly startTime?: number;
  readonly runningTime?: number;
  readonly terminatingTime?: number;
  readonly endTime?: number;
  /** True when a duration warning is stored with the change. */
  readonly warned?: boolean;
  readonly result?: ResultState;
  readonly message?: string;
  readonly explanation?: Explanation;
  readonly clusterId?: string;
  readonly sparkContextId?: string;
}

/** A run or a task run that changes its state. */
export interface StepSubject {
  readonly kind: 'run' | 'task';
  readonly runId: number;
  readonly fence: number;
  readonly progress: Progress;
}

/** An event that `stepOf` handles. Repairs are not among them: `progressAfterRepair` handles them. */
export type StepEvent = Exclude<RunEvent, RepairEvent>;

type RepairEvent = 'repair' | 'queue repair';

/** Values that a step writes beside state and times. */
export interface StepFacts {
  readonly result?: ResultState;
  readonly message?: string;
  readonly explanation?: Explanation;
  readonly clusterId?: string;
  readonly sparkContextId?: string;
}

export interface Step {
  readonly change: StateChange;
  /** The change that is written before `change`, for a step of two events. */
  readonly changeBefore?: StateChange;
  readonly progress: Progress;
  /** Columns of the table's row that the caller acts on. */
  readonly notification: TransitionRow['notification'];
  readonly retry: boolean;
}

/**
 * Returns the step of `subject` at `now` (epoch ms) when `event` happens.
 * @throws Error when the transition table has no such row: a bug of the caller
 */
export function stepOf(subject: StepSubject, event: StepEvent, now: number, facts: StepFacts = {}): Step {
  const { kind, runId, fence, progress } = subject;
  const row = next(progress.state, event);
  if (row === undefined)
    throw new Error(`A ${kind} in the state ${progress.state} cannot ${event} (${kind} ${runId}).`);
  const change: StateChange = {
    kind,
    runId,
    fence,
    from: progress.state,
    to: row.to,
    at: now,
    ...facts,
    ...stampedTimes(progress, row, now),
  };
  return {
    change,
    progress: progressAfter(progress, change),
    notification: row.notification,
    retry: row.retry === true,
  };
}

/** One event, or two that follow one another at the same instant and are written together. */
export type StepEvents = StepEvent | readonly [StepEvent, StepEvent];

/**
 * Returns the step of one or two events; of two, the last one with the change of the first one before it.
 * @param facts of the first event
 * @throws Error when the transition table has no such rows
 */
export function stepOfEvents(
  subject: StepSubject,
  events: StepEvents,
  now: number,
  facts: StepFacts = {},
): Step {
  if (typeof events === 'string') return stepOf(subject, events, now, facts);
  const first = stepOf(subject, events[0], now, facts);
  return { ...stepOf({ ...subject, progress: first.progress }, events[1], now), changeBefore: first.change };
}

/**
 * Returns the progress of a run that a repair opens again; undefined when its state allows no repair.
 * @param message why the run waits in the queue, for the event `queue repair`
 */
export function progressAfterRepair(
  { state, startTime }: Progress,
  event: RepairEvent = 'repair',
  message = '',
): Progress | undefined {
  const to = next(state, event)?.to;
  return to === 'PENDING' || to === 'QUEUED' ? pendingProgress(startTime, message, to) : undefined;
}

/** A machine's clock may step back; the times of a run never do, and its start never changes. */
function stampedTimes(
  { startTime, runningTime, terminatingTime }: Progress,
  { stamps }: TransitionRow,
  now: number,
): Pick<StateChange, 'startTime' | 'runningTime' | 'terminatingTime' | 'endTime'> {
  const latest = Math.max(now, startTime ?? 0, runningTime ?? 0, terminatingTime ?? 0);
  return {
    ...(stamps.includes('start') && startTime === undefined && { startTime: now }),
    ...(stamps.includes('running') && { runningTime: latest }),
    ...(stamps.includes('terminating') && { terminatingTime: latest }),
    ...(stamps.includes('end') && { endTime: latest }),
  };
}

function progressAfter(progress: Progress, change: StateChange): Progress {
  const { to: state, endTime = change.at } = change;
  const common = {
    startTime: change.startTime ?? progress.startTime,
    runningTime: change.runningTime ?? progress.runningTime,
    terminatingTime: change.terminatingTime ?? progress.terminatingTime,
    message: change.message ?? progress.message,
    ...withExplanation(change.explanation ?? progress.explanation),
  };
  const result = change.result ?? progress.result;
  if (!isTerminal(state)) {
    return state === 'TERMINATING'
      ? { ...common, state, result: requireResult(result, state) }
      : { ...common, state };
  }
  switch (state) {
    case 'TERMINATED':
      return { ...common, state, result: requireResult(result, state), endTime };
    case 'SKIPPED':
      return { ...common, state, endTime };
    case 'INTERNAL_ERROR':
      return { ...common, state, result, endTime };
    default:
      return state satisfies never;
  }
}

function withExplanation(explanation: Explanation | undefined): Pick<Progress, 'explanation'> {
  return explanation === undefined ? {} : { explanation };
}

function requireResult(result: ResultState | undefined, state: string): ResultState {
  if (result === undefined) throw new Error(`The state ${state} needs a result.`);
  return result;
}
