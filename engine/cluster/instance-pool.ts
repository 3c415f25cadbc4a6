/** Instance pools that the API manages. The configuration defines further ones. */

/** Settings of a pool as a client wrote them, without its id and name; unknown ones are kept. */
export interface InstancePoolSpec extends Readonly<Record<string, unknown>> {
  readonly node_type_id: string;
  /** Number of nodes; undefined: unlimited. */
  readonly max_capacity?: number;
}

export interface InstancePool {
  readonly instancePoolId: string;
  readonly name: string;
  readonly spec: InstancePoolSpec;
  readonly createdTime: number;
}

/** Nodes of a pool that clusters hold and wait for. */
export interface PoolUse {
  readonly held: number;
  readonly wanted: number;
}

/** Nodes of a pool without clusters. */
export const unusedPool: PoolUse = { held: 0, wanted: 0 };
