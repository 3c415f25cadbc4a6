/** Launcher of submit tasks for machines with Spark. The service sets master, deploy mode and cores. */
import { access, constants } from 'node:fs/promises';
import { join } from 'node:path';
import { canonicalUri } from '../../engine/validation/aliases.ts';
import type { Command, RunnerContext } from '../contract.ts';
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
  const home = context.environment['SPARK_HOME'] ?? '';
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
  const cores = context.cluster?.nodeType?.num_cores ?? 1;
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
  // The workers of the cluster are simulated on this machine.
  const nodes = Math.max(1, context.cluster?.workers ?? 1);
  const ours = [
    '--master',
    `local[${cores * nodes}]`,
    '--deploy-mode',
    'client',
    '--executor-cores',
    String(cores),
  ];
  return {
    argv: [
      launcher,
      ...ours,
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
