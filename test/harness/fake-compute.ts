/** Compute ports without limits, scripts or log delivery; a test replaces the parts that it needs. */
import { createClusterFaults } from '../../engine/cluster/fault-injection.ts';
import { defaultInventory } from '../../engine/cluster/inventory.ts';
import type { ComputePorts } from '../../engine/ports/clusters.ts';
import { createLocalProvider } from '../../runners/warm/local-provider.ts';
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
    computeProviders: {
      local: createLocalProvider('/nonexistent'),
      spark: createLocalProvider('/nonexistent'),
    },
    startForTask: async () => undefined,
    ...changes,
  };
}
