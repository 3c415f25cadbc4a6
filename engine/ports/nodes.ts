/** Nodes of the service and their leases. Types only; storage/ implements them. */

export interface NodeStore {
  /** Returns the clock that all nodes share, epoch ms. */
  getTime(): Promise<number>;
  /** Registers this node with a lease, or renews the lease of a registered node. */
  join(node: NodeIdentity, leaseUntil: number, now: number): Promise<void>;
  /** Ends the lease at once; other nodes adopt the runs without waiting for it to expire. */
  leave(nodeId: string): Promise<void>;
  /** Lists the nodes of a machine that hold a lease. */
  listOnHost(host: string, now: number): Promise<NodeIdentity[]>;
  /** Ends the leases of nodes whose process no longer exists. */
  expire(nodeIds: readonly string[], now: number): Promise<void>;
}

/** Read access to nodes, for the API. */
export interface NodeReader {
  /** Lists all nodes; a node whose lease expired stays in the list for a day. */
  list(): Promise<NodeLoad[]>;
}

/** Heartbeat that renews the lease of a node. */
export interface Heartbeat {
  /** Reports that the event loop of the engine runs. Without a report for a long time the lease expires. */
  reportAlive(): void;
  /** Stops renewing the lease. */
  close(): Promise<void>;
}

export interface NodeIdentity {
  readonly nodeId: string;
  readonly host: string;
  readonly bootId: string;
  readonly pid: number;
  /** Start time of the process; distinguishes it from a later process with the same pid. */
  readonly processStart: string;
  /** Id of the data directory. Engines that share a database share the data directory. */
  readonly directoryId: string;
}

/** A node and its load. */
export interface NodeLoad extends NodeIdentity {
  /** Epoch ms. */
  readonly joinedTime: number;
  readonly leaseUntil: number;
  /** True while the lease is valid. */
  readonly alive: boolean;
  readonly activeRuns: number;
  /** Number of task runs that have started and not ended. */
  readonly runningTasks: number;
}
