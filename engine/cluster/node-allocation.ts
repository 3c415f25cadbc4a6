/** Who gets the nodes of a pool when there are not enough for everybody. */

/** A cluster that holds fewer nodes than it wants, in the order of asking. */
export interface WaitingCluster {
  readonly clusterId: string;
  /** One that runs grows by what there is; one that is to start needs all of its nodes. */
  readonly running: boolean;
  readonly wanted: number;
  readonly held: number;
}

export interface NodeAllocation {
  readonly clusterId: string;
  /** What it holds from now on. */
  readonly nodes: number;
}

/**
 * Gives out what is free, first come first served: a cluster that does not fit holds up those that came after
 * it, so that many small ones cannot keep a big one waiting for ever.
 * @param capacity nodes of the pool; undefined: any number
 * @param held nodes that its clusters hold now
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
