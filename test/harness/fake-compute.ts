/**
 * Clusters of which nothing is asked: nodes without end, no scripts, no logs. What a test needs of them it
 * replaces.
 */
import { createClusterFaults } from '../../engine/cluster/fault-injection.ts';
import { defaultInventory } from '../../engine/cluster/inventory.ts';
import type { ComputePorts } from '../../engine/ports/clusters.ts';
import { createClusterSignals } from '../../engine/coordinator/cluster-signals.ts';

export function createFakeCompute(changes: Partial<ComputePorts> = {}): ComputePorts {
  return {
    inventory: defaultInventory,
    requireExistingCluster: false,
    faults: createClusterFaults([]),
    signals: createClusterSignals(),
    provider: {
      runScript: () => ({
        outcome: Promise.resolve({ kind: 'exited', code: 0, outputTail: '' }),
        stop: () => undefined,
      }),
      stopScripts: async () => undefined,
      attachLogs: async () => undefined,
      deliverLogs: async () => undefined,
    },
    startForTask: async () => undefined,
    ...changes,
  };
}
