/** Transient database errors, and retries until the database is available again. */
import type { Clock } from '../../engine/clock.ts';
import { codeOf, messageOf } from '../../engine/errors.ts';
import type { Log } from '../../engine/ports/log.ts';
import { sleep } from '../embedded/sleep.ts';

/** Network errors by system code, including failed name lookups: a restarting container has no DNS name. */
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
 * Transient SQLSTATE classes: 08 connection, 40 serialization failure and deadlock, 53 out of resources (a
 * full disk is one), 57P operator intervention (the server stops, crashes or starts).
 */
const transientSqlStates = /^(08|40|53|57P)/;

/** Returns true for an error after which the same statement may succeed later. */
export function isTransientError(error: unknown): boolean {
  const code = codeOf(error);
  if (code !== undefined) return networkCodes.has(code) || transientSqlStates.test(code);
  return /Connection terminated|connection timeout|timeout exceeded when trying to connect|Client has encountered a connection error/i.test(
    messageOf(error),
  );
}

/** Returns the delay before attempt n + 1 in ms: 50, doubling up to 2,000. */
export function retryDelayMs(attempt: number): number {
  return Math.min(2_000, 50 * 2 ** attempt);
}

/**
 * Repeats `work` while the database is unavailable. `work` must be idempotent: an attempt may have been
 * committed before its connection broke.
 * @throws errors that are not transient
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
      log.warn({ error: messageOf(error) }, 'The database is unavailable; retrying.');
      await sleep(clock, retryDelayMs(attempt));
    }
  }
}
