/** Says in words how a process ended, and what that means for its task. */
import { constants } from 'node:os';
import type { Exit, TaskOutcome } from '../contract.ts';

/**
 * An exit code in words: `exit code 1`; above 128, where shells put signals, also which signal it was:
 * `exit code 137 (killed by signal 9, SIGKILL)`.
 */
export function describeExit(code: number): string {
  const signal = code - 128;
  const name = Object.entries(constants.signals).find(([, value]) => value === signal)?.[0];
  return name === undefined ? `exit code ${code}` : `exit code ${code} (killed by signal ${signal}, ${name})`;
}

/**
 * The outcome of a task whose process ended this way. Only exit code 0 is a success.
 * @param failedMessage state_message for a process that ended with another code
 */
export function outcomeOf(exit: Exit, failedMessage: string): TaskOutcome {
  switch (exit.kind) {
    case 'exited':
      return exit.code === 0 ? { kind: 'succeeded' } : { kind: 'failed', message: failedMessage };
    case 'stopped':
      return { kind: 'stopped' };
    case 'flooded':
      return { kind: 'failed', message: exit.message };
    case 'lost':
      return { kind: 'lost', message: exit.message };
    default:
      return exit satisfies never;
  }
}
