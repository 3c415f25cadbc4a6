/** Finds the traceback with which a Python program ended. */
import type { ProgramFailure } from '../process/run-program.ts';

const tracebackHeader = /^(?: {2}\+ Exception Group )?Traceback \(most recent call last\):$/;

/** How Python joins the traceback of an exception to that of the one it came from. */
const chainMessages: ReadonlySet<string> = new Set([
  'The above exception was the direct cause of the following exception:',
  'During handling of the above exception, another exception occurred:',
]);

/**
 * The last traceback in a text, with those of the exceptions behind it. `error` is the line that names the
 * exception (`ZeroDivisionError: division by zero`). Undefined when there is no traceback.
 */
export function findUncaughtException(stderr: string): ProgramFailure | undefined {
  const lines = stderr.trimEnd().split('\n');
  const headers = lines.flatMap((line, at) => (tracebackHeader.test(line) ? [at] : []));
  const last = headers.at(-1);
  if (last === undefined) return findSyntaxError(lines);
  // The frames are indented (behind "| " in an exception group); the first line that is not names the
  // exception.
  const named = lines.slice(last + 1).find((line) => /^(?: {2}\| )?[^\s|]/.test(line));
  if (named === undefined) return undefined;
  return {
    error: named.replace(/^ {2}\| /, '').trim(),
    errorTrace: lines.slice(findChainStart(lines, headers)).join('\n'),
  };
}

/**
 * What a program said when it left with a text (`sys.exit("no input")`): Python writes it to stderr and ends
 * with code 1.
 */
export function findExitMessage(stderr: string): ProgramFailure | undefined {
  const last = stderr.trimEnd().split('\n').at(-1)?.trim() ?? '';
  return last === '' ? undefined : { error: `The Python program ended with exit code 1: ${last}` };
}

/**
 * A file that Python cannot read as a program ends with the place and the error, without the header of a
 * traceback.
 */
function findSyntaxError(lines: readonly string[]): ProgramFailure | undefined {
  const error = lines.at(-1) ?? '';
  const start = lines.findLastIndex((line) => /^ {2}File ".*", line \d+$/.test(line));
  if (start < 0 || !/^(?:SyntaxError|IndentationError|TabError): /.test(error)) return undefined;
  return { error, errorTrace: lines.slice(start).join('\n') };
}

/** The line where the chain of tracebacks begins whose last one is the last of `headers`. */
function findChainStart(lines: readonly string[], headers: readonly number[]): number {
  let chain = headers.length - 1;
  // A joint stands between two empty lines, right above the header.
  while (chain > 0 && chainMessages.has(lines[(headers[chain] ?? 0) - 2] ?? '')) chain -= 1;
  return headers[chain] ?? 0;
}
