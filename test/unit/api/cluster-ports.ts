/** Cluster ports for a service without a coordinator: stored clusters that never start. */
import { pino } from 'pino';
import type { ClusterPorts, OperationPorts } from '../../../api/http/ports.ts';
import type { Clock } from '../../../engine/clock.ts';
import { createLiveInventory } from '../../../engine/cluster/live-inventory.ts';
import { defaultInventory } from '../../../engine/cluster/inventory.ts';
import type { PermissionStore } from '../../../engine/ports/permissions.ts';
import type { SparkApplications } from '../../../engine/ports/spark-applications.ts';
import { createInventoryControl } from '../../../engine/coordinator/inventory-control.ts';
import { createClusterControl } from '../../../engine/coordinator/all-purpose-clusters.ts';
import { createAllPurposeStore } from '../../../storage/postgres/clusters/all-purpose-clusters.ts';
import { createClusterPermissionStore } from '../../../storage/postgres/clusters/cluster-permissions.ts';
import { createClusterPolicyStore } from '../../../storage/postgres/clusters/cluster-policies.ts';
import { createInstancePoolStore } from '../../../storage/postgres/clusters/instance-pools.ts';
import { createClusterReader } from '../../../storage/postgres/clusters/cluster-reader.ts';
import { unlimitedNodes } from '../../../storage/postgres/clusters/cluster-nodes.ts';
import { createClusterStore } from '../../../storage/postgres/clusters/clusters.ts';
import { createFakeCompute } from '../../harness/fake-compute.ts';
import type { TestDatabase } from '../../harness/test-database.ts';

/** Clusters without Spark. */
export const noSparkApplications: SparkApplications = {
  list: async () => [],
  findProgress: async () => undefined,
  readPage: async () => undefined,
};

/** Creates rules that accept every cluster id. */
export function createClusterRules(
  db: TestDatabase['db'],
  permissions: PermissionStore,
): OperationPorts['clusterRules'] {
  return {
    inventory: defaultInventory,
    requireExisting: false,
    find: async () => undefined,
    access: { permissions, clusterPermissions: createClusterPermissionStore(db) },
  };
}

export function createClusterPorts(
  { db }: Pick<TestDatabase, 'db'>,
  clock: Clock,
): Omit<ClusterPorts, 'limits' | 'permissions' | 'workspaceInfo'> {
  const log = pino({ level: 'silent' });
  let made = 0;
  const randomString = (length: number): string => String((made += 1)).padStart(length, '0');
  const live = createLiveInventory(defaultInventory);
  const store = createAllPurposeStore(db, unlimitedNodes);
  return {
    sparkApplications: noSparkApplications,
    sparkPageTickets: { issue: () => '' },
    inventory: live.inventory,
    inventoryControl: createInventoryControl({
      configured: defaultInventory,
      live,
      pools: createInstancePoolStore(db),
      policies: createClusterPolicyStore(db),
      clusters: store,
      clock,
      randomString,
    }),
    clusters: createClusterReader(db),
    clusterPermissions: createClusterPermissionStore(db),
    control: createClusterControl({
      clusters: createClusterStore(db, clock, log),
      store,
      compute: createFakeCompute(),
      clock,
      log,
      clusterStartMs: 0,
      nodeId: 'node-1',
      randomString,
      directories: { ensureClusterDirectory: async (id) => `/clusters/${id}` },
      removeDirectory: async () => undefined,
      onClusterRunning: () => undefined,
    }),
  };
}
