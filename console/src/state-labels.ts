/** Labels and tones of the states of runs and task runs. */
import type { RunState } from './api/documents.ts';

export type Tone = 'good' | 'bad' | 'busy' | 'quiet';

export interface StateLabel {
  readonly text: string;
  readonly tone: Tone;
}

const stateLabels: Readonly<Record<string, StateLabel>> = {
  SUCCESS: { text: 'Succeeded', tone: 'good' },
  FAILED: { text: 'Failed', tone: 'bad' },
  TIMEDOUT: { text: 'Timed out', tone: 'bad' },
  CANCELED: { text: 'Cancelled', tone: 'quiet' },
  QUEUED: { text: 'Queued', tone: 'quiet' },
  PENDING: { text: 'Pending', tone: 'quiet' },
  RUNNING: { text: 'Running', tone: 'busy' },
  TERMINATING: { text: 'Terminating', tone: 'busy' },
  SKIPPED: { text: 'Skipped', tone: 'quiet' },
  INTERNAL_ERROR: { text: 'Internal error', tone: 'bad' },
};

/** Returns the label of a state; an unknown state is its own label. */
export function stateLabelOf(state: RunState): StateLabel {
  const { life_cycle_state: life, result_state: result } = state;
  const key = life === 'TERMINATED' ? (result ?? life) : life;
  return stateLabels[key] ?? { text: key, tone: 'quiet' };
}

/** Returns the state in terms of the API, e.g. `TERMINATED / FAILED`. */
export function stateCodeOf({ life_cycle_state: life, result_state: result }: RunState): string {
  return result === undefined ? life : `${life} / ${result}`;
}

const terminalStates: ReadonlySet<string> = new Set(['TERMINATED', 'SKIPPED', 'INTERNAL_ERROR']);

/** Returns true for a state that is not terminal. */
export function isActive(state: RunState): boolean {
  return !terminalStates.has(state.life_cycle_state);
}

/** Returns true for a failed, timed-out or broken run. */
export function isFailed(state: RunState): boolean {
  return stateLabelOf(state).tone === 'bad';
}
