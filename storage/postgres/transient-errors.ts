/** Which database errors pass by themselves, and waiting until they have. */
import type { Clock } from '../../engine/clock.ts';
import { codeOf, messageOf } from '../../engine/errors.ts';
import type { Log } from '../../engine/ports/log.ts';
import { sleep } from '../embedded/sleep.ts';

/**
 * Network errors of the driver, by their system code; a server that restarts in a container has no name
 * meanwhile.
 */
const networkCodes = new Set([
  'ECONNREFUSED',
  'ECONNRESET',
  'ENOENT',
  'EPIPE',
  'ETIMEDOUT',
  'EHOSTUNREACH',
  'ENETUNREACH',
  'EAI_AGAIN',
  'ENOTFOUND',
]);

/**
 * SQLSTATE classes that pass: 08 connection, 40 serialization failure and deadlock, 53 out of resources (a
 * full disk is one), 57P operator intervention (the server stops, crashes or starts).
 */
const transientSqlStates = /^(08|40|53|57P)/;

/** True for an error after which the same statement may succeed later. */
export function isTransientError(error: unknown): boolean {
  const code = codeOf(error);
  if (code !== undefined) return networkCodes.has(code) || transientSqlStates.test(code);
  return /Connection terminated|connection timeout|timeout exceeded when trying to connect|Client has encountered a connection error/i.test(
    messageOf(error),
  );
}

/** How long to wait before attempt n + 1, in milliseconds: 50 doubling up to 2,000. */
export function retryDelayMs(attempt: number): number {
  return Math.min(2_000, 50 * 2 ** attempt);
}

/**
 * Does `work` again and again while the database is away: nothing that has happened may be forgotten. `work`
 * must bear being repeated, because an attempt may have been committed before its connection broke.
 * @throws whatever waiting does not mend
 */
export async function retryTransient<Result>(
  clock: Clock,
  log: Log,
  work: () => Promise<Result>,
): Promise<Result> {
  for (let attempt = 0; ; attempt += 1) {
    try {
      return await work();
    } catch (error) {
      if (!isTransientError(error)) throw error;
      log.warn({ error: messageOf(error) }, 'The database cannot be used now; waiting for it.');
      await sleep(clock, retryDelayMs(attempt));
    }
  }
}
