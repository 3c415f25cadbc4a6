/** Describes exit codes, and converts the exit of a process to the outcome of its task. */
import { constants } from 'node:os';
import type { Exit, TaskOutcome } from '../contract.ts';

/**
 * Returns an exit code in words: `exit code 1`, or with the signal that shells encode above 128:
 * `exit code 137 (killed by signal 9, SIGKILL)`.
 */
export function describeExit(code: number): string {
  const signal = code - 128;
  const name = Object.entries(constants.signals).find(([, value]) => value === signal)?.[0];
  return name === undefined ? `exit code ${code}` : `exit code ${code} (killed by signal ${signal}, ${name})`;
}

/**
 * Returns the outcome of a task from the exit of its process. Only exit code 0 is a success.
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
