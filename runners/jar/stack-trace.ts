/** Finds the stack trace with which a Java program ended. */
import type { ProgramFailure } from '../process/run-program.ts';

/** An exception that left a thread, or the launcher's own error when main was never reached. */
const uncaughtPattern = /^(?:Exception in thread "(?<thread>[^"]*)" |Error: |Exception: )(?<error>.+)$/gm;

/**
 * The last uncaught exception of a text, that of the main thread before all others, or the launcher's own
 * error. `error` is its first line (`java.lang.IllegalStateException: message`). Undefined when there is
 * neither.
 */
export function uncaughtException(stderr: string): ProgramFailure | undefined {
  const endings = [...stderr.matchAll(uncaughtPattern)];
  const last = endings.findLast(({ groups }) => (groups?.thread ?? 'main') === 'main') ?? endings.at(-1);
  const error = last?.groups?.error;
  if (last === undefined || error === undefined) return undefined;
  const trace = stderr.slice(last.index);
  const next = endings.find(({ index }) => index > last.index)?.index ?? stderr.length;
  return {
    error: explainLauncherError(error.trim(), trace),
    errorTrace: stderr.slice(last.index, next).trimEnd(),
  };
}

/** The launcher breaks its sentences over lines: the rest of one belongs to it. */
function explainLauncherError(error: string, trace: string): string {
  const noMain =
    /^Main method (?:not found|is not static|must return a value of type void) in class \S+?(?=,)/.exec(
      error,
    )?.[0];
  if (noMain !== undefined) return `${noMain}: it must have public static void main(String[] args)`;
  // Of a class that cannot be loaded the next line says why.
  const why = error.startsWith('LinkageError ') ? /\n\t(.+)/.exec(trace)?.[1] : undefined;
  return why === undefined ? error : `${error}: ${why}`;
}
