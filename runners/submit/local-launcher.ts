/**
 * Built-in launcher of submit tasks for machines without Spark: runs the application as a plain Java or
 * Python program with its configuration, and announces that on stderr.
 */
import { copyFile, mkdir, writeFile } from 'node:fs/promises';
import { basename, delimiter, extname, join } from 'node:path';
import { quote } from '../../engine/validation/messages.ts';
import { readHead } from '../../engine/read-file.ts';
import type { Command, RunnerContext } from '../contract.ts';
import { validateMainClass } from '../jar/main-class.ts';
import { TaskStartError, requireInterpreter } from '../process/pinned-command.ts';
import { parseJavaMemory, parseProperties, renderProperties, parseProperty } from './spark-properties.ts';
import { splitList, type SubmitOption, type SubmitParameters } from './submit-options.ts';

/** Supported options. */
const supportedOptions = [
  '--class',
  '--jars',
  '--py-files',
  '--files',
  '--conf',
  '--name',
  '--driver-memory',
  '--executor-memory',
  '--properties-file',
  '--verbose',
  '-v',
] as const;

const notSparkMessage =
  'Runyard: this is not Spark. Neither SPARK_HOME nor spark-submit was found, so the built-in launcher runs the application as a plain program.';
/** Prints the announcement, then executes the program. */
const announceScript = 'printf "%s\\n" "$0" >&2; exec "$@"';
const propertiesBytesMax = 2 ** 20;

/** @throws TaskStartError for unsupported options; LocateError for missing files */
export async function createLocalCommand(
  { options, application, applicationArgs }: SubmitParameters,
  context: RunnerContext,
): Promise<Command> {
  assertSupported(options);
  const properties = await resolveProperties(options, context);
  const file = await context.locate(application);
  const work = join(context.directory, 'work');
  await copyFiles(valuesOf(options, '--files').flatMap(splitList), work, context);
  const configuration = join(context.directory, 'conf');
  await mkdir(configuration, { recursive: true });
  await writeFile(join(configuration, 'spark-defaults.conf'), renderProperties(properties));
  const env = { SPARK_CONF_DIR: configuration };
  const command =
    extname(file).toLowerCase() === '.jar'
      ? await createJavaCommand(file, options, properties, context)
      : await createPythonCommand(file, options, context);
  return {
    argv: ['/bin/sh', '-c', announceScript, notSparkMessage, ...command.argv, ...applicationArgs],
    cwd: work,
    env: { ...env, ...command.env },
  };
}

function assertSupported(options: readonly SubmitOption[]): void {
  const unknown = options.find(({ name }) => !supportedOptions.some((one) => one === name));
  if (unknown === undefined) return;
  throw new TaskStartError(
    `spark_submit_task.parameters[${unknown.index}] is ${quote(unknown.name)}; without Spark (SPARK_HOME, or spark-submit on the PATH) only ` +
      `${supportedOptions.join(', ')} are supported.`,
  );
}

function valuesOf(options: readonly SubmitOption[], name: (typeof supportedOptions)[number]): string[] {
  return options.flatMap((option) =>
    option.name === name && option.value !== undefined ? [option.value] : [],
  );
}

/** Merges properties of the file, of --conf, and of options with a property; the last one wins. */
async function resolveProperties(
  options: readonly SubmitOption[],
  context: RunnerContext,
): Promise<Map<string, string>> {
  const [file] = valuesOf(options, '--properties-file').slice(-1);
  const inFile =
    file === undefined
      ? new Map<string, string>()
      : parseProperties((await readHead(await context.locate(file), propertiesBytesMax)).text);
  const own = (
    [
      ['--name', 'spark.app.name'],
      ['--driver-memory', 'spark.driver.memory'],
      ['--executor-memory', 'spark.executor.memory'],
    ] as const
  ).flatMap(([option, property]) =>
    valuesOf(options, option).map((value): [string, string] => [property, value]),
  );
  const all = new Map([...inFile, ...valuesOf(options, '--conf').map(parseProperty), ...own]);
  for (const name of ['spark.driver.memory', 'spark.executor.memory'])
    if (all.has(name)) parseJavaMemory(name, all.get(name) ?? '');
  return all;
}

async function createJavaCommand(
  file: string,
  options: readonly SubmitOption[],
  properties: ReadonlyMap<string, string>,
  context: RunnerContext,
): Promise<Command> {
  const [main] = valuesOf(options, '--class').slice(-1);
  if (main === undefined)
    throw new TaskStartError(
      'spark_submit_task.parameters has no --class, which must name the class with the main method.',
    );
  const java = await requireInterpreter(context, 'java');
  const jars = await Promise.all(
    valuesOf(options, '--jars')
      .flatMap(splitList)
      .map((jar) => context.locate(jar)),
  );
  const memory = properties.get('spark.driver.memory');
  const settings = [...properties]
    .filter(([name]) => name.startsWith('spark.'))
    .map(([name, value]) => `-D${name}=${value}`);
  const limit = memory === undefined ? [] : [`-Xmx${parseJavaMemory('spark.driver.memory', memory)}`];
  return {
    argv: [
      java,
      ...limit,
      ...settings,
      '-cp',
      [file, ...jars].join(delimiter),
      validateMainClass('--class', main),
    ],
  };
}

async function createPythonCommand(
  file: string,
  options: readonly SubmitOption[],
  context: RunnerContext,
): Promise<Command> {
  if (extname(file).toLowerCase() !== '.py') {
    throw new TaskStartError(
      `The application ${quote(basename(file))} is neither a .jar nor a .py file; other files cannot be run without Spark.`,
    );
  }
  const python = await requireInterpreter(context, 'python3');
  const modules = await Promise.all(
    valuesOf(options, '--py-files')
      .flatMap(splitList)
      .map((written) => resolvePyFile(written, context)),
  );
  const before = context.environment['PYTHONPATH'] ?? '';
  const path = [...new Set(modules), ...(before === '' ? [] : [before])].join(delimiter);
  return { argv: [python, file], env: { PYTHONUNBUFFERED: '1', ...(path !== '' && { PYTHONPATH: path }) } };
}

/** Returns the search-path entry for a file of --py-files: the archive, or a directory with the module. */
async function resolvePyFile(written: string, context: RunnerContext): Promise<string> {
  const kind = extname(written).toLowerCase();
  if (!['.py', '.zip', '.egg'].includes(kind))
    throw new TaskStartError(`--py-files has ${quote(written)}; it supports .py, .zip and .egg files.`);
  const file = await context.locate(written);
  if (kind !== '.py') return file;
  const directory = join(context.directory, 'py-files');
  await mkdir(directory, { recursive: true });
  await copyFile(file, join(directory, basename(written)));
  return directory;
}

/** Copies --files to the working directory, under their names or the alias after `#`. */
async function copyFiles(files: readonly string[], work: string, context: RunnerContext): Promise<void> {
  await mkdir(work, { recursive: true });
  for (const written of files) {
    const [uri = '', alias] = written.split('#');
    const name = alias ?? basename(uri);
    if (/[/\0]|^\.{0,2}$/.test(name))
      throw new TaskStartError(
        `--files has ${quote(written)}; the alias after "#" must be a plain file name.`,
      );
    await copyFile(await context.locate(uri), join(work, name));
  }
}
