/** Transition table: the life cycle of runs and task runs (spec 3.1, with the rows of DESIGN section 4). */
import type { LifeCycleState } from './states.ts';

/** An event that changes the state of a run or task run. */
export type RunEvent =
  /** The queuing limit cleared. */
  | 'admit'
  /** Preparation began: a cluster was requested. */
  | 'prepare'
  /** Resources are ready and the task executes. */
  | 'begin'
  /** The task ended, for whatever reason; its resources are being cleaned up. */
  | 'finish'
  /** Cleanup is done. */
  | 'clean'
  /** It never starts: too many runs, too long in the queue, or an upstream task did not succeed. */
  | 'skip'
  /** It never starts although nothing failed: its run_if chose another branch, or the run was cancelled. */
  | 'exclude'
  /** It was cancelled while it waited in the queue, where nothing has to be cleaned up. */
  | 'withdraw'
  /** The service failed it. */
  | 'break'
  /** Some tasks of the run run again; the run loses all its times but the start. */
  | 'repair'
  /** The same, after a wait in the queue. */
  | 'queue repair';

/** A time that a transition sets to the moment of the transition. */
export type Stamp = 'start' | 'running' | 'terminating' | 'end';

export interface TransitionRow {
  readonly from: LifeCycleState;
  readonly on: RunEvent;
  readonly to: LifeCycleState;
  readonly stamps: readonly Stamp[];
  /** Kind of notification that the transition causes (spec section 6); routing selects the recipients. */
  readonly notification?: 'start' | 'end';
  /** True when the retry policy applies to the attempt that ends here. */
  readonly retry?: true;
}

export const transitions = [
  { from: 'QUEUED', on: 'admit', to: 'PENDING', stamps: [] },
  { from: 'QUEUED', on: 'withdraw', to: 'TERMINATED', stamps: ['end'], notification: 'end' },
  { from: 'QUEUED', on: 'skip', to: 'SKIPPED', stamps: ['end'], notification: 'end' },
  { from: 'PENDING', on: 'prepare', to: 'PENDING', stamps: ['start'] },
  { from: 'PENDING', on: 'begin', to: 'RUNNING', stamps: ['start', 'running'], notification: 'start' },
  { from: 'PENDING', on: 'skip', to: 'SKIPPED', stamps: ['end'], notification: 'end' },
  { from: 'PENDING', on: 'exclude', to: 'SKIPPED', stamps: ['end'] },
  { from: 'PENDING', on: 'finish', to: 'TERMINATING', stamps: ['start', 'terminating'] },
  {
    from: 'PENDING',
    on: 'break',
    to: 'INTERNAL_ERROR',
    stamps: ['start', 'end'],
    notification: 'end',
    retry: true,
  },
  { from: 'RUNNING', on: 'finish', to: 'TERMINATING', stamps: ['terminating'] },
  { from: 'RUNNING', on: 'break', to: 'INTERNAL_ERROR', stamps: ['end'], notification: 'end', retry: true },
  { from: 'TERMINATING', on: 'clean', to: 'TERMINATED', stamps: ['end'], notification: 'end', retry: true },
  {
    from: 'TERMINATING',
    on: 'break',
    to: 'INTERNAL_ERROR',
    stamps: ['end'],
    notification: 'end',
    retry: true,
  },
  { from: 'TERMINATED', on: 'repair', to: 'PENDING', stamps: [] },
  { from: 'INTERNAL_ERROR', on: 'repair', to: 'PENDING', stamps: [] },
  // Only for a run whose last repair waited too long in the queue.
  { from: 'SKIPPED', on: 'repair', to: 'PENDING', stamps: [] },
  { from: 'TERMINATED', on: 'queue repair', to: 'QUEUED', stamps: [] },
  { from: 'INTERNAL_ERROR', on: 'queue repair', to: 'QUEUED', stamps: [] },
  { from: 'SKIPPED', on: 'queue repair', to: 'QUEUED', stamps: [] },
] as const satisfies readonly TransitionRow[];

const byFromAndEvent = new Map<string, TransitionRow>(
  transitions.map((row) => [`${row.from} ${row.on}`, row]),
);

/** Returns the row for an event in a state; undefined when the event is not allowed there. */
export function next(state: LifeCycleState, event: RunEvent): TransitionRow | undefined {
  return byFromAndEvent.get(`${state} ${event}`);
}
