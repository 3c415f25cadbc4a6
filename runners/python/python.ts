/** Runner of Python tasks: runs a file with python3; the parameters are its arguments (spec 2.7). */
import { defineRunner } from '../built-in-runner.ts';
import { runProgram, type ProgramFailure } from '../process/run-program.ts';
import { requireInterpreter } from '../process/pinned-command.ts';
import { rootCauseIn } from '../spark/root-cause.ts';
import { findExitMessage, findUncaughtException } from './traceback.ts';

/** Runs `spark_python_task`. A failed task has the uncaught exception or its exit code as error. */
export const pythonRunner = defineRunner('spark_python_task', (task, context) =>
  runProgram(
    {
      name: 'Python program',
      async command() {
        const file = await context.locate(task.python_file);
        const python = await requireInterpreter(context, 'python3');
        // Unbuffered: what was printed is in the log at once, and stays there when the process is killed.
        return { argv: [python, file, ...(task.parameters ?? [])], env: { PYTHONUNBUFFERED: '1' } };
      },
      findFailure: (stderr) => findFailure(stderr) ?? findExitMessage(stderr),
    },
    context,
  ),
);

/** Prefers the cause that an exception of PySpark quotes to its own name. */
export function findFailure(stderr: string): ProgramFailure | undefined {
  const failure = findUncaughtException(stderr);
  // Without its Java process, a program fails with whatever it tries next.
  const [gone] = /^py4j\.protocol\.Py4JNetworkError: .*$/m.exec(failure?.errorTrace ?? '') ?? [];
  if (failure !== undefined && gone !== undefined) return { ...failure, error: gone };
  if (failure?.errorTrace === undefined || !/^(?:pyspark|py4j)\./.test(failure.error)) return failure;
  const cause = rootCauseIn(failure.errorTrace);
  return cause === undefined ? failure : { ...failure, error: cause.error };
}
