/** Inventory of the configuration: pools, policies, node types and runtimes of clusters (spec 2.8). */
import type { NewCluster } from '../job/cluster.ts';
import { quote } from '../validation/messages.ts';
import { nodeTypes, type NodeType } from './node-types.ts';
import type { PolicyRules } from './policy-rules.ts';

/** A distribution of Spark for a `spark_version`. */
export interface SparkRuntime {
  /** Version of the PySpark package, for example 4.3.0. */
  readonly pyspark: string;
  /** SPARK_HOME of an existing installation, which is used instead of the package. */
  readonly home?: string;
  /** Default properties; `spark_conf` of the cluster overrides them. */
  readonly conf?: Readonly<Record<string, string>>;
}

/** How the processes of tasks start: each on its own, or from a process that imported their modules before. */
export const clusterRuntimes = ['cold', 'warm'] as const;
export type ClusterRuntime = (typeof clusterRuntimes)[number];

/** Pool of nodes. */
export interface NodePool {
  /** Type of the nodes; replaces the node_type_id of the cluster. */
  readonly node_type_id?: string;
  /** Number of nodes; undefined: unlimited. */
  readonly capacity?: number;
}

/** Defaults for clusters that name the policy. */
export interface ClusterPolicy {
  readonly node_type_id?: string;
  readonly driver_node_type_id?: string;
  readonly instance_pool_id?: string;
  /** Spark master of its clusters, or `none`. */
  readonly spark_master?: string;
  readonly runtime?: ClusterRuntime;
  /** Rules of a policy that the API manages; undefined for a configured one, which only has defaults. */
  readonly rules?: PolicyRules;
  /** All-purpose clusters that one user may have at a time; undefined: unlimited. */
  readonly maxClustersPerUser?: number;
}

export interface Inventory {
  /** Number of nodes for clusters without a pool; undefined: unlimited. */
  readonly nodes?: number;
  readonly pools: Readonly<Record<string, NodePool>>;
  readonly policies: Readonly<Record<string, ClusterPolicy>>;
  readonly nodeTypes: Readonly<Record<string, NodeType>>;
  /** Key -> name. */
  readonly sparkVersions: Readonly<Record<string, string>>;
  /** Spark master of clusters whose policy and node type name none; undefined: no Spark. */
  readonly sparkMaster?: string;
  /** Runtime of clusters that name none, and whose policy names none; undefined: cold. */
  readonly runtime?: ClusterRuntime;
  /** spark_version -> distribution of Spark; the key `default` is for all others. */
  readonly sparkRuntimes: Readonly<Record<string, Partial<SparkRuntime>>>;
  /** Maximum duration of an init script, seconds. */
  readonly initScriptSeconds: number;
}

export const defaultInventory: Inventory = {
  pools: {},
  policies: {},
  nodeTypes,
  sparkVersions: {
    '16.4.x-scala2.12': '16.4 LTS (includes Apache Spark 3.5.2, Scala 2.12)',
    '15.4.x-scala2.12': '15.4 LTS (includes Apache Spark 3.5.0, Scala 2.12)',
    '14.3.x-scala2.12': '14.3 LTS (includes Apache Spark 3.5.0, Scala 2.12)',
  },
  sparkRuntimes: {},
  initScriptSeconds: 3_600,
};

/** Returns the runtime of a cluster: its own, else that of its policy, else that of the configuration. */
export function resolveRuntime(
  spec: Partial<Pick<NewCluster, 'runtime' | 'policy_id'>>,
  { policies, runtime }: Pick<Inventory, 'policies' | 'runtime'>,
): ClusterRuntime {
  const policy = spec.policy_id === undefined ? undefined : policies[spec.policy_id];
  return spec.runtime ?? policy?.runtime ?? runtime ?? 'cold';
}

/** Resolved pool, node types and size of a cluster. */
export interface ClusterShape {
  /** '' for nodes outside the named pools. */
  readonly poolId: string;
  readonly nodeTypeId: string;
  readonly driverNodeTypeId: string;
  /** Initial number of workers, without the driver. */
  readonly workers: number;
}

/** Fields of a cluster that refer to the inventory. */
type NodeTypeFields = Pick<
  NewCluster,
  'instance_pool_id' | 'policy_id' | 'node_type_id' | 'driver_node_type_id' | 'num_workers' | 'autoscale'
>;

/**
 * Resolves pool, node types and size of a cluster (spec 2.8): the pool supplies the node type, a policy
 * supplies missing fields, and the driver has the type of the workers by default. Returns `error` for an
 * unknown pool or policy.
 */
export function resolveShape(
  spec: Partial<NodeTypeFields>,
  inventory: Inventory,
): ClusterShape | { readonly error: string } {
  const unknownName = unknownNameError(spec, inventory);
  if (unknownName !== undefined) return { error: `The cluster's ${unknownName}` };
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
 * Returns the error message for an unknown pool or policy; it starts with the field. Undefined if both exist.
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
  object: string,
  known: Readonly<Record<string, unknown>>,
): string {
  const names = Object.keys(known);
  const rule = names.length === 0 ? `no ${object} is configured` : `it must be one of ${names.join(', ')}`;
  return `${field} is ${quote(value)}; ${rule} (RUNYARD_CLUSTERS).`;
}

/** Returns the capacity of a pool; undefined: unlimited. */
export function poolCapacityOf(poolId: string, { nodes, pools }: Inventory): number | undefined {
  return poolId === '' ? nodes : pools[poolId]?.capacity;
}

/** Tells whether any pool has a limited capacity. */
export function hasLimitedPool({ nodes, pools }: Inventory): boolean {
  return nodes !== undefined || Object.values(pools).some((pool) => pool.capacity !== undefined);
}

/** Returns why a cluster can never start in its pool, and what would fit. @param wanted with the driver */
export function poolTooSmallMessage(wanted: number, poolId: string, capacity: number): string {
  const workers = wanted - 1;
  const pool = poolId === '' ? 'this service' : `the pool ${quote(poolId)}`;
  const fits = capacity < 1 ? 'Raise' : `Set num_workers to ${capacity - 1}, or raise`;
  return `It needs ${wanted} nodes (1 driver + ${workers} ${workers === 1 ? 'worker' : 'workers'}), but ${pool} has only ${capacity}, so it can never start. ${fits} the capacity in RUNYARD_CLUSTERS.`;
}

/** Formats a request for nodes: `3 nodes of the pool "small", which has 4`. */
export function formatNodes(wanted: number, poolId: string, capacity: number | undefined): string {
  const pool = poolId === '' ? 'this service' : `the pool ${quote(poolId)}`;
  return `${wanted} ${wanted === 1 ? 'node' : 'nodes'} of ${pool}${capacity === undefined ? '' : `, which has ${capacity}`}`;
}
