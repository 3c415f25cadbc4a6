/** The states of runs and task runs, exactly those of spec 3.1 and 3.2. */

export const lifeCycleStates = [
  'QUEUED',
  'PENDING',
  'RUNNING',
  'TERMINATING',
  'TERMINATED',
  'SKIPPED',
  'INTERNAL_ERROR',
] as const;
export type LifeCycleState = (typeof lifeCycleStates)[number];

export const resultStates = ['SUCCESS', 'FAILED', 'TIMEDOUT', 'CANCELED'] as const;
export type ResultState = (typeof resultStates)[number];

export type TerminalState = 'TERMINATED' | 'SKIPPED' | 'INTERNAL_ERROR';

const terminal: Readonly<Record<LifeCycleState, boolean>> = {
  QUEUED: false,
  PENDING: false,
  RUNNING: false,
  TERMINATING: false,
  TERMINATED: true,
  SKIPPED: true,
  INTERNAL_ERROR: true,
};

/** Returns whether only a repair leaves the state. A run in any other state is active (DESIGN section 10). */
export function isTerminal(state: LifeCycleState): state is TerminalState {
  return terminal[state];
}

/** Reason why a run or task run is stopped before its end. */
export type StopReason = 'cancel' | 'timeout';

/** Result of a run or task run that was stopped. */
export const resultOfStop: Readonly<Record<StopReason, ResultState>> = {
  cancel: 'CANCELED',
  timeout: 'TIMEDOUT',
};
