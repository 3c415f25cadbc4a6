/** Finds the traceback of a failed Python program. */
import type { ProgramFailure } from '../process/run-program.ts';

const tracebackHeader = /^(?: {2}\+ Exception Group )?Traceback \(most recent call last\):$/;

/** Lines between the tracebacks of chained exceptions. */
const chainMessages: ReadonlySet<string> = new Set([
  'The above exception was the direct cause of the following exception:',
  'During handling of the above exception, another exception occurred:',
]);

/**
 * Returns the last traceback in stderr, with those of chained exceptions. `error` is the line with the
 * exception (`ZeroDivisionError: division by zero`). Undefined without a traceback.
 */
export function findUncaughtException(stderr: string): ProgramFailure | undefined {
  const lines = stderr.trimEnd().split('\n');
  const headers = lines.flatMap((line, at) => (tracebackHeader.test(line) ? [at] : []));
  const last = headers.at(-1);
  if (last === undefined) return findSyntaxError(lines);
  // Frames are indented (after "| " in exception groups); the first other line has the exception.
  const named = lines.slice(last + 1).find((line) => /^(?: {2}\| )?[^\s|]/.test(line));
  if (named === undefined) return undefined;
  return {
    error: named.replace(/^ {2}\| /, '').trim(),
    errorTrace: lines.slice(findChainStart(lines, headers)).join('\n'),
  };
}

/** Returns the message of `sys.exit("message")`, which Python writes to stderr before exit code 1. */
export function findExitMessage(stderr: string): ProgramFailure | undefined {
  const last = stderr.trimEnd().split('\n').at(-1)?.trim() ?? '';
  return last === '' ? undefined : { error: `The Python program ended with exit code 1: ${last}` };
}

/** Finds a syntax error of the program itself, which has no traceback header. */
function findSyntaxError(lines: readonly string[]): ProgramFailure | undefined {
  const error = lines.at(-1) ?? '';
  const start = lines.findLastIndex((line) => /^ {2}File ".*", line \d+$/.test(line));
  if (start < 0 || !/^(?:SyntaxError|IndentationError|TabError): /.test(error)) return undefined;
  return { error, errorTrace: lines.slice(start).join('\n') };
}

/** Returns the first line of the chain of tracebacks that ends with the last of `headers`. */
function findChainStart(lines: readonly string[], headers: readonly number[]): number {
  let chain = headers.length - 1;
  // The joining line is between two empty lines, just above the header.
  while (chain > 0 && chainMessages.has(lines[(headers[chain] ?? 0) - 2] ?? '')) chain -= 1;
  return headers[chain] ?? 0;
}
