/** Wires the engine of one node: stores, files, runner pool, coordinator, run queue and ownership loop. */
import { randomBytes, randomUUID } from 'node:crypto';
import type { LibraryPorts } from '../../api/http/ports.ts';
import type { Clock } from '../../engine/clock.ts';
import { createLaunchPacing, type LaunchPacing } from '../../engine/coordinator/launch-pacing.ts';
import { createRunEndListeners, type RunEndListeners } from '../../engine/coordinator/run-end-listeners.ts';
import { createRunQueue, type RunQueue } from '../../engine/coordinator/run-queue.ts';
import { createCoordinator, type Coordinator } from '../../engine/coordinator/coordinator.ts';
import { sweepOrphanProcesses } from '../../engine/coordinator/orphan-sweep.ts';
import { startOwnershipLoop } from '../../engine/coordinator/ownership-loop.ts';
import type { PluginKind } from '../../engine/job/task-kinds.ts';
import { hostName, identifyProcess } from '../../engine/process-identity.ts';
import type { Log } from '../../engine/ports/log.ts';
import type { NodeIdentity, NodeReader } from '../../engine/ports/nodes.ts';
import type { WorkspaceInfo } from '../../engine/run/workspace-info.ts';
import type { LibraryManager } from '../../engine/ports/libraries.ts';
import type { RunStore } from '../../engine/ports/runs.ts';
import { createUpdatePlanner } from '../../engine/pipeline-update.ts';
import type { Isolation } from '../../runners/process/isolation.ts';
import type { RunnerSettings } from '../../runners/pool/thread-messages.ts';
import { createTaskPool, type ClosableTaskPool, type TaskPoolOptions } from '../../runners/pool/task-pool.ts';
import { createProcessTable } from '../../runners/process/process-table.ts';
import { createAttemptFiles, type AttemptFiles } from '../../storage/files/attempt-files.ts';
import { createRetryingPermissionReader } from '../../storage/postgres/jobs/job-permissions.ts';
import type { DatabaseAddress, OpenDatabase } from '../../storage/postgres/database.ts';
import { startHeartbeat } from '../../storage/postgres/nodes/heartbeat.ts';
import { startDiskMonitor, type DiskMonitor } from '../../storage/files/disk-monitor.ts';
import { createPathResolver } from '../../storage/files/path-resolver.ts';
import { createPipelineFiles } from '../../storage/files/pipeline-files.ts';
import { createRetryingPipelineStore } from '../../storage/postgres/pipelines/pipelines.ts';
import { knownPathsOf, type Roots } from '../../storage/files/roots.ts';
import { createNodeStore, createRunStore } from '../../storage/postgres/stores.ts';
import { startClusters, type Clusters } from './clusters.ts';
import type { Config } from '../config.ts';
import { assertSharedDataDirectory, ensureDirectoryId } from './data-directory-checks.ts';
import { createLibraries } from './libraries.ts';
import { createConfiguredObjectStore } from './object-store.ts';
import { closeEngine, drainEngine, type EngineParts } from './engine-parts.ts';

export interface Engine {
  readonly nodeId: string;
  readonly runs: RunStore;
  readonly coordinator: Coordinator;
  readonly queue: RunQueue;
  readonly pacing: LaunchPacing;
  readonly runEndListeners: RunEndListeners;
  readonly nodes: NodeReader;
  readonly clusters: Clusters;
  readonly libraries: LibraryPorts;
  /** Starts nothing new, and resolves when the running tasks end. Call before `close`. */
  drain(): Promise<void>;
  readonly files: AttemptFiles;
  /** Returns the data directory while its disk is full. */
  readonly findFullDisk: () => string | undefined;
  /** Releases the runs: their tasks continue, and another engine may adopt them at once. */
  close(): Promise<void>;
}

export interface EngineDependencies {
  readonly config: Config;
  readonly address: DatabaseAddress;
  readonly database: OpenDatabase;
  readonly roots: Roots;
  readonly workspaceInfo: WorkspaceInfo;
  readonly plugins: readonly PluginKind[];
  readonly isolation: Isolation;
  readonly clock: Clock;
  readonly log: Log;
}

/**
 * Starts the engine: ends orphaned processes, adopts orphaned runs, and drives runs from then on. When a part
 * fails to start, the parts before it are stopped.
 */
export async function startEngine(dependencies: EngineDependencies): Promise<Engine> {
  const parts: Partial<EngineParts> = {};
  try {
    return await startParts(dependencies, parts);
  } catch (error) {
    // The reason of the failed start counts.
    await closeEngine(parts).catch(() => undefined);
    throw error;
  }
}

/** @param parts receives each part as it starts */
async function startParts(dependencies: EngineDependencies, parts: Partial<EngineParts>): Promise<Engine> {
  const { config, address, database, roots, isolation, clock, log } = dependencies;
  const files = createAttemptFiles(roots);
  const objects = createConfiguredObjectStore(config, clock);
  const resolvePath = createPathResolver(roots, objects);
  const libraries = createLibraries({ config, database, roots, objects, isolation, clock, log });
  parts.libraries = libraries;
  const runs = createRunStore(database.db, clock, log);
  const nodes = createNodeStore(database.db);
  const node = await createNodeIdentity(await ensureDirectoryId(config.dataDirectory));
  const { nodeId } = node;
  await assertSharedDataDirectory(node, await nodes.list());
  const pool = createConfiguredPool(dependencies, resolvePath);
  parts.pool = pool;
  const clusters = await startNodeClusters(dependencies, {
    resolvePath,
    objstore: objects === undefined ? 'directories' : 'server',
    files,
    nodeId,
    onClusterStarted: libraries.ports.startInstallation,
  });
  parts.clusters = clusters;
  const disk = await watchDisk(dependencies, parts);
  parts.disk = disk;
  const { libraryManager } = libraries;
  const driver = { runs, files, objects, pool, clusters, nodeId, libraryManager, disk };
  const { coordinator, queue, pacing, runEndListeners } = createRunDriver(dependencies, driver);
  Object.assign(parts, { coordinator, queue });
  const processes = createProcessTable(roots.runs.directory);
  const sweep = (): Promise<void> => sweepOrphanProcesses({ processes, runs, log });
  await sweep();
  const { leaseMs } = config;
  const loop = { nodes, runs, coordinator, clock, log, node, leaseMs };
  const ownership = await startOwnershipLoop({
    ...loop,
    sweepOrphans: sweep,
    queue: { wake: () => processWaitingWork(queue, clusters) },
    heartbeat: (onLost) => startHeartbeat({ address, nodeId, leaseMs }, log, onLost),
  });
  parts.ownership = ownership;
  await libraries.resume();
  return {
    nodeId,
    runs,
    nodes,
    clusters,
    coordinator,
    queue,
    pacing,
    runEndListeners,
    files,
    findFullDisk: disk.findFullDisk,
    libraries: libraries.ports,
    drain: () => drainEngine({ ownership, queue, coordinator }),
    close: () => closeEngine(parts),
  };
}

/** Watches the disk of the data directory; a full disk ends the tasks of the coordinator. */
function watchDisk(
  { config, clock, log }: Pick<EngineDependencies, 'config' | 'clock' | 'log'>,
  driven: { readonly coordinator?: Coordinator },
): Promise<DiskMonitor> {
  return startDiskMonitor({
    directory: config.dataDirectory,
    reserveBytes: config.diskReserveBytes,
    clock,
    log,
    onFull: (directory) => driven.coordinator?.endTasks(`The disk of ${directory} is full`),
  });
}

/** Starts the clusters of this node. */
function startNodeClusters(
  { config, isolation, address, database, roots, clock, log }: EngineDependencies,
  parts: Pick<
    Parameters<typeof startClusters>[0],
    'resolvePath' | 'objstore' | 'files' | 'nodeId' | 'onClusterStarted'
  >,
): Promise<Clusters> {
  const random = randomCharacters;
  return startClusters({ config, isolation, address, database, roots, random, clock, log, ...parts });
}

function createConfiguredPool(
  { config, roots, isolation, plugins, log }: EngineDependencies,
  locate: TaskPoolOptions['locate'],
): ClosableTaskPool {
  return createTaskPool({
    threads: config.poolThreads,
    attemptsPerThread: config.attemptsPerThread,
    settings: createRunnerSettings(config, roots, isolation),
    locate,
    plugins,
    log,
  });
}

interface DriverParts extends Pick<Engine, 'runs' | 'files' | 'clusters' | 'nodeId'> {
  readonly objects: ReturnType<typeof createConfiguredObjectStore>;
  readonly pool: ClosableTaskPool;
  readonly libraryManager: LibraryManager;
  readonly disk: DiskMonitor;
}

/** Launches are paced from this part of the workspace's limit, so that the others have space for bursts. */
const pacedShare = 3;

/** Creates the coordinator and the run queue, which wake each other. */
function createRunDriver(
  { config, database: { db }, roots, workspaceInfo, clock, log }: EngineDependencies,
  { runs, files, objects, pool, clusters, nodeId, libraryManager, disk }: DriverParts,
): Pick<Engine, 'coordinator' | 'queue' | 'pacing' | 'runEndListeners'> {
  const { limits } = config;
  const runEndListeners = createRunEndListeners();
  const coordinator = createCoordinator({
    runs,
    clusters: clusters.store,
    compute: clusters.compute,
    libraryManager,
    pool,
    directories: files,
    workspace: workspaceInfo,
    clock,
    log,
    nodeId,
    hostName,
    findFullDisk: disk.findFullDisk,
    clusterStartMs: config.clusterStartMs,
    randomString: randomCharacters,
    limits,
    onCapacityFreed() {
      queue.wake();
      pacing.recordEnd();
    },
    runEndListeners,
    updatePlanner: createUpdatePlanner({
      inventory: clusters.compute.inventory,
      pipelines: createRetryingPipelineStore(db, clock, log),
      clock,
      limits,
      pipelineFiles: createPipelineFiles(
        { ...roots, objstore: objects === undefined ? roots.objstore : undefined },
        limits.pipelineSourceBytes,
      ),
    }),
    permissions: config.jobAccessControl ? createRetryingPermissionReader(db, clock, log) : undefined,
  });
  const queue = createRunQueue({
    runs,
    clock,
    log,
    limits,
    nodeId,
    acceptRun: coordinator.accept,
    runEndListeners,
  });
  const pacing = createLaunchPacing({
    clock,
    threshold: limits.concurrentTaskRuns / pacedShare,
    countDrivenRuns: coordinator.countDrivenRuns,
  });
  return { coordinator, queue, pacing, runEndListeners };
}

/** Creates the settings of this engine that every attempt receives. */
function createRunnerSettings(config: Config, roots: Roots, isolation: Isolation): RunnerSettings {
  const { stopGraceMs, logBytesMax, limits, warmImports } = config;
  const taskEnvironment = {
    ...config.taskEnvironment,
    RUNYARD_MANAGED_FS: roots.managedFs.directory,
    RUNYARD_WORKSPACE: roots.workspace.directory,
  };
  const knownPaths = knownPathsOf(roots);
  return { taskEnvironment, stopGraceMs, logBytesMax, isolation, limits, warmImports, knownPaths };
}

/** Wakes the queue and maintains clusters, with each beat of the ownership loop. */
function processWaitingWork(queue: RunQueue, clusters: Clusters): void {
  queue.wake();
  clusters.maintain();
}

async function createNodeIdentity(directoryId: string): Promise<NodeIdentity> {
  const identity = await identifyProcess(process.pid);
  if (identity === undefined) throw new Error('This process is not in the process table. Is /proc mounted?');
  return {
    nodeId: randomUUID(),
    host: hostName,
    bootId: identity.bootId,
    pid: identity.pid,
    processStart: identity.startTime,
    directoryId,
  };
}

/** Returns random characters of a-z0-9. */
function randomCharacters(length: number): string {
  const alphabet = 'abcdefghijklmnopqrstuvwxyz0123456789';
  return [...randomBytes(length)].map((byte) => alphabet[byte % alphabet.length]).join('');
}
