/**
 * What clusters can be made of here: pools of nodes, policies, node types and runtimes, as the configuration
 * names them (spec 2.8).
 */
import type { NewCluster } from '../job/cluster.ts';
import { quote } from '../validation/messages.ts';
import { nodeTypes, type NodeType } from './node-types.ts';

/** Nodes that clusters take and give back. */
export interface NodePool {
  /** What its nodes are; it takes the place of node_type_id. */
  readonly node_type_id?: string;
  /** Nodes that it has; undefined: any number. */
  readonly capacity?: number;
}

/** What a cluster gets that names the policy and does not say otherwise itself. */
export interface ClusterPolicy {
  readonly node_type_id?: string;
  readonly driver_node_type_id?: string;
  readonly instance_pool_id?: string;
}

export interface Inventory {
  /** Nodes for clusters that name no pool; undefined: any number. */
  readonly nodes?: number;
  readonly pools: Readonly<Record<string, NodePool>>;
  readonly policies: Readonly<Record<string, ClusterPolicy>>;
  readonly nodeTypes: Readonly<Record<string, NodeType>>;
  /** key -> name. */
  readonly sparkVersions: Readonly<Record<string, string>>;
  /** How long one init script may take, in seconds. */
  readonly initScriptSeconds: number;
}

export const defaultInventory: Inventory = {
  pools: {},
  policies: {},
  nodeTypes,
  sparkVersions: {
    '16.4.x-scala2.12': '16.4 LTS (Scala 2.12)',
    '15.4.x-scala2.12': '15.4 LTS (Scala 2.12)',
    '14.3.x-scala2.12': '14.3 LTS (Scala 2.12)',
  },
  initScriptSeconds: 3_600,
};

/** What a description of a cluster comes to. */
export interface ClusterShape {
  /** '' for the nodes that belong to no named pool. */
  readonly poolId: string;
  readonly nodeTypeId: string;
  readonly driverNodeTypeId: string;
  /** Number of workers to begin with; one driver comes on top. */
  readonly workers: number;
}

/** Fields by which a cluster names what the configuration has to know. */
type NodeTypeFields = Pick<
  NewCluster,
  'instance_pool_id' | 'policy_id' | 'node_type_id' | 'driver_node_type_id' | 'num_workers' | 'autoscale'
>;

/**
 * Pool, node types and size of a cluster (spec 2.8): the pool supplies the node type, a policy whatever is
 * not given, and the driver is like the workers unless it says otherwise. `error`: it names a pool or a
 * policy that there is not.
 */
export function resolveShape(
  spec: Partial<NodeTypeFields>,
  inventory: Inventory,
): ClusterShape | { readonly error: string } {
  const wrong = unknownNameError(spec, inventory);
  if (wrong !== undefined) return { error: `The cluster's ${wrong}` };
  const policy = (spec.policy_id && inventory.policies[spec.policy_id]) || {};
  const poolId = spec.instance_pool_id || policy.instance_pool_id || '';
  const pool = inventory.pools[poolId];
  if (pool === undefined && poolId !== '')
    return {
      error: `The policy ${quote(spec.policy_id)} of the cluster names the pool ${quote(poolId)}, which is not configured.`,
    };
  const nodeTypeId = pool?.node_type_id ?? (spec.node_type_id || policy.node_type_id || '');
  const driverNodeTypeId = spec.driver_node_type_id || policy.driver_node_type_id || nodeTypeId;
  return {
    poolId,
    nodeTypeId,
    driverNodeTypeId,
    workers: spec.autoscale?.min_workers ?? spec.num_workers ?? 0,
  };
}

/**
 * The pool or policy that a cluster names and that is not configured, as a sentence that begins with the
 * field; undefined when all are.
 */
export function unknownNameError(
  { instance_pool_id: pool, policy_id: policy }: Partial<NodeTypeFields>,
  { pools, policies }: Inventory,
): string | undefined {
  if (pool && !Object.hasOwn(pools, pool)) return unknownNameMessage('instance_pool_id', pool, 'pool', pools);
  if (policy && !Object.hasOwn(policies, policy))
    return unknownNameMessage('policy_id', policy, 'policy', policies);
  return undefined;
}

function unknownNameMessage(
  field: string,
  value: string,
  what: string,
  known: Readonly<Record<string, unknown>>,
): string {
  const names = Object.keys(known);
  const there = names.length === 0 ? 'none is configured' : `there are ${names.join(', ')}`;
  return `${field} is ${quote(value)}, which is no ${what} of this service: ${there} (RUNYARD_CLUSTERS).`;
}

/** Nodes of a pool at the most; undefined: any number. */
export function poolCapacityOf(poolId: string, { nodes, pools }: Inventory): number | undefined {
  return poolId === '' ? nodes : pools[poolId]?.capacity;
}

/** Whether any pool can be used up. */
export function hasLimitedPool({ nodes, pools }: Inventory): boolean {
  return nodes !== undefined || Object.values(pools).some((pool) => pool.capacity !== undefined);
}

/** `3 nodes of the pool "small", which has 4`. */
export function formatNodes(wanted: number, poolId: string, capacity: number | undefined): string {
  const pool = poolId === '' ? 'this service' : `the pool ${quote(poolId)}`;
  return `${wanted} ${wanted === 1 ? 'node' : 'nodes'} of ${pool}${capacity === undefined ? '' : `, which has ${capacity}`}`;
}
