/** Which database errors pass by themselves, and how long to wait for it. */
import { codeOf, messageOf } from '../engine/errors.ts';

/** Network errors of the driver, by their system code; a server that restarts in a container has no name meanwhile. */
const networkCodes = new Set([
  'ECONNREFUSED', 'ECONNRESET', 'ENOENT', 'EPIPE', 'ETIMEDOUT', 'EHOSTUNREACH', 'ENETUNREACH', 'EAI_AGAIN', 'ENOTFOUND',
]);

/**
 * SQLSTATE classes that pass: 08 connection, 40 serialization failure and deadlock, 53 out of resources (a full disk
 * is one), 57P operator intervention (the server stops, crashes or starts).
 */
const passingStates = /^(08|40|53|57P)/;

/** True for an error after which the same statement may succeed later. */
export function passing(error: unknown): boolean {
  const code = codeOf(error);
  if (code !== undefined) return networkCodes.has(code) || passingStates.test(code);
  return /Connection terminated|connection timeout|timeout exceeded when trying to connect|Client has encountered a connection error/i.test(messageOf(error));
}

/** How long to wait before attempt n + 1, in milliseconds: 50 doubling up to 2,000. */
export function backOff(attempt: number): number {
  return Math.min(2_000, 50 * 2 ** attempt);
}
