/** Finds the cause in the chained traces of Spark. */
import { truncateText } from '../../engine/validation/messages.ts';
import type { ProgramFailure } from '../process/run-program.ts';

/** `java.lang.IllegalStateException: message`, as a trace or its `Caused by` begins. */
const exceptionPattern =
  /^(?:Exception in thread "[^"]*" |Caused by: |.* ERROR [^:]+: .*?|)((?:[a-z][\w$]*\.)+[A-Z][\w$]*(?:Exception|Error|Throwable|Failure)(?:: .*)?)$/;
/** Exceptions that only wrap the one of the user's code. */
const wrapperPattern =
  /^org\.apache\.spark\.(?:SparkException: (?:Job aborted|Exception thrown in|\[FAILED_EXECUTE_UDF\]|\[TASK_WRITE_FAILED\])|scheduler\.)|^java\.util\.concurrent\.ExecutionException|^java\.lang\.reflect\.|^org\.apache\.spark\.util\.(?:SparkFatalException)/;
const errorCharactersMax = 2_000;

/**
 * Returns the innermost cause of the last chain of traces. A Python error of a worker is preferred: its last
 * line names the exception of the user's function. Undefined without a trace.
 */
export function rootCauseIn(log: string): ProgramFailure | undefined {
  const python = findWorkerError(log);
  if (python !== undefined) return python;
  const lines = log.split('\n');
  const found = lines.flatMap((line, at) => {
    const [, error] = exceptionPattern.exec(line.trim()) ?? [];
    return error === undefined ? [] : [{ error, at, isCause: line.startsWith('Caused by: ') }];
  });
  const start = found.findLastIndex(({ isCause }) => !isCause);
  const chain = found.slice(Math.max(0, start));
  const cause = chain.findLast(({ error }) => !wrapperPattern.test(error)) ?? chain.at(-1);
  if (cause === undefined) return undefined;
  return {
    error: truncateText(cause.error, errorCharactersMax),
    errorTrace: lines.slice(chain[0]?.at).join('\n').trimEnd(),
  };
}

const tracebackHeader = 'Traceback (most recent call last):';
/** Words of Spark before the traceback of a Python worker. */
const workerHeader =
  /(?:PythonException: |from the Python worker(?::\s|\. Please see the stack trace below\.\n))Traceback \(most recent call last\):/g;

/** Finds the exception of a Python function in the last trace of a worker that Spark quotes. */
function findWorkerError(log: string): ProgramFailure | undefined {
  const start = [...log.matchAll(workerHeader)].at(-1)?.index;
  if (start === undefined) return undefined;
  const lines = log.slice(log.indexOf(tracebackHeader, start)).split('\n');
  const end = lines.findIndex((line) => /^\s*at [\w.$]+\(/.test(line));
  const trace = lines.slice(0, end < 0 ? undefined : end);
  // Of chained exceptions the last one counts; its frames are indented.
  const last = trace.lastIndexOf(tracebackHeader);
  const error = trace.slice(last + 1).find((line) => /^[A-Za-z_][\w.]*(?:: |$)/.test(line));
  return error === undefined
    ? undefined
    : { error: truncateText(error, errorCharactersMax), errorTrace: trace.join('\n').trimEnd() };
}
