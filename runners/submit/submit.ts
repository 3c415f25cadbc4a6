/** Runner of submit tasks: spark-submit if it is installed, else the built-in launcher (spec 2.7). */
import { defineRunner } from '../built-in-runner.ts';
import { uncaughtException as uncaughtInJava } from '../jar/stack-trace.ts';
import { findUncaughtException as uncaughtInPython } from '../python/traceback.ts';
import { runProgram } from '../process/run-program.ts';
import { createLocalCommand } from './local-launcher.ts';
import { findSparkSubmit, createSparkCommand } from './spark-launcher.ts';
import { rootCauseIn as sparkFailureIn } from '../spark/root-cause.ts';
import { parseSubmitParameters } from './submit-options.ts';

/** Runs `spark_submit_task`. A failed task has the uncaught exception or its exit code as error. */
export const submitRunner = defineRunner('spark_submit_task', (task, context) =>
  runProgram(
    {
      name: 'submitted application',
      async command() {
        const parameters = parseSubmitParameters(task.parameters ?? []);
        const launcher = await findSparkSubmit(context);
        return launcher === undefined
          ? createLocalCommand(parameters, context)
          : createSparkCommand(launcher, parameters, context);
      },
      findFailure: (stderr) =>
        (context.cluster?.spark === undefined ? undefined : sparkFailureIn(stderr)) ??
        uncaughtInJava(stderr) ??
        uncaughtInPython(stderr),
      searched: () => (task.parameters ?? []).filter((word) => /\.jar$/i.test(word)),
    },
    context,
  ),
);
