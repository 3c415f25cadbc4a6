/** Checks of the doctor about tasks: plugins, isolation and Spark. */
import { access, constants, realpath } from 'node:fs/promises';
import { join } from 'node:path';
import { noSparkMaster, sparkRuntimeOf } from '../../engine/cluster/compute.ts';
import type { Inventory } from '../../engine/cluster/inventory.ts';
import { messageOf } from '../../engine/errors.ts';
import { mountPoints } from '../../engine/validation/aliases.ts';
import { findInterpreter } from '../../runners/process/task-environment.ts';
import { noIsolation } from '../../runners/process/isolation.ts';
import { findJavaVersion, javaHint, minimumJavaVersion } from '../../runners/spark/java-version.ts';
import { findSpark, sparkInstallCommand } from '../../runners/spark/spark-runtime.ts';
import { loadPlugins } from '../../runners/plugin/load-plugins.ts';
import type { Config } from '../config.ts';
import type { CheckResult } from './check-result.ts';
import { sparkDirectory } from '../wiring/cache-directories.ts';
import { findSandbox, resolveTaskUser } from '../wiring/isolation.ts';

/** Loads the plugins; an error there prevents the start of the engine. */
export async function checkPlugins({ plugins, taskEnvironment }: Config): Promise<CheckResult> {
  if (plugins.length === 0) return { state: 'ok', found: 'none' };
  const kinds = await loadPlugins(plugins, taskEnvironment);
  return {
    state: 'ok',
    found: kinds.map(({ name }, index) => `${name} (${plugins[index]?.specifier})`).join(', '),
  };
}

export async function checkTaskUser(config: Config): Promise<CheckResult> {
  const user = await resolveTaskUser(config);
  if (user !== undefined) return { state: 'ok', found: `tasks run as ${user.name} (${user.uid})` };
  if (config.taskSandbox === 'bubblewrap')
    return { state: 'ok', found: 'the user of the service, in the sandbox' };
  const self = process.getuid?.() === 0 ? 'root' : 'the user of the service';
  return {
    state: 'warn',
    found: `tasks run as ${self}`,
    advice: 'Tasks can read all files of the service: see RUNYARD_TASK_USER and RUNYARD_TASK_SANDBOX.',
  };
}

export async function checkSandbox(config: Config): Promise<CheckResult> {
  const user = await resolveTaskUser(config);
  const usable = await findSandbox(user).then(
    (program) => ({ program }),
    (error: unknown) => ({ reason: messageOf(error).trim().split('\n').at(-1) ?? '' }),
  );
  if (config.taskSandbox === 'none')
    return {
      state: 'ok',
      found: `none; bubblewrap ${'program' in usable ? 'is available' : `is not available (${usable.reason})`}`,
    };
  if ('program' in usable)
    return { state: 'ok', found: `${config.taskSandbox}, by bubblewrap at ${usable.program}` };
  return {
    state: 'broken',
    found: usable.reason,
    advice: 'RUNYARD_TASK_SANDBOX requires bubblewrap: install it, or allow user namespaces.',
  };
}

/** Reports where programs find managed_fs as a plain directory. */
export async function checkMountPoints({ dataDirectory, taskSandbox }: Config): Promise<CheckResult> {
  const names = mountPoints.map(({ path }) => path).join(' and ');
  if (taskSandbox !== 'none') return { state: 'ok', found: `${names}, in the sandbox of tasks` };
  const realPath = (path: string): Promise<string | undefined> => realpath(path).catch(() => undefined);
  const states = mountPoints.map(async ({ path, folder }) => {
    const [found, wanted] = await Promise.all(
      [path, join(dataDirectory, 'managed_fs', folder)].map(realPath),
    );
    return { path, exists: found !== undefined, isOurs: found !== undefined && found === wanted };
  });
  const points = await Promise.all(states);
  // On macOS, /Volumes has the disks of the machine.
  const isExpected = (path: string): boolean => process.platform === 'darwin' && path === '/Volumes';
  const foreign = points
    .filter(({ path, exists, isOurs }) => exists && !isOurs && !isExpected(path))
    .map(({ path }) => path);
  const ours = points.filter(({ isOurs }) => isOurs).map(({ path }) => path);
  if (foreign.length > 0)
    return {
      state: 'warn',
      found: `${foreign.join(' and ')} is not managed_fs of this service`,
      advice:
        'Programs that open this path see other files than managed_fs; set RUNYARD_TASK_SANDBOX=mounts.',
    };
  return {
    state: 'ok',
    found:
      ours.length === 0
        ? 'none; programs open managed_fs by RUNYARD_MANAGED_FS'
        : `${ours.join(' and ')}, on this machine`,
  };
}

export function checkTaskLimits({ taskLimits }: Config): Promise<CheckResult> {
  const configured = Object.entries(taskLimits).map(([name, value]) => `${name} ${value}`);
  return Promise.resolve({
    state: 'ok',
    found: ['memory and files of known node types', ...configured].join(', '),
  });
}

/** Checks what clusters with Spark need, or what submit tasks run in without any. */
export async function checkSpark(config: Config): Promise<CheckResult> {
  const { clusters: inventory, taskEnvironment } = config;
  const masters = configuredMasters(inventory);
  if (masters.length === 0) return checkSubmitLauncher(taskEnvironment);
  const advice: string[] = [];
  const java = await findJavaVersion(taskEnvironment);
  if (java === undefined || java.major < minimumJavaVersion)
    advice.push(`Spark needs Java ${minimumJavaVersion} or newer. ${javaHint}.`);
  const runtime = sparkRuntimeOf('', inventory);
  const home = await findSpark(runtime, {
    root: sparkDirectory(config),
    environment: { ...taskEnvironment, ...config.libraryEnvironment },
    isolation: noIsolation,
  }).catch((error: unknown) => {
    advice.push(messageOf(error));
    return undefined;
  });
  if (home === undefined)
    advice.push(
      `The first cluster installs PySpark ${runtime.pyspark}; "${sparkInstallCommand}" does it now.`,
    );
  const found = `master ${masters.join(', ')}; ${home === undefined ? `PySpark ${runtime.pyspark} is not installed` : `Spark at ${home}`}`;
  return advice.length === 0 ? { state: 'ok', found } : { state: 'missing', found, advice: advice.join(' ') };
}

/** Lists the masters of the default, of node types and of policies. */
function configuredMasters({ sparkMaster, nodeTypes, policies }: Inventory): string[] {
  const all = [sparkMaster, ...[nodeTypes, policies].flatMap((group) => Object.values(group).map(masterOf))];
  return [
    ...new Set(all.flatMap((master) => (master === undefined || master === noSparkMaster ? [] : master))),
  ];
}

function masterOf({ spark_master: master }: { readonly spark_master?: string }): string | undefined {
  return master;
}

async function checkSubmitLauncher(taskEnvironment: Config['taskEnvironment']): Promise<CheckResult> {
  const home = taskEnvironment['SPARK_HOME'] ?? '';
  const inHome = `${home}/bin/spark-submit`;
  const launcher =
    home !== '' &&
    (await access(inHome, constants.X_OK).then(
      () => true,
      () => false,
    ))
      ? inHome
      : await findInterpreter('spark-submit', taskEnvironment);
  if (launcher !== undefined) return { state: 'ok', found: `spark-submit at ${launcher}` };
  return {
    state: 'missing',
    found: 'neither SPARK_HOME nor spark-submit in PATH',
    advice:
      'Submit tasks run in a built-in launcher, which is not Spark. RUNYARD_CLUSTERS={"spark_master":"local[*]"} gives clusters a Spark.',
  };
}
