/** Who waits for the end of a run that this node may hear of. */

export interface RunEndListeners {
  /** Says that a run is over. */
  notify(runId: number): void;
  /** Calls `action` when it is said of this run; the returned function takes it back. */
  subscribe(runId: number, action: () => void): () => void;
}

/** Ends of runs on this node. Those of other nodes are not heard: whoever waits looks now and then, too. */
export function createRunEndListeners(): RunEndListeners {
  const waiting = new Map<number, Set<() => void>>();
  return {
    notify(runId) {
      for (const action of waiting.get(runId) ?? []) action();
    },
    subscribe(runId, action) {
      const actions = waiting.get(runId) ?? new Set();
      waiting.set(runId, actions.add(action));
      return () => {
        actions.delete(action);
        if (actions.size === 0 && waiting.get(runId) === actions) waiting.delete(runId);
      };
    },
  };
}
