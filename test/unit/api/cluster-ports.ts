/** Cluster ports for a service without a coordinator: stored clusters that never start. */
import { pino } from 'pino';
import type { ClusterPorts } from '../../../api/http/ports.ts';
import type { Clock } from '../../../engine/clock.ts';
import { defaultInventory } from '../../../engine/cluster/inventory.ts';
import { createClusterControl } from '../../../engine/coordinator/all-purpose-clusters.ts';
import {
  createAllPurposeStore,
  createClusterReader,
} from '../../../storage/postgres/clusters/all-purpose-clusters.ts';
import { unlimitedNodes } from '../../../storage/postgres/clusters/cluster-nodes.ts';
import { createClusterStore } from '../../../storage/postgres/clusters/clusters.ts';
import { createFakeCompute } from '../../harness/fake-compute.ts';
import type { TestDatabase } from '../../harness/test-database.ts';

export function createClusterPorts(
  { db }: Pick<TestDatabase, 'db'>,
  clock: Clock,
): Omit<ClusterPorts, 'limits' | 'permissions'> {
  const log = pino({ level: 'silent' });
  let made = 0;
  return {
    inventory: defaultInventory,
    clusters: createClusterReader(db),
    control: createClusterControl({
      clusters: createClusterStore(db, clock, log),
      store: createAllPurposeStore(db, unlimitedNodes),
      compute: createFakeCompute(),
      clock,
      log,
      clusterStartMs: 0,
      nodeId: 'node-1',
      randomString: (length) => String((made += 1)).padStart(length, '0'),
      directories: { ensureClusterDirectory: async (id) => `/clusters/${id}` },
      removeDirectory: async () => undefined,
      onClusterRunning: () => undefined,
    }),
  };
}
