/**
 * Runner of submit tasks: Spark's own launcher where this machine has one, else the built-in one (spec 2.7).
 */
import { SparkSubmitTask } from '../../engine/job/task-kinds.ts';
import { contractVersion, type RunnerPlugin } from '../contract.ts';
import { uncaughtException as uncaughtInJava } from '../jar/stack-trace.ts';
import { findUncaughtException as uncaughtInPython } from '../python/traceback.ts';
import { runProgram } from '../process/run-program.ts';
import { createLocalCommand } from './local-launcher.ts';
import { findSparkSubmit, createSparkCommand } from './spark-launcher.ts';
import { parseSubmitParameters } from './submit-options.ts';

/**
 * `spark_submit_task`. Fails with the application's uncaught exception as error, or with its exit code in
 * words.
 */
export const plugin: RunnerPlugin<SparkSubmitTask> = {
  contract: contractVersion,
  kind: 'spark_submit_task',
  schema: SparkSubmitTask,
  needsCluster: true,
  run: (task, context) =>
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
        findFailure: (stderr) => uncaughtInJava(stderr) ?? uncaughtInPython(stderr),
      },
      context,
    ),
};
