/**
 * The compute provider `spark`: programs of a cluster compute on a Spark master. It installs the distribution,
 * writes the properties of the cluster, and starts the shared driver for the tasks that use it.
 */
import { mkdir } from 'node:fs/promises';
import { hostname } from 'node:os';
import { extname, join } from 'node:path';
import { readHead, statIfExists } from '../../engine/read-file.ts';
import { spellingsOf } from '../../engine/validation/aliases.ts';
import type { SparkCluster } from '../../engine/run/assignment.ts';
import type { ComputeProvider, ComputeRequest, ComputeResult } from '../../engine/ports/compute-providers.ts';
import { cacheKeyOf } from '../libraries/library-cache.ts';
import { grantOwnership, shareDirectory } from '../pool/directory-ownership.ts';
import type { Isolation } from '../process/isolation.ts';
import { writeFileAtomically } from '../process/pinned-command.ts';
import { userVariables } from '../process/task-environment.ts';
import { findClustersWithProcesses } from '../warm/local-provider.ts';
import { requireJava, SparkUnavailableError } from './java-version.ts';
import { canProtectPages, ensurePagesSecret } from './pages-access.ts';
import { findKnownInstallation, type KnownInstallations } from './known-installation.ts';
import { sessionModeOf, sessionModeOfFile, type SessionMode } from './session-mode.ts';
import { ensureDriver, findDriver, stopDrivers } from './spark-driver.ts';
import { packPythonPath } from './python-archives.ts';
import { isLocalMaster, sparkVariables } from './spark-environment.ts';
import { clusterProperties, driverProperties, renderSparkDefaults } from './spark-properties.ts';
import { ensureSpark, type InstalledSpark } from './spark-runtime.ts';

export interface SparkProviderOptions {
  /** Cache of the distributions. */
  readonly cacheDirectory: string;
  /** Absolute parent of the clusters' directories. */
  readonly clustersDirectory: string;
  readonly managedFs: string;
  readonly workspace: string;
  /** Undefined for an object store that is a server. */
  readonly objstore: string | undefined;
  /** Base environment of tasks. */
  readonly taskEnvironment: Readonly<Record<string, string>>;
  /** Added to it for installers. */
  readonly installEnvironment: Readonly<Record<string, string>>;
  readonly isolation: Isolation;
  readonly stopGraceMs: number;
  readonly logBytesMax: number;
  readonly now: () => number;
  /** Returns the path of a file. @throws Error */
  readonly locate: (uri: string, what: 'file' | 'notebook') => Promise<string>;
}

/** Maximum size of a program whose text decides how it reaches Spark. */
const sourceBytesMax = 2 ** 20;
/** Time that a driver has to end its application. */
const endGraceMs = 3_000;

/** What a provider remembers between tasks. */
interface ProviderMemory {
  /** Drivers that are being started, by their directory. */
  readonly starting: Map<string, ReturnType<typeof ensureDriver>>;
  readonly installations: KnownInstallations;
}

export function createSparkProvider(options: SparkProviderOptions): ComputeProvider {
  const memory: ProviderMemory = { starting: new Map(), installations: new Map() };
  // Clusters that may have drivers; undefined before the first look at the processes of this machine.
  let known: Set<string> | undefined;
  return {
    async prepare(request) {
      known?.add(request.clusterId);
      try {
        return await prepare(options, request, memory);
      } catch (error) {
        if (error instanceof SparkUnavailableError) return { kind: 'failed', message: error.message };
        throw error;
      }
    },
    endCluster: (clusterId) => endCluster(options, known, clusterId),
    async listClusters() {
      known ??= await findClustersWithProcesses(options.clustersDirectory);
      return [...known];
    },
  };
}

/** Ends the drivers of a cluster: first by a signal that lets Spark end its application, then by force. */
async function endCluster(
  { clustersDirectory, stopGraceMs }: SparkProviderOptions,
  known: Set<string> | undefined,
  clusterId: string,
): Promise<void> {
  known?.delete(clusterId);
  const directory = join(clustersDirectory, clusterId);
  if ((await statIfExists(join(directory, 'spark'))) === undefined) return;
  await stopDrivers(directory, Math.min(stopGraceMs, endGraceMs)).catch(() => undefined);
}

async function prepare(
  options: SparkProviderOptions,
  request: ComputeRequest,
  memory: ProviderMemory,
): Promise<ComputeResult> {
  const { compute, isRunning, signal } = request;
  if (compute.provider !== 'spark' || signal.aborted) return { kind: 'stopped' };
  const environment = clusterEnvironment(options, request);
  await mkdir(join(request.directory, 'spark'), { recursive: true, mode: 0o700 });
  const installed = await findKnownInstallation(memory.installations, request, environment, async () => {
    await requireJava(environment, options.isolation);
    return install(options, request, environment);
  });
  if (installed === 'stopped') return { kind: 'stopped' };
  const mode = await sessionModeOfTask(options, request);
  const common = { home: installed.home, pythonPath: installed.pythonPath, python: installed.python };
  const { managedFs, objstore } = options;
  const stores = Object.fromEntries([
    ...spellingsOf('managed_fs').map((scheme) => [scheme, managedFs] as const),
    ...(objstore === undefined ? [] : [['objstore', objstore] as const]),
    ['workspace', options.workspace] as const,
  ]);
  const cluster = { ...common, master: compute.master, sql: compute.sql, stores };
  const own = await writeProperties(options, request, installed, new Map());
  const ready = (changes: Pick<SparkCluster, 'confDirectory' | 'driver'>): ComputeResult => ({
    kind: 'ready',
    spark: { ...cluster, ...changes },
  });
  if (mode !== 'shared') return ready({ confDirectory: own, driver: undefined });
  const shared = await writeProperties(options, request, installed, driverProperties);
  const parent = join(shared, encodeURIComponent(hostname()));
  if (isRunning) return ready({ confDirectory: own, driver: await findDriver(parent) });
  const driver = startOnce(memory.starting, parent, () =>
    ensureDriver(
      {
        parent,
        clusterDirectory: request.directory,
        home: installed.home,
        environment: {
          ...environment,
          ...sparkVariables({ ...cluster, confDirectory: shared, driver: undefined }, environment),
        },
        isolation: options.isolation,
        stopGraceMs: options.stopGraceMs,
        logBytesMax: options.logBytesMax,
      },
      new AbortController().signal,
      () => request.onProgress(`Cluster ${request.clusterId} starts its Spark driver`),
    ),
  );
  const first = await Promise.race([driver, aborted(signal)]);
  return first === 'stopped' ? { kind: 'stopped' } : ready({ confDirectory: own, driver: first });
}

/** Shares a start between concurrent tasks. The start goes on when the task that began it is stopped. */
function startOnce<Result>(
  starting: Map<string, Promise<Result>>,
  key: string,
  start: () => Promise<Result>,
): Promise<Result> {
  const known = starting.get(key);
  if (known !== undefined) return known;
  const made = start().finally(() => starting.delete(key));
  starting.set(key, made);
  return made;
}

function aborted(signal: AbortSignal): Promise<'stopped'> {
  return new Promise((resolve) => {
    if (signal.aborted) resolve('stopped');
    signal.addEventListener('abort', () => resolve('stopped'), { once: true });
  });
}

/** Returns the environment of the programs of a cluster, with its libraries. */
function clusterEnvironment(
  { taskEnvironment, isolation }: SparkProviderOptions,
  { directory, environment, libraries, clusterId }: ComputeRequest,
): Record<string, string> {
  const whole: Record<string, string> = {
    ...taskEnvironment,
    ...userVariables(isolation.user, join(directory, 'work')),
    ...environment,
    RUNYARD_CLUSTER_ID: clusterId,
  };
  const pythonPath = [...libraries.pythonPath, ...splitPath(whole['PYTHONPATH'])];
  const path = [...libraries.binPath, ...splitPath(whole['PATH'])];
  return {
    ...whole,
    PATH: path.join(':'),
    ...(pythonPath.length > 0 && { PYTHONPATH: pythonPath.join(':') }),
  };
}

function splitPath(path: string | undefined): string[] {
  return (path ?? '').split(':').filter((entry) => entry !== '');
}

async function install(
  options: SparkProviderOptions,
  { compute, clusterId, directory, signal, onProgress }: ComputeRequest,
  environment: Readonly<Record<string, string>>,
): Promise<InstalledSpark | 'stopped'> {
  if (compute.provider !== 'spark') return 'stopped';
  return ensureSpark(
    compute.runtime,
    {
      root: options.cacheDirectory,
      environment: { ...environment, ...options.installEnvironment },
      isolation: options.isolation,
      markerDirectory: directory,
      stopGraceMs: options.stopGraceMs,
      now: options.now,
      signal,
    },
    (what) => onProgress(`Cluster ${clusterId} installs ${what}`),
  );
}

/** Writes SPARK_CONF_DIR, named by its content, and returns it. */
async function writeProperties(
  { managedFs, isolation }: SparkProviderOptions,
  { compute, name, nodeType, workers, libraries, directory }: ComputeRequest,
  { home, pythonPath, python }: InstalledSpark,
  more: ReadonlyMap<string, string>,
): Promise<string> {
  if (compute.provider !== 'spark') throw new Error('The cluster has no Spark.');
  const spark = join(directory, 'spark');
  await mkdir(spark, { recursive: true, mode: 0o700 });
  const packed = isLocalMaster(compute.master)
    ? undefined
    : await packPythonPath(libraries.pythonPath, spark);
  const properties = clusterProperties({
    name,
    pagesSecret: (await canProtectPages(home)) ? await ensurePagesSecret(spark) : undefined,
    compute,
    nodeType,
    workers,
    classPath: libraries.classPath,
    pythonPath: [...libraries.pythonPath, ...pythonPath],
    packed,
    python,
    managedFs,
  });
  const text = renderSparkDefaults(new Map([...properties, ...more]));
  const own = join(spark, cacheKeyOf(text).slice(0, 16));
  await mkdir(own, { recursive: true, mode: 0o700 });
  await mkdir(join(managedFs, 'user', 'hive', 'warehouse'), { recursive: true });
  const file = join(own, 'spark-defaults.conf');
  if ((await readHead(file, 1)).bytes === 0) await writeFileAtomically(file, text);
  const { user } = isolation;
  if (user !== undefined) {
    await shareDirectory(directory, user);
    await grantOwnership(spark, user);
  }
  return own;
}

/** Kinds whose programs reach Spark through a session, with the field that names the file. */
const sessionKinds: Readonly<Record<string, { readonly field: string; readonly what: 'file' | 'notebook' }>> =
  {
    notebook_task: { field: 'notebook_path', what: 'notebook' },
    spark_python_task: { field: 'python_file', what: 'file' },
  };

async function sessionModeOfTask(
  { locate }: SparkProviderOptions,
  { kind, task, compute }: ComputeRequest,
): Promise<SessionMode> {
  // The definitions of a pipeline are built in a Connect session.
  if (kind === 'pipeline_task') return 'shared';
  const known = sessionKinds[kind];
  if (known === undefined || compute.provider !== 'spark') return 'own';
  const { session, sql } = compute;
  const uri: unknown = typeof task === 'object' && task !== null ? Reflect.get(task, known.field) : undefined;
  if (typeof uri !== 'string') return sessionModeOf(undefined, session, sql);
  // A file that cannot be found fails the task when it begins.
  const file = await locate(uri, known.what).catch(() => undefined);
  if (file === undefined) return sessionModeOf(undefined, session, sql);
  const { text } = await readHead(file, sourceBytesMax);
  return sessionModeOfFile(extname(file).toLowerCase(), text, session, sql);
}
