/** The life cycle of a run and of a task run as one table (spec 3.1, with the rows of DESIGN section 4). */
import type { LifeCycleState } from './states.ts';

/** What can happen to a run or task run. */
export type RunEvent =
  /** The queuing limit cleared. */
  | 'admit'
  /** Preparing has begun: a cluster was asked for. */
  | 'prepare'
  /** Resources are there; the task executes. */
  | 'begin'
  /** The task is over, for whatever reason; what it used is being cleaned up. */
  | 'finish'
  /** Cleanup is done. */
  | 'clean'
  /** It will never start: too many runs, too long in the queue, or a dependency did not succeed. */
  | 'skip'
  /** Cancelled while it waited in the queue, where nothing has to be cleaned up. */
  | 'withdraw'
  /** The service failed it. */
  | 'break'
  /**
   * A run of several tasks is opened again to run some of them again; all its stamps but the start are taken
   * back.
   */
  | 'repair';

/** Which times a transition sets, each to the moment of the transition. */
export type Stamp = 'start' | 'running' | 'terminating' | 'end';

export interface TransitionRow {
  readonly from: LifeCycleState;
  readonly on: RunEvent;
  readonly to: LifeCycleState;
  readonly stamps: readonly Stamp[];
  /** What people may be told of it (spec section 6); routing decides who. */
  readonly notification?: 'start' | 'end';
}

export const transitions = [
  { from: 'QUEUED', on: 'admit', to: 'PENDING', stamps: [] },
  { from: 'QUEUED', on: 'withdraw', to: 'TERMINATED', stamps: ['end'], notification: 'end' },
  { from: 'QUEUED', on: 'skip', to: 'SKIPPED', stamps: ['end'], notification: 'end' },
  { from: 'PENDING', on: 'prepare', to: 'PENDING', stamps: ['start'] },
  { from: 'PENDING', on: 'begin', to: 'RUNNING', stamps: ['start', 'running'], notification: 'start' },
  { from: 'PENDING', on: 'skip', to: 'SKIPPED', stamps: ['end'], notification: 'end' },
  { from: 'PENDING', on: 'finish', to: 'TERMINATING', stamps: ['start', 'terminating'] },
  { from: 'PENDING', on: 'break', to: 'INTERNAL_ERROR', stamps: ['start', 'end'], notification: 'end' },
  { from: 'RUNNING', on: 'finish', to: 'TERMINATING', stamps: ['terminating'] },
  { from: 'RUNNING', on: 'break', to: 'INTERNAL_ERROR', stamps: ['end'], notification: 'end' },
  { from: 'TERMINATING', on: 'clean', to: 'TERMINATED', stamps: ['end'], notification: 'end' },
  { from: 'TERMINATING', on: 'break', to: 'INTERNAL_ERROR', stamps: ['end'], notification: 'end' },
  { from: 'TERMINATED', on: 'repair', to: 'PENDING', stamps: [] },
  { from: 'INTERNAL_ERROR', on: 'repair', to: 'PENDING', stamps: [] },
] as const satisfies readonly TransitionRow[];

const byFromAndEvent = new Map<string, TransitionRow>(
  transitions.map((row) => [`${row.from} ${row.on}`, row]),
);

/**
 * The row for an event in a state; undefined when the state does not know the event (nothing happens then).
 */
export function next(state: LifeCycleState, event: RunEvent): TransitionRow | undefined {
  return byFromAndEvent.get(`${state} ${event}`);
}
