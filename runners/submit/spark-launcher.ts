/** Launcher of submit tasks for machines with Spark. The service sets master, deploy mode and cores. */
import { access, constants } from 'node:fs/promises';
import { join } from 'node:path';
import { canonicalUri } from '../../engine/validation/aliases.ts';
import type { Command, RunnerContext } from '../contract.ts';
import { ownDriverOptions } from '../spark/spark-environment.ts';
import { splitList, type SubmitParameters } from './submit-options.ts';

/** Options with comma-separated files. */
const fileOptions: ReadonlySet<string> = new Set([
  '--jars',
  '--py-files',
  '--files',
  '--archives',
  '--properties-file',
]);

/** Returns the path of spark-submit: in SPARK_HOME of the task, or on its PATH; undefined when missing. */
export async function findSparkSubmit(context: RunnerContext): Promise<string | undefined> {
  const home = context.cluster?.spark?.home ?? context.environment['SPARK_HOME'] ?? '';
  const launcher = join(home, 'bin', 'spark-submit');
  if (
    home !== '' &&
    (await access(launcher, constants.X_OK).then(
      () => true,
      () => false,
    ))
  )
    return launcher;
  return context.interpreter('spark-submit');
}

/** Creates the command. Replaces files of the service by local paths; Spark interprets everything else. */
export async function createSparkCommand(
  launcher: string,
  { options, application, applicationArgs }: SubmitParameters,
  context: RunnerContext,
): Promise<Command> {
  const given = await Promise.all(
    options.map(async ({ name, value }) => {
      if (value === undefined) return [name];
      return [
        name,
        fileOptions.has(name)
          ? (await Promise.all(splitList(value).map((entry) => resolveFileOption(entry, context)))).join(',')
          : value,
      ];
    }),
  );
  return {
    argv: [
      launcher,
      ...(context.cluster?.spark === undefined ? localSize(context) : ownDriverOptions(context.environment)),
      ...given.flat(),
      await resolveFileOption(application, context),
      ...applicationArgs,
    ],
  };
}

/** Resolves a file and keeps its alias. Spark fetches files with other schemes itself. */
async function resolveFileOption(written: string, context: RunnerContext): Promise<string> {
  const [path = '', ...alias] = written.split('#');
  if (/^[a-z][a-z0-9+.-]*:/i.test(path) && !/^(managed_fs|objstore|file):/i.test(canonicalUri(path)))
    return written;
  return [await context.locate(path), ...alias].join('#');
}

/** Options of a cluster without Spark: its workers are simulated on this machine. */
function localSize({ cluster }: RunnerContext): string[] {
  const cores = cluster?.nodeType?.num_cores ?? 1;
  const nodes = Math.max(1, cluster?.workers ?? 1);
  const master = `local[${cores * nodes}]`;
  return ['--master', master, '--deploy-mode', 'client', '--executor-cores', String(cores)];
}
