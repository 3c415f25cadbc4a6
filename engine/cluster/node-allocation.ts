/** Allocation of the nodes of a pool to waiting clusters. */

/** A cluster with fewer nodes than it wants. */
export interface WaitingCluster {
  readonly clusterId: string;
  /** A running cluster accepts fewer nodes than it wants; a starting cluster needs all of them. */
  readonly running: boolean;
  readonly wanted: number;
  readonly held: number;
}

export interface NodeAllocation {
  readonly clusterId: string;
  /** New number of nodes of the cluster. */
  readonly nodes: number;
}

/**
 * Allocates free nodes, first come first served. A cluster that does not fit blocks later ones, which
 * prevents starvation of large clusters.
 * @param capacity nodes of the pool; undefined: unlimited
 * @param held nodes that the clusters of the pool hold now
 * @param waiting clusters in the order of their requests
 */
export function allocatePoolNodes(
  capacity: number | undefined,
  held: number,
  waiting: readonly WaitingCluster[],
): NodeAllocation[] {
  let free = (capacity ?? Infinity) - held;
  const grants: NodeAllocation[] = [];
  for (const { clusterId, running, wanted, held: own } of waiting) {
    const more = Math.min(wanted - own, free);
    if (more <= 0 || (!running && more < wanted - own)) break;
    grants.push({ clusterId, nodes: own + more });
    free -= more;
    if (own + more < wanted) break;
  }
  return grants;
}
