/** Distributions of Spark: an existing installation, or the PySpark package, installed once for all clusters. */
import { readdir } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import type { SparkRuntime } from '../../engine/cluster/inventory.ts';
import { statIfExists, undefinedIfMissing } from '../../engine/read-file.ts';
import { buildOnce, type BuildContext } from '../libraries/build-once.ts';
import { cacheKeyOf, entryPathOf } from '../libraries/library-cache.ts';
import { captureOutput, findInterpreter } from '../process/task-environment.ts';
import { minimumPythonVersion, SparkUnavailableError } from './java-version.ts';

/** An installed Spark. */
export interface InstalledSpark {
  /** SPARK_HOME. */
  readonly home: string;
  /** Import directories of PySpark and what it needs. */
  readonly pythonPath: readonly string[];
  /** Interpreter that PySpark was installed for. */
  readonly python: string;
}

export type InstallContext = Omit<BuildContext, 'clusterVariables'>;

/** Command that installs PySpark before the first cluster needs it. */
export const sparkInstallCommand = 'runyard spark install';

/**
 * Returns the Spark of a runtime. PySpark that is missing is installed from the package index; concurrent calls
 * of all engines install once.
 * @param onInstall called before an installation
 * @returns `stopped` when `context.signal` was aborted
 * @throws SparkUnavailableError when it cannot be installed
 */
export async function ensureSpark(
  runtime: SparkRuntime,
  context: InstallContext,
  onInstall: (what: string) => Promise<void>,
): Promise<InstalledSpark | 'stopped'> {
  const python = await requirePython(context);
  const home = runtime.home ?? context.environment['SPARK_HOME'] ?? '';
  if (home !== '') return findInstallation(home, python.path);
  const key = packageKeyOf(runtime.pyspark, python);
  const entry = entryPathOf(context.root, 'spark', key);
  const installed = { home: join(entry, 'pyspark'), pythonPath: [entry], python: python.path };
  if ((await statIfExists(entry)) === undefined) await onInstall(`PySpark ${runtime.pyspark}`);
  const built = await buildOnce(
    { ...context, clusterVariables: {} },
    {
      section: 'spark',
      key,
      environment: { PIP_ROOT_USER_ACTION: 'ignore' },
      command: (draft) => Promise.resolve(installCommand(runtime.pyspark, python.path, context.root, draft)),
    },
  );
  switch (built.kind) {
    case 'made':
      return installed;
    case 'stopped':
      return 'stopped';
    case 'failed':
      throw new SparkUnavailableError(
        `PySpark ${runtime.pyspark} could not be installed: ${built.message} Make the package index reachable ` +
          `(RUNYARD_LIBRARY_ENV), run "${sparkInstallCommand}", or name an installation in SPARK_HOME.`,
      );
    default:
      return built satisfies never;
  }
}

/** Tells where PySpark of a runtime is installed; undefined when it is not. */
export async function findSpark(
  runtime: SparkRuntime,
  context: Pick<InstallContext, 'root' | 'environment' | 'isolation'>,
): Promise<string | undefined> {
  const home = runtime.home ?? context.environment['SPARK_HOME'] ?? '';
  if (home !== '') return (await statIfExists(join(home, 'bin', 'spark-submit'))) && home;
  const key = packageKeyOf(runtime.pyspark, await requirePython(context));
  const entry = entryPathOf(context.root, 'spark', key);
  return (await statIfExists(entry)) && join(entry, 'pyspark');
}

/** Pipelines and Connect are extras of PySpark 4.1 and newer, which contain all that notebooks need. */
function requirementOf(version: string): string[] {
  const [major = 0, minor = 0] = version.split('.').map(Number);
  const extra = major > 4 || (major === 4 && minor >= 1) ? 'pipelines' : 'connect';
  return [`pyspark[${extra}]==${version}`, 'pandas<3'];
}

function installCommand(
  version: string,
  python: string,
  root: string,
  draft: string,
): readonly [string, ...string[]] {
  return [
    python,
    '-m',
    'pip',
    'install',
    '--target',
    draft,
    '--no-input',
    '--disable-pip-version-check',
    '--no-warn-script-location',
    '--progress-bar',
    'off',
    '--cache-dir',
    join(root, 'pip'),
    '--',
    ...requirementOf(version),
  ];
}

interface Python {
  readonly path: string;
  /** Identifies the builds that it can load. */
  readonly id: string;
}

async function requirePython({
  environment,
  isolation,
}: Pick<InstallContext, 'environment' | 'isolation'>): Promise<Python> {
  const path = await findInterpreter('python3', environment, isolation);
  const [version = '', ...id] =
    path === undefined
      ? []
      : (
          await captureOutput(
            isolation,
            [
              path,
              '-c',
              'import sys, sysconfig; print(sys.version_info[1], sys.implementation.cache_tag, sysconfig.get_platform(), sys.executable)',
            ],
            {},
          ).catch(() => '')
        ).split(' ');
  if (path !== undefined && Number(version) >= minimumPythonVersion) return { path, id: id.join(' ') };
  const found =
    path === undefined ? 'none was found on this machine' : `${path} is Python 3.${version || 'unknown'}`;
  throw new SparkUnavailableError(
    `Spark needs Python 3.${minimumPythonVersion} or newer, but ${found}. Install it, for example with "apt-get install python3", and start the run again.`,
  );
}

/** An exact version is the same in every index, so services with different indexes share it. */
function packageKeyOf(version: string, { id }: Python): string {
  return cacheKeyOf('pyspark', requirementOf(version), id);
}

/** @throws SparkUnavailableError when the directory holds no Spark */
async function findInstallation(home: string, python: string): Promise<InstalledSpark> {
  if ((await statIfExists(join(home, 'bin', 'spark-submit'))) === undefined)
    throw new SparkUnavailableError(
      `SPARK_HOME is ${JSON.stringify(home)}, which has no bin/spark-submit; it must be the directory of a Spark installation.`,
    );
  // The package itself, as pip installs it.
  if (basename(home) === 'pyspark' && (await statIfExists(join(home, '__init__.py'))) !== undefined)
    return { home, pythonPath: [dirname(home)], python };
  const libraries = join(home, 'python', 'lib');
  const py4j = ((await readdir(libraries).catch(undefinedIfMissing)) ?? []).filter((name) =>
    /^py4j-.*\.zip$/.test(name),
  );
  return { home, pythonPath: [join(home, 'python'), ...py4j.map((name) => join(libraries, name))], python };
}
