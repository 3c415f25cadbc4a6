/** Changes of existing all-purpose clusters: restart, edit and pin. */
import { ServiceError } from '../errors.ts';
import type { NewCluster } from '../job/cluster.ts';
import {
  requireAllPurpose,
  resolveFittingShape,
  startRequest,
  type ClusterControlPorts,
} from './cluster-requests.ts';

/** Operations that change a cluster. Every refusal is a ServiceError. */
export interface ClusterChanges {
  /** Restarts a running cluster; the tasks on it lose it. Ignored for a cluster that is not running. */
  restart(clusterId: string, user: string): Promise<void>;
  /** Replaces name and specification; a running cluster restarts with them. */
  edit(
    clusterId: string,
    change: { readonly name: string; readonly spec: NewCluster },
    user: string,
  ): Promise<void>;
  /** Pins a cluster, which keeps it after its termination, or unpins it. */
  setPinned(clusterId: string, pinned: boolean, user: string): Promise<void>;
}

/** @param startStored starts a cluster whose row asks for a start */
export function createClusterChanges(
  ports: ClusterControlPorts,
  startStored: (clusterId: string) => Promise<void>,
): ClusterChanges {
  const { clock, compute, store } = ports;
  const startAgain = async (clusterId: string): Promise<void> => {
    compute.signals.notify(clusterId);
    await startStored(clusterId);
  };
  return {
    async restart(clusterId, user) {
      await requireAllPurpose(ports, clusterId, 'it cannot be restarted');
      // A cluster that is not RUNNING stays as it is: clients expect no error.
      if (await store.restart(startRequest(ports, clusterId, user))) await startAgain(clusterId);
    },
    async edit(clusterId, { name, spec }, user) {
      await requireAllPurpose(ports, clusterId, 'it cannot be edited');
      const { poolId, workers } = resolveFittingShape(ports, spec);
      const result = await store.edit(
        { name: name === '' ? clusterId : name, spec: { ...spec }, poolId, workers },
        startRequest(ports, clusterId, user),
      );
      if (result === 'refused')
        throw new ServiceError(
          'INVALID_STATE',
          `Cluster ${clusterId} is in unexpected state PENDING; only a RUNNING or TERMINATED cluster can be edited.`,
        );
      if (result === 'restarting') await startAgain(clusterId);
    },
    async setPinned(clusterId, pinned, user) {
      await requireAllPurpose(ports, clusterId, 'it cannot be pinned');
      await store.setPinned(clusterId, pinned, clock.now(), user);
    },
  };
}
