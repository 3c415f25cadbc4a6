/** Listeners to the ends of runs on this node. */

export interface RunEndListeners {
  /** Notifies the listeners of a run that it has ended. */
  notify(runId: number): void;
  /** Calls `action` when the run ends; the returned function unsubscribes. */
  subscribe(runId: number, action: () => void): () => void;
}

/** Creates listeners for this node. Ends of runs on other nodes are not seen: their listeners also poll. */
export function createRunEndListeners(): RunEndListeners {
  const listeners = new Map<number, Set<() => void>>();
  return {
    notify(runId) {
      for (const action of listeners.get(runId) ?? []) action();
    },
    subscribe(runId, action) {
      const actions = listeners.get(runId) ?? new Set();
      listeners.set(runId, actions.add(action));
      return () => {
        actions.delete(action);
        if (actions.size === 0 && listeners.get(runId) === actions) listeners.delete(runId);
      };
    },
  };
}
