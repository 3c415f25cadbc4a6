/** States in words: what a run or task run has come to, for people, with the look that goes with it. */
import type { RunState } from './api/documents.ts';

export type Tone = 'good' | 'bad' | 'busy' | 'quiet';

export interface Standing {
  readonly words: string;
  readonly tone: Tone;
}

const standings: Readonly<Record<string, Standing>> = {
  SUCCESS: { words: 'Succeeded', tone: 'good' },
  FAILED: { words: 'Failed', tone: 'bad' },
  TIMEDOUT: { words: 'Timed out', tone: 'bad' },
  CANCELED: { words: 'Cancelled', tone: 'quiet' },
  QUEUED: { words: 'Queued', tone: 'quiet' },
  PENDING: { words: 'Pending', tone: 'quiet' },
  RUNNING: { words: 'Running', tone: 'busy' },
  TERMINATING: { words: 'Ending', tone: 'busy' },
  SKIPPED: { words: 'Skipped', tone: 'quiet' },
  INTERNAL_ERROR: { words: 'Internal error', tone: 'bad' },
};

/** What a state comes to in a word. A word that this console does not know is shown as it came. */
export function standingOf(state: RunState): Standing {
  const { life_cycle_state: life, result_state: result } = state;
  const key = life === 'TERMINATED' ? (result ?? life) : life;
  return standings[key] ?? { words: key, tone: 'quiet' };
}

/** The state in the words of the API, e.g. `TERMINATED / FAILED`. */
export function codeOf({ life_cycle_state: life, result_state: result }: RunState): string {
  return result === undefined ? life : `${life} / ${result}`;
}

const over: ReadonlySet<string> = new Set(['TERMINATED', 'SKIPPED', 'INTERNAL_ERROR']);

/** Whether it goes on by itself. */
export function isActive(state: RunState): boolean {
  return !over.has(state.life_cycle_state);
}

/** Whether it ended in another way than it should have. */
export function isFailure(state: RunState): boolean {
  return standingOf(state).tone === 'bad';
}
