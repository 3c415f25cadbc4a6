/** Wires clusters: their rows and nodes, what really happens on them, and who hears of it. */
import type { Clock } from '../../engine/clock.ts';
import { createClusterFaults } from '../../engine/cluster/fault-injection.ts';
import { poolCapacityOf, hasLimitedPool } from '../../engine/cluster/inventory.ts';
import type {
  ClusterProvider,
  ClusterReader,
  ClusterStore,
  ComputePorts,
} from '../../engine/ports/clusters.ts';
import { createClusterControl, type ClusterControl } from '../../engine/coordinator/all-purpose-clusters.ts';
import { createClusterSignals } from '../../engine/coordinator/cluster-signals.ts';
import { messageOf } from '../../engine/errors.ts';
import type { LibraryCluster } from '../../engine/ports/libraries.ts';
import type { Log } from '../../engine/ports/log.ts';
import type { Isolation } from '../../runners/process/isolation.ts';
import { createInitScriptRunner } from '../../runners/init-scripts/init-scripts.ts';
import {
  createAllPurposeStore,
  createClusterReader,
} from '../../storage/postgres/clusters/all-purpose-clusters.ts';
import type { AttemptFiles } from '../../storage/files/attempt-files.ts';
import { deliverClusterLogs, recordClusterAttempt } from '../../storage/files/cluster-logs.ts';
import { listenForClusterChanges } from '../../storage/postgres/clusters/cluster-listener.ts';
import { createClusterStore } from '../../storage/postgres/clusters/clusters.ts';
import type { DatabaseAddress, OpenDatabase } from '../../storage/postgres/database.ts';
import type { Roots } from '../../storage/files/roots.ts';
import type { Config } from '../config.ts';

export interface Clusters {
  readonly store: ClusterStore;
  readonly compute: ComputePorts;
  readonly control: ClusterControl;
  readonly reader: ClusterReader;
  /** Looks after clusters that nobody looks after, soon. */
  maintain(): void;
  close(): Promise<void>;
}

export interface ClusterDependencies {
  readonly config: Config;
  readonly isolation: Isolation;
  /** Finds a file by its URI. */
  readonly resolvePath: (uri: string, what: 'file') => Promise<string>;
  readonly address: DatabaseAddress;
  readonly database: OpenDatabase;
  readonly roots: Roots;
  readonly files: AttemptFiles;
  readonly nodeId: string;
  /** Told of every all-purpose cluster that has started. */
  readonly onClusterStarted: (cluster: LibraryCluster) => void;
  /** `length` random characters of a-z0-9. */
  readonly random: (length: number) => string;
  readonly clock: Clock;
  readonly log: Log;
}

export async function startClusters({
  config,
  isolation,
  resolvePath,
  address,
  database: { db },
  roots,
  files,
  nodeId,
  onClusterStarted,
  random,
  clock,
  log,
}: ClusterDependencies): Promise<Clusters> {
  const { clusters: inventory, clusterStartMs, stopGraceMs, logBytesMax } = config;
  const rules = {
    limited: hasLimitedPool(inventory),
    capacityOf: (poolId: string) => poolCapacityOf(poolId, inventory),
  };
  const store = createClusterStore(db, clock, log, rules);
  const signals = createClusterSignals();
  const scripts = createInitScriptRunner({
    clustersDirectory: roots.clusters.directory,
    taskEnvironment: { ...config.taskEnvironment, RUNYARD_MANAGED_FS: roots.managedFs.directory },
    isolation,
    stopGraceMs,
    logBytesMax,
    locate: resolvePath,
  });
  if (config.faults.length > 0)
    log.warn({ faults: config.faults }, 'RUNYARD_FAULTS is set: clusters of this engine fail on purpose.');
  const compute: ComputePorts = {
    inventory,
    requireExistingCluster: config.clustersStrict,
    faults: createClusterFaults(config.faults),
    signals,
    provider: createProvider({ db, roots, scripts, clock, log }),
    startForTask: (clusterId) => control.startForTask(clusterId),
  };
  const control = createClusterControl({
    clusters: store,
    store: createAllPurposeStore(db, rules),
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
  const wake = listenForClusterChanges({ address, clock, log }, (clusterId) => signals.notify(clusterId));
  await wake.ready;
  let tending: Promise<void> | undefined;
  return {
    store,
    compute,
    control,
    reader: createClusterReader(db),
    maintain() {
      tending ??= control
        .maintain()
        .catch((error: unknown) =>
          log.warn(
            { error: messageOf(error) },
            'The clusters could not be looked after; trying again with the next beat.',
          ),
        )
        .finally(() => {
          tending = undefined;
        });
    },
    async close() {
      control.close();
      await wake.close();
      await tending;
      await scripts.close();
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
  // One after the other: each holds a connection while it copies.
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
            'The logs of this cluster could not be delivered.',
          );
        });
      return deliveries;
    },
  };
}

/** At the start of an engine: scripts of clusters that were ended while no engine was there. */
async function stopOrphanedScripts(
  scripts: ReturnType<typeof createInitScriptRunner>,
  store: ClusterStore,
  log: Log,
): Promise<void> {
  for (const clusterId of await scripts.listActiveClusters()) {
    const cluster = await store.find(clusterId);
    if (cluster !== undefined && cluster.state !== 'TERMINATED') continue;
    log.warn({ cluster_id: clusterId }, 'Ending init scripts that were left of a cluster which is over.');
    await scripts.stopScripts(clusterId);
  }
}
