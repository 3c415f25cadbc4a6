/** Who waits for the end of a run that this node may hear of. */

export interface Endings {
  /** Says that a run is over. */
  tell(runId: number): void;
  /** Calls `action` when it is said of this run; the returned function takes it back. */
  on(runId: number, action: () => void): () => void;
}

/** Ends of runs on this node. Those of other nodes are not heard: whoever waits looks now and then, too. */
export function createEndings(): Endings {
  const waiting = new Map<number, Set<() => void>>();
  return {
    tell(runId) {
      for (const action of waiting.get(runId) ?? []) action();
    },
    on(runId, action) {
      const actions = waiting.get(runId) ?? new Set();
      waiting.set(runId, actions.add(action));
      return () => {
        actions.delete(action);
        if (actions.size === 0 && waiting.get(runId) === actions) waiting.delete(runId);
      };
    },
  };
}
