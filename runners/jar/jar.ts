/** Runner of JAR tasks: runs the main method of a class with the JARs of the task (spec 2.7, 2.8). */
import { delimiter, join } from 'node:path';
import type { Library } from '../../engine/job/cluster.ts';
import type { SparkJarTask } from '../../engine/job/task-schemas.ts';
import { defineRunner } from '../built-in-runner.ts';
import type { Command, RunnerContext } from '../contract.ts';
import { runProgram, type ProgramFailure } from '../process/run-program.ts';
import { TaskStartError, requireInterpreter } from '../process/pinned-command.ts';
import { rootCauseIn } from '../spark/root-cause.ts';
import { ownDriverOptions } from '../spark/spark-environment.ts';
import { validateMainClass } from './main-class.ts';
import { uncaughtException } from './stack-trace.ts';

/** Runs `spark_jar_task`. A failed task has the uncaught exception or its exit code as error. */
export const jarRunner = defineRunner('spark_jar_task', (task, context) =>
  runProgram(
    {
      name: 'Java program',
      command: () => createCommand(task, context),
      findFailure: (stderr) => findFailure(stderr, context),
      searched: () => [...jarNames(context.libraries), ...(task.jar_uri === undefined ? [] : [task.jar_uri])],
    },
    context,
  ),
);

/** Prefers the innermost cause in the traces of Spark, which is that of the program. */
function findFailure(stderr: string, { cluster }: RunnerContext): ProgramFailure | undefined {
  return (cluster?.spark === undefined ? undefined : rootCauseIn(stderr)) ?? uncaughtException(stderr);
}

/** Returns the JARs among the libraries of a task, as written. */
function jarNames(libraries: RunnerContext['libraries']): string[] {
  return libraries.flatMap((library) => {
    const { jar, maven } = library as Library;
    return jar ?? maven?.coordinates ?? [];
  });
}

async function createCommand(task: SparkJarTask, context: RunnerContext): Promise<Command> {
  if (task.main_class_name === undefined) {
    throw new TaskStartError(
      'spark_jar_task has no main_class_name, which must name the class with the main method.',
    );
  }
  const main = validateMainClass('spark_jar_task.main_class_name', task.main_class_name);
  const own = task.jar_uri === undefined ? [] : [await context.locate(task.jar_uri)];
  const jars = [...(context.cluster?.libraries.classPath ?? []), ...own];
  if (jars.length === 0) {
    throw new TaskStartError(
      `No JAR is given for the class ${main}; add it to libraries as {"jar": "managed_fs:/..."} or {"maven": {"coordinates": "..."}}.`,
    );
  }
  const spark = context.cluster?.spark;
  // spark.jars of the cluster has the libraries already; the application itself is one of them, or its own file.
  if (spark !== undefined) {
    const application = own[0] ?? jars[0] ?? '';
    const launcher = join(spark.home, 'bin', 'spark-submit');
    const options = [...ownDriverOptions(context.environment), '--class', main];
    return { argv: [launcher, ...options, application, ...(task.parameters ?? [])] };
  }
  const java = await requireInterpreter(context, 'java');
  return { argv: [java, '-cp', jars.join(delimiter), main, ...(task.parameters ?? [])] };
}
