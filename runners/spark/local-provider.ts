/** The compute provider `local`: tasks are processes of this machine, without Spark of their cluster. */
import type { ComputeProvider } from '../../engine/ports/compute-providers.ts';

/** Creates the provider. Its clusters need nothing and have no processes of their own. */
export function createLocalProvider(): ComputeProvider {
  return {
    prepare: ({ signal }) =>
      Promise.resolve(signal.aborted ? { kind: 'stopped' } : { kind: 'ready', spark: undefined }),
    endCluster: () => Promise.resolve(),
    listClusters: () => Promise.resolve([]),
  };
}
