/** Ends of runs on this node: listeners, and counts of failures by their cause. */
import type { CauseCode } from '../run/explain/explanation.ts';

export interface RunEndListeners {
  /** Notifies the listeners of a run that it has ended. @param cause of a failure; it is counted */
  notify(runId: number, cause?: CauseCode): void;
  /** Returns the number of runs that did not succeed since the start of this node, by cause. */
  countFailures(): ReadonlyMap<CauseCode, number>;
  /** Calls `action` when the run ends; the returned function unsubscribes. */
  subscribe(runId: number, action: () => void): () => void;
}

/** Creates listeners for this node. Ends of runs on other nodes are not seen: their listeners also poll. */
export function createRunEndListeners(): RunEndListeners {
  const listeners = new Map<number, Set<() => void>>();
  const failures = new Map<CauseCode, number>();
  return {
    countFailures: () => failures,
    notify(runId, cause) {
      if (cause !== undefined) failures.set(cause, (failures.get(cause) ?? 0) + 1);
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
