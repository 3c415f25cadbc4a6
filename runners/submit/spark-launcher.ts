/**
 * Submits to a Spark of this machine: its own launcher, with master, deploy mode and cores set by the
 * service.
 */
import { access, constants } from 'node:fs/promises';
import { join } from 'node:path';
import { canonicalUri } from '../../engine/validation/aliases.ts';
import type { Command, RunnerContext } from '../contract.ts';
import { splitList, type SubmitParameters } from './submit-options.ts';

/** Options whose values are files, with commas between them. */
const fileOptions: ReadonlySet<string> = new Set([
  '--jars',
  '--py-files',
  '--files',
  '--archives',
  '--properties-file',
]);

/**
 * Spark's launcher on this machine: in SPARK_HOME of the task's environment, or on its PATH. Undefined when
 * there is none.
 */
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

/**
 * Files of the service are given by their paths on this machine; everything else stays as it was written, for
 * Spark to judge.
 */
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
  // Workers are simulated: all of the cluster is this machine.
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

/** `path#alias` keeps its alias. What has a scheme of somebody else's, Spark fetches itself. */
async function resolveFileOption(written: string, context: RunnerContext): Promise<string> {
  const [path = '', ...alias] = written.split('#');
  if (/^[a-z][a-z0-9+.-]*:/i.test(path) && !/^(managed_fs|objstore|file):/i.test(canonicalUri(path)))
    return written;
  return [await context.locate(path), ...alias].join('#');
}
