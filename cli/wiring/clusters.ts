/** Wires clusters: stores, provider, control, injected faults and change signals. */
import type { Clock } from '../../engine/clock.ts';
import { createClusterFaults } from '../../engine/cluster/fault-injection.ts';
import { poolCapacityOf, hasLimitedPool, type Inventory } from '../../engine/cluster/inventory.ts';
import { createLiveInventory, type LiveInventory } from '../../engine/cluster/live-inventory.ts';
import type {
  AllPurposeStore,
  ClusterProvider,
  ClusterReader,
  ClusterStore,
  ComputePorts,
} from '../../engine/ports/clusters.ts';
import { createClusterControl, type ClusterControl } from '../../engine/coordinator/all-purpose-clusters.ts';
import { createInventoryControl, type InventoryControl } from '../../engine/coordinator/inventory-control.ts';
import { createClusterSignals } from '../../engine/coordinator/cluster-signals.ts';
import { messageOf } from '../../engine/errors.ts';
import type { LibraryCluster } from '../../engine/ports/libraries.ts';
import type { Log } from '../../engine/ports/log.ts';
import { createLocalProvider } from '../../runners/warm/local-provider.ts';
import { createSparkProvider } from '../../runners/spark/spark-provider.ts';
import type { Isolation } from '../../runners/process/isolation.ts';
import { createInitScriptRunner, type InitScriptRunner } from '../../runners/init-scripts/init-scripts.ts';
import { createAllPurposeStore } from '../../storage/postgres/clusters/all-purpose-clusters.ts';
import type { NodeLimits } from '../../storage/postgres/clusters/cluster-nodes.ts';
import { createClusterPolicyStore } from '../../storage/postgres/clusters/cluster-policies.ts';
import { createClusterReader } from '../../storage/postgres/clusters/cluster-reader.ts';
import type { AttemptFiles } from '../../storage/files/attempt-files.ts';
import { deliverClusterLogs, recordClusterAttempt } from '../../storage/files/cluster-logs.ts';
import { listenForClusterChanges } from '../../storage/postgres/clusters/cluster-listener.ts';
import { createInstancePoolStore } from '../../storage/postgres/clusters/instance-pools.ts';
import { createClusterStore } from '../../storage/postgres/clusters/clusters.ts';
import type { DatabaseAddress, OpenDatabase } from '../../storage/postgres/database.ts';
import type { Roots } from '../../storage/files/roots.ts';
import type { Config } from '../config.ts';
import { sparkDirectory } from './cache-directories.ts';
import { stopAll } from './shutdown.ts';

export interface Clusters {
  readonly store: ClusterStore;
  readonly compute: ComputePorts;
  readonly control: ClusterControl;
  readonly inventoryControl: InventoryControl;
  readonly reader: ClusterReader;
  /** Starts maintenance of clusters without a live node, unless it is already running. */
  maintain(): void;
  close(): Promise<void>;
}

export interface ClusterDependencies {
  readonly config: Config;
  readonly isolation: Isolation;
  /** Resolves a URI to a file. */
  readonly resolvePath: (uri: string, what: 'file' | 'notebook') => Promise<string>;
  /** Where objstore:// is: directories of this service, or a server. */
  readonly objstore: 'directories' | 'server';
  readonly address: DatabaseAddress;
  readonly database: OpenDatabase;
  readonly roots: Roots;
  readonly files: AttemptFiles;
  readonly nodeId: string;
  /** Called for every all-purpose cluster that has started. */
  readonly onClusterStarted: (cluster: LibraryCluster) => void;
  /** Returns `length` random characters of a-z0-9. */
  readonly random: (length: number) => string;
  readonly clock: Clock;
  readonly log: Log;
}

export async function startClusters(dependencies: ClusterDependencies): Promise<Clusters> {
  const { config, address, roots, files, nodeId, onClusterStarted, random, clock, log } = dependencies;
  const { db } = dependencies.database;
  const { clusterStartMs } = config;
  const live = createLiveInventory(config.clusters);
  const { inventory } = live;
  const rules = createNodeLimits(inventory);
  const store = createClusterStore(db, clock, log, rules);
  const signals = createClusterSignals();
  const scripts = createScripts(dependencies);
  if (config.faults.length > 0)
    log.warn({ faults: config.faults }, 'RUNYARD_FAULTS is set: clusters of this engine fail on purpose.');
  const compute: ComputePorts = {
    inventory,
    requireExistingCluster: config.clustersStrict,
    faults: createClusterFaults(config.faults),
    signals,
    provider: createProvider({ db, roots, scripts, clock, log }),
    computeProviders: createProviders(dependencies),
    startForTask: (clusterId) => control.startForTask(clusterId),
  };
  const allPurpose = createAllPurposeStore(db, rules);
  const inventoryControl = wireInventoryControl(dependencies, live, allPurpose);
  const control = createClusterControl({
    clusters: store,
    store: allPurpose,
    compute,
    clock,
    log,
    clusterStartMs,
    nodeId,
    onClusterRunning: onClusterStarted,
    randomString: random,
    directories: files,
    removeDirectory: (clusterId) => files.removeCluster(clusterId),
  });
  await stopOrphanedScripts(scripts, store, log);
  await inventoryControl.refresh();
  const listener = listenForClusterChanges({ address, clock, log }, signals.notify, () =>
    refreshInventory(inventoryControl, log),
  );
  await listener.ready;
  const maintenance = createMaintenance(control, log);
  return {
    store,
    compute,
    control,
    inventoryControl,
    reader: createClusterReader(db),
    maintain: maintenance.start,
    close: () =>
      stopAll([() => control.close(), () => listener.close(), maintenance.finished, () => scripts.close()]),
  };
}

function wireInventoryControl(
  { config, database: { db }, clock, random }: ClusterDependencies,
  live: LiveInventory,
  clusters: AllPurposeStore,
): InventoryControl {
  return createInventoryControl({
    configured: config.clusters,
    live,
    pools: createInstancePoolStore(db),
    policies: createClusterPolicyStore(db),
    clusters,
    clock,
    randomString: random,
  });
}

/** Limits of the pools as they are at the time of each call. */
function createNodeLimits(inventory: Inventory): NodeLimits {
  return {
    get limited() {
      return hasLimitedPool(inventory);
    },
    capacityOf: (poolId) => poolCapacityOf(poolId, inventory),
  };
}

/** Reads the pools and policies in the background, after another engine changed them. */
function refreshInventory(control: InventoryControl, log: Log): void {
  control
    .refresh()
    .catch((error: unknown) =>
      log.warn(
        { error: messageOf(error) },
        'Reading the instance pools and policies failed; the next change reads them again.',
      ),
    );
}

function createScripts({ config, isolation, resolvePath, roots }: ClusterDependencies): InitScriptRunner {
  const { stopGraceMs, logBytesMax } = config;
  return createInitScriptRunner({
    clustersDirectory: roots.clusters.directory,
    taskEnvironment: { ...config.taskEnvironment, RUNYARD_MANAGED_FS: roots.managedFs.directory },
    isolation,
    stopGraceMs,
    logBytesMax,
    locate: resolvePath,
  });
}

function createProviders(dependencies: ClusterDependencies): ComputePorts['computeProviders'] {
  const { directory } = dependencies.roots.clusters;
  return { local: createLocalProvider(directory), spark: createSpark(dependencies) };
}

function createSpark({ config, isolation, resolvePath, roots, objstore, clock }: ClusterDependencies) {
  return createSparkProvider({
    cacheDirectory: sparkDirectory(config),
    clustersDirectory: roots.clusters.directory,
    managedFs: roots.managedFs.directory,
    workspace: roots.workspace.directory,
    objstore: objstore === 'directories' ? roots.objstore.directory : undefined,
    taskEnvironment: {
      ...config.taskEnvironment,
      RUNYARD_MANAGED_FS: roots.managedFs.directory,
      RUNYARD_WORKSPACE: roots.workspace.directory,
    },
    installEnvironment: config.libraryEnvironment,
    isolation,
    stopGraceMs: config.stopGraceMs,
    logBytesMax: config.logBytesMax,
    now: clock.now,
    locate: resolvePath,
  });
}

/** Runs at most one maintenance at a time. */
function createMaintenance(
  control: Pick<ClusterControl, 'maintain'>,
  log: Log,
): { readonly start: () => void; readonly finished: () => Promise<void> } {
  let current: Promise<void> | undefined;
  return {
    start() {
      current ??= control
        .maintain()
        .catch((error: unknown) =>
          log.warn(
            { error: messageOf(error) },
            'Cluster maintenance failed; retrying with the next heartbeat.',
          ),
        )
        .finally(() => {
          current = undefined;
        });
    },
    async finished() {
      await current;
    },
  };
}

function createProvider({
  db,
  roots,
  scripts,
  clock,
  log,
}: Pick<ClusterDependencies, 'roots' | 'clock' | 'log'> & {
  readonly db: OpenDatabase['db'];
  readonly scripts: Pick<ClusterProvider, 'runScript' | 'stopScripts'>;
}): ClusterProvider {
  // Deliveries run one at a time, because each holds a connection while it copies.
  let deliveries: Promise<void> = Promise.resolve();
  return {
    runScript: scripts.runScript,
    stopScripts: scripts.stopScripts,
    attachLogs: (clusterId, runId) => recordClusterAttempt(roots, clusterId, runId),
    deliverLogs(clusterId) {
      deliveries = deliveries
        .then(() => deliverClusterLogs(db, roots, clusterId, clock.now()))
        .catch((error: unknown) => {
          log.warn(
            { cluster_id: clusterId, error: messageOf(error) },
            'Delivery of the cluster logs failed; housekeeping retries it.',
          );
        });
      return deliveries;
    },
  };
}

/** Stops init scripts of clusters that were terminated while no engine was running. */
async function stopOrphanedScripts(scripts: InitScriptRunner, store: ClusterStore, log: Log): Promise<void> {
  for (const clusterId of await scripts.listActiveClusters()) {
    const cluster = await store.find(clusterId);
    if (cluster !== undefined && cluster.state !== 'TERMINATED') continue;
    log.warn({ cluster_id: clusterId }, 'Stopping orphaned init scripts of a terminated cluster.');
    await scripts.stopScripts(clusterId);
  }
}
