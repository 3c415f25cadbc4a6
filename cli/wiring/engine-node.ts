/** Wires the engine of one node: stores, files, runner pool, coordinator and watch. */
import { randomBytes, randomUUID } from 'node:crypto';
import type { LibraryPorts } from '../../api/http/ports.ts';
import type { Clock } from '../../engine/clock.ts';
import { createRunEndListeners } from '../../engine/coordinator/run-end-listeners.ts';
import { createRunQueue, type RunQueue } from '../../engine/coordinator/run-queue.ts';
import { createCoordinator, type Coordinator } from '../../engine/coordinator/coordinator.ts';
import { sweepOrphanProcesses } from '../../engine/coordinator/orphan-sweep.ts';
import { startOwnershipLoop } from '../../engine/coordinator/ownership-loop.ts';
import type { PluginKind } from '../../engine/job/task-kinds.ts';
import { hostName, identifyProcess } from '../../engine/process-identity.ts';
import type { Log } from '../../engine/ports/log.ts';
import type { NodeIdentity, NodeReader } from '../../engine/ports/nodes.ts';
import type { WorkspaceInfo } from '../../engine/run/workspace-info.ts';
import type { RunStore } from '../../engine/ports/runs.ts';
import { createUpdatePlanner } from '../../engine/pipeline-update.ts';
import type { Isolation } from '../../runners/process/isolation.ts';
import type { RunnerSettings } from '../../runners/pool/thread-messages.ts';
import { createTaskPool } from '../../runners/pool/task-pool.ts';
import { createProcessTable } from '../../runners/process/process-table.ts';
import { createAttemptFiles, type AttemptFiles } from '../../storage/files/attempt-files.ts';
import { createRetryingPermissionReader } from '../../storage/postgres/jobs/job-permissions.ts';
import type { DatabaseAddress, OpenDatabase } from '../../storage/postgres/database.ts';
import { startHeartbeat } from '../../storage/postgres/nodes/heartbeat.ts';
import { createPathResolver } from '../../storage/files/path-resolver.ts';
import { createPipelineFiles } from '../../storage/files/pipeline-files.ts';
import { createRetryingPipelineStore } from '../../storage/postgres/pipelines/pipelines.ts';
import type { Roots } from '../../storage/files/roots.ts';
import { createNodeStore, createRunStore } from '../../storage/postgres/stores.ts';
import { startClusters, type Clusters } from './clusters.ts';
import type { Config } from '../config.ts';
import { assertSharedDataDirectory, ensureDirectoryId } from './data-directory-checks.ts';
import { createLibraries } from './libraries.ts';
import { createConfiguredObjectStore } from './object-store.ts';

export interface Engine {
  readonly nodeId: string;
  readonly runs: RunStore;
  readonly coordinator: Coordinator;
  readonly queue: RunQueue;
  readonly nodes: NodeReader;
  readonly clusters: Clusters;
  readonly libraries: LibraryPorts;
  /** Takes up nothing new, and resolves when the tasks that run are over. Before `close`. */
  drain(): Promise<void>;
  readonly files: AttemptFiles;
  /** Lets go of the runs: their tasks go on, and another engine may adopt them at once. */
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
 * Starts driving runs: processes that nobody waits for are ended, and runs that were left behind are adopted.
 */
export async function startEngine({
  config,
  address,
  database,
  roots,
  workspaceInfo,
  plugins,
  isolation,
  clock,
  log,
}: EngineDependencies): Promise<Engine> {
  const { db } = database;
  const files = createAttemptFiles(roots);
  const objects = createConfiguredObjectStore(config, clock);
  const locate = createPathResolver(roots, objects);
  const libraries = createLibraries({ config, database, roots, objects, isolation, clock, log });
  const runs = createRunStore(db, clock, log);
  const nodes = createNodeStore(db);
  const node = await createNodeIdentity(await ensureDirectoryId(config.dataDirectory));
  await assertSharedDataDirectory(node, await nodes.list());
  const pool = createTaskPool({
    threads: config.poolThreads,
    attemptsPerThread: config.attemptsPerThread,
    settings: createRunnerSettings(config, roots, isolation),
    locate,
    plugins,
    log,
  });
  const clusters = await startClusters({
    config,
    isolation,
    resolvePath: locate,
    address,
    database,
    roots,
    files,
    nodeId: node.nodeId,
    onClusterStarted: libraries.ports.startInstallation,
    random: randomCharacters,
    clock,
    log,
  });
  const endings = createRunEndListeners();
  const coordinator = createCoordinator({
    runs,
    clusters: clusters.store,
    compute: clusters.compute,
    libraryManager: libraries.libraryManager,
    pool,
    directories: files,
    workspace: workspaceInfo,
    clock,
    log,
    nodeId: node.nodeId,
    clusterStartMs: config.clusterStartMs,
    randomString: randomCharacters,
    limits: config.limits,
    onCapacityFreed: () => queue.wake(),
    runEndListeners: endings,
    updatePlanner: createUpdatePlanner({
      pipelines: createRetryingPipelineStore(db, clock, log),
      clock,
      limits: config.limits,
      pipelineFiles: createPipelineFiles(
        { ...roots, objstore: objects === undefined ? roots.objstore : undefined },
        config.limits.pipelineSourceBytes,
      ),
    }),
    permissions: config.jobAccessControl ? createRetryingPermissionReader(db, clock, log) : undefined,
  });
  const queue = createRunQueue({
    runs,
    clock,
    log,
    limits: config.limits,
    nodeId: node.nodeId,
    acceptRun: coordinator.accept,
    runEndListeners: endings,
  });
  const sweep = (): Promise<void> =>
    sweepOrphanProcesses({ processes: createProcessTable(roots.runs.directory), runs, log });
  await sweep();
  const { leaseMs } = config;
  const watch = await startOwnershipLoop({
    nodes,
    runs,
    coordinator,
    clock,
    log,
    node,
    leaseMs,
    sweepOrphans: sweep,
    queue: { wake: () => processWaitingWork(queue, clusters) },
    heartbeat: (onLost) => startHeartbeat({ address, nodeId: node.nodeId, leaseMs }, log, onLost),
  });
  await libraries.resume();
  return {
    nodeId: node.nodeId,
    runs,
    nodes,
    clusters,
    coordinator,
    queue,
    files,
    libraries: libraries.ports,
    async drain() {
      watch.stopAdopting();
      await queue.close();
      await coordinator.drain();
    },
    async close() {
      libraries.close();
      await queue.close();
      await coordinator.close();
      await clusters.close();
      await pool.close();
      await watch.close();
    },
  };
}

/** What every attempt is told about this engine. */
function createRunnerSettings(config: Config, roots: Roots, isolation: Isolation): RunnerSettings {
  const { stopGraceMs, logBytesMax, limits } = config;
  const taskEnvironment = {
    ...config.taskEnvironment,
    RUNYARD_MANAGED_FS: roots.managedFs.directory,
    RUNYARD_WORKSPACE: roots.workspace.directory,
  };
  return { taskEnvironment, stopGraceMs, logBytesMax, isolation, limits };
}

/** With each beat: what waits, and clusters that a node which is gone was starting. */
function processWaitingWork(queue: RunQueue, clusters: Clusters): void {
  queue.wake();
  clusters.maintain();
}

async function createNodeIdentity(directoryId: string): Promise<NodeIdentity> {
  const identity = await identifyProcess(process.pid);
  if (identity === undefined) throw new Error('This process is not in the process table: is /proc mounted?');
  return {
    nodeId: randomUUID(),
    host: hostName,
    bootId: identity.bootId,
    pid: identity.pid,
    processStart: identity.startTime,
    directoryId,
  };
}

/** `length` random characters of a-z0-9. */
function randomCharacters(length: number): string {
  const alphabet = 'abcdefghijklmnopqrstuvwxyz0123456789';
  return [...randomBytes(length)].map((byte) => alphabet[byte % alphabet.length]).join('');
}
