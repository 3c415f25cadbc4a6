/**
 * Runner of JAR tasks: the main method of a class, with the task's JARs on the class path (spec 2.7, 2.8).
 */
import { delimiter } from 'node:path';
import { SparkJarTask } from '../../engine/job/task-kinds.ts';
import { contractVersion, type Command, type RunnerContext, type RunnerPlugin } from '../contract.ts';
import { runProgram } from '../process/run-program.ts';
import { TaskStartError, requireInterpreter } from '../process/pinned-command.ts';
import { validateMainClass } from './main-class.ts';
import { uncaughtException } from './stack-trace.ts';

/** `spark_jar_task`. Fails with the program's uncaught exception as error, or with its exit code in words. */
export const plugin: RunnerPlugin<SparkJarTask> = {
  contract: contractVersion,
  kind: 'spark_jar_task',
  schema: SparkJarTask,
  needsCluster: true,
  run: (task, context) =>
    runProgram(
      { name: 'Java program', command: () => createCommand(task, context), findFailure: uncaughtException },
      context,
    ),
};

async function createCommand(task: SparkJarTask, context: RunnerContext): Promise<Command> {
  if (task.main_class_name === undefined) {
    throw new TaskStartError(
      'spark_jar_task has no main_class_name: it must name the class whose main method is run.',
    );
  }
  const main = validateMainClass('spark_jar_task.main_class_name', task.main_class_name);
  const own = task.jar_uri === undefined ? [] : [await context.locate(task.jar_uri)];
  const jars = [...(context.cluster?.libraries.classPath ?? []), ...own];
  if (jars.length === 0) {
    throw new TaskStartError(
      `No JAR is given for the class ${main}: name it in libraries, as {"jar": "managed_fs:/..."} or {"maven": {"coordinates": "..."}}.`,
    );
  }
  const java = await requireInterpreter(context, 'java');
  return { argv: [java, '-cp', jars.join(delimiter), main, ...(task.parameters ?? [])] };
}
