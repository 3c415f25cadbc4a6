/** The compute provider `local`: tasks are processes of this machine, which may start from those of their cluster. */
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import type { ComputeProvider } from '../../engine/ports/compute-providers.ts';
import { killMarkedProcesses, listProcesses } from '../process/process-group.ts';
import { attemptMarker } from '../process/start-supervisor.mjs';
import { createWakeSignal } from '../wake-signal.ts';

/**
 * Creates the provider. Its clusters need no preparation; their fork servers, which the first tasks start, end with
 * them.
 * @param clustersDirectory absolute parent of the clusters' directories
 */
export function createLocalProvider(clustersDirectory: string): ComputeProvider {
  // Clusters that may have processes; undefined before the first look at the processes of this machine.
  let known: Set<string> | undefined;
  return {
    prepare({ clusterId, signal }) {
      known?.add(clusterId);
      return Promise.resolve(signal.aborted ? { kind: 'stopped' } : { kind: 'ready', spark: undefined });
    },
    async endCluster(clusterId) {
      known?.delete(clusterId);
      const directory = join(clustersDirectory, clusterId);
      // They compute nothing themselves, so they need no time to end.
      if (existsSync(join(directory, 'warm')))
        await killMarkedProcesses(directory, createWakeSignal()).catch(() => undefined);
    },
    async listClusters() {
      known ??= await findClustersWithProcesses(clustersDirectory);
      return [...known];
    },
  };
}

/** Returns the clusters with living processes of their own, for the first look after a start of the engine. */
export async function findClustersWithProcesses(clustersDirectory: string): Promise<Set<string>> {
  const mark = `${attemptMarker}=${clustersDirectory}/`;
  const marks = (await listProcesses()).flatMap(({ variables }) =>
    variables.filter((variable) => variable.startsWith(mark)),
  );
  return new Set(marks.map((variable) => variable.slice(mark.length)));
}
