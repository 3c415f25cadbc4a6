/** Who on this node waits to hear what happens to a cluster. */
import type { ClusterSignals } from '../ports/clusters.ts';

export function createClusterSignals(): ClusterSignals {
  const waiting = new Map<string, Set<() => void>>();
  return {
    notify(clusterId) {
      const told =
        clusterId === undefined ? [...waiting.values()] : [waiting.get(clusterId) ?? new Set<() => void>()];
      for (const action of told.flatMap((actions) => [...actions])) action();
    },
    subscribe(clusterId, action) {
      const actions = waiting.get(clusterId) ?? new Set();
      // Each registration is one of its own, also of the same function.
      const own = (): void => action();
      waiting.set(clusterId, actions.add(own));
      return () => {
        actions.delete(own);
        if (actions.size === 0 && waiting.get(clusterId) === actions) waiting.delete(clusterId);
      };
    },
  };
}
