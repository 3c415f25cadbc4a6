/** Waiting in tests: polls a check until it passes, and says what was last seen when it never does. */
import { setTimeout as sleep } from 'node:timers/promises';
import { inspect } from 'node:util';

export interface EventuallyOptions<Value> {
  /** Longest wait in milliseconds. It bounds a hanging test; no test depends on it. */
  readonly within?: number;
  /** Pause between two checks in milliseconds. */
  readonly every?: number;
  /** Decides whether a value ends the wait; without it every value does. */
  readonly until?: (value: Value) => boolean;
}

/**
 * Calls `check` until it returns a value that `until` accepts, and returns that value. A check that throws,
 * such as a failed `expect`, is repeated.
 * @throws Error with the last value or the last error once the time is over
 */
export async function eventually<Value>(
  check: () => Value | Promise<Value>,
  { within = 45_000, every = 20, until = () => true }: EventuallyOptions<Value> = {},
): Promise<Value> {
  const deadline = performance.now() + within;
  for (;;) {
    let last: { readonly value: Value } | { readonly error: unknown };
    try {
      const value = await check();
      if (until(value)) return value;
      last = { value };
    } catch (error) {
      last = { error };
    }
    if (performance.now() > deadline) throw timeoutError(within, last);
    await sleep(every);
  }
}

function timeoutError(
  within: number,
  last: { readonly value: unknown } | { readonly error: unknown },
): Error {
  const waited = `The condition was not met within ${within / 1_000} s.`;
  if ('value' in last) return new Error(`${waited} Last value: ${inspect(last.value, { depth: 4 })}`);
  const message = last.error instanceof Error ? last.error.message : inspect(last.error);
  return new Error(`${waited} Last error: ${message}`, { cause: last.error });
}
