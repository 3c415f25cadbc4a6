/** Finds the stack trace of a failed Java program. */
import type { ProgramFailure } from '../process/run-program.ts';

/** First line of an uncaught exception, or of an error of the Java launcher. */
const uncaughtPattern = /^(?:Exception in thread "(?<thread>[^"]*)" |Error: |Exception: )(?<error>.+)$/gm;

/**
 * Returns the last uncaught exception in stderr, preferring the main thread, or the error of the launcher.
 * `error` is its first line (`java.lang.IllegalStateException: message`). Undefined without either.
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

/** Joins the wrapped lines of an error of the launcher. */
function explainLauncherError(error: string, trace: string): string {
  const noMain =
    /^Main method (?:not found|is not static|must return a value of type void) in class \S+?(?=,)/.exec(
      error,
    )?.[0];
  if (noMain !== undefined) return `${noMain}: it must have public static void main(String[] args)`;
  // The next line has the reason of a failed class load.
  const reason = error.startsWith('LinkageError ') ? /\n\t(.+)/.exec(trace)?.[1] : undefined;
  return reason === undefined ? error : `${error}: ${reason}`;
}
