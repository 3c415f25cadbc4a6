/** Injected cluster faults, which the configuration requests to test how jobs handle them. */

export const clusterFaultKinds = ['start_failure', 'loss', 'preemption'] as const;
export type ClusterFaultKind = (typeof clusterFaultKinds)[number];

export interface ClusterFault {
  readonly fault: ClusterFaultKind;
  /** job_cluster_key, task_key, cluster name or id; undefined: any cluster. */
  readonly cluster?: string;
  /** Number of injections, counted by each engine from its start. Default 1. */
  readonly times?: number;
  /**
   * Delay after the start of a task on the cluster, or after the request of a failing start, ms. Default 0.
   */
  readonly after_ms?: number;
  /** Workers removed by a preemption. Default 1. */
  readonly workers?: number;
}

export interface ClusterFaults {
  /** Takes the next fault of a kind for a cluster with one of these names. Each is taken `times` times. */
  take(kind: ClusterFaultKind, names: readonly string[]): ClusterFault | undefined;
}

export function createClusterFaults(faults: readonly ClusterFault[]): ClusterFaults {
  const remaining = faults.map((fault) => ({ fault, times: fault.times ?? 1 }));
  return {
    take(kind, names) {
      const next = remaining.find(
        ({ fault, times }) =>
          times > 0 && fault.fault === kind && (fault.cluster === undefined || names.includes(fault.cluster)),
      );
      if (next === undefined) return undefined;
      next.times -= 1;
      return next.fault;
    },
  };
}
