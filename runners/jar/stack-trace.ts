/** Finds the stack trace with which a Java program ended. */
import type { Failure } from '../run-program.ts';

/** An exception that left main; or what the launcher says when it never got there. */
const ending = /^(?:Exception in thread "main" |Error: )(?<error>.+)$/gm;

/**
 * The last uncaught exception of the main thread in a text, or the launcher's own error. `error` is its first line
 * (`java.lang.IllegalStateException: message`). Undefined when there is neither.
 */
export function uncaughtException(stderr: string): Failure | undefined {
  const last = [...stderr.matchAll(ending)].at(-1);
  const error = last?.groups?.error;
  if (last === undefined || error === undefined) return undefined;
  return { error: error.trim(), errorTrace: stderr.slice(last.index).trimEnd() };
}
