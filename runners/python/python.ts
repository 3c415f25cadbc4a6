/** Runner of Python tasks: runs a file with python3; the parameters are its arguments (spec 2.7). */
import { defineRunner } from '../built-in-runner.ts';
import { runProgram } from '../process/run-program.ts';
import { requireInterpreter } from '../process/pinned-command.ts';
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
      findFailure: (stderr) => findUncaughtException(stderr) ?? findExitMessage(stderr),
    },
    context,
  ),
);
