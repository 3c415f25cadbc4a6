/** Listeners on this node to changes of clusters. */
import type { ClusterSignals } from '../ports/clusters.ts';

export function createClusterSignals(): ClusterSignals {
  const listeners = new Map<string, Set<() => void>>();
  return {
    notify(clusterId) {
      const notified =
        clusterId === undefined
          ? [...listeners.values()]
          : [listeners.get(clusterId) ?? new Set<() => void>()];
      for (const action of notified.flatMap((actions) => [...actions])) action();
    },
    subscribe(clusterId, action) {
      const actions = listeners.get(clusterId) ?? new Set();
      // Each subscription is separate, also for the same function.
      const listener = (): void => action();
      listeners.set(clusterId, actions.add(listener));
      return () => {
        actions.delete(listener);
        if (actions.size === 0 && listeners.get(clusterId) === actions) listeners.delete(clusterId);
      };
    },
  };
}
