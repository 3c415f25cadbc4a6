/**
 * Faults of clusters that the configuration asks for, so that people can see what their jobs make of them.
 */

export const clusterFaultKinds = ['start_failure', 'loss', 'preemption'] as const;
export type ClusterFaultKind = (typeof clusterFaultKinds)[number];

export interface ClusterFault {
  readonly fault: ClusterFaultKind;
  /** The job_cluster_key, task_key, cluster name or id that it strikes; undefined: any cluster. */
  readonly cluster?: string;
  /** How often it strikes, counted by each engine from its start. Default 1. */
  readonly times?: number;
  /**
   * Milliseconds after a task has begun on the cluster; for a start failure after it was asked for. Default
   * 0.
   */
  readonly after_ms?: number;
  /** Workers that a preemption takes. Default 1. */
  readonly workers?: number;
}

export interface ClusterFaults {
  /**
   * The next fault of this kind that strikes a cluster known by one of these names; each is given out as
   * often as it says.
   */
  take(kind: ClusterFaultKind, names: readonly string[]): ClusterFault | undefined;
}

export function createClusterFaults(faults: readonly ClusterFault[]): ClusterFaults {
  const left = faults.map((fault) => ({ fault, times: fault.times ?? 1 }));
  return {
    take(kind, names) {
      const next = left.find(
        ({ fault, times }) =>
          times > 0 && fault.fault === kind && (fault.cluster === undefined || names.includes(fault.cluster)),
      );
      if (next === undefined) return undefined;
      next.times -= 1;
      return next.fault;
    },
  };
}
