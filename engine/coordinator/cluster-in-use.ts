/** Properties of a cluster that the tasks on it use. */
import { Type } from 'typebox';
import { Check } from 'typebox/value';
import type { Cluster, NewClusterRow } from '../cluster/cluster.ts';
import { resolveCompute } from '../cluster/compute.ts';
import { resolveRuntime, resolveShape, type Inventory } from '../cluster/inventory.ts';
import { nodeTypeOf } from '../cluster/node-types.ts';
import { clusterVariables } from '../cluster/variables.ts';
import { NewCluster } from '../job/cluster.ts';
import type { RunDirectories } from '../ports/attempts.ts';
import type { ClusterInUse } from './run-execution.ts';

interface ClusterInUsePorts {
  readonly directories: Pick<RunDirectories, 'ensureClusterDirectory'>;
  readonly compute: { readonly inventory: Inventory };
  readonly randomString: (length: number) => string;
}

const AutoterminationSchema = Type.Object({ autotermination_minutes: Type.Integer({ minimum: 1 }) });
const ShapeSchema = Type.Partial(
  Type.Pick(NewCluster, [
    'node_type_id',
    'driver_node_type_id',
    'instance_pool_id',
    'policy_id',
    'spark_version',
    'spark_conf',
    'autoscale',
    'runtime',
  ]),
);

/** @param sparkContextId the context of a cluster that has none yet */
export async function toClusterInUse(
  c: ClusterInUsePorts,
  cluster: NewClusterRow | Cluster,
  sparkContextId?: string,
): Promise<ClusterInUse> {
  const { clusterId, key, name, spec } = cluster;
  const wanted = Check(ShapeSchema, spec) ? spec : {};
  const { inventory } = c.compute;
  const shape = resolveShape(wanted, inventory);
  const nodeTypeId = 'error' in shape ? '' : shape.nodeTypeId;
  const driverNodeTypeId = 'error' in shape ? '' : shape.driverNodeTypeId;
  const context = 'sparkContextId' in cluster ? cluster.sparkContextId : undefined;
  return {
    clusterId,
    directory: await c.directories.ensureClusterDirectory(clusterId),
    environment: clusterVariables(cluster, { driverNodeTypeId }),
    nodeType: nodeTypeOf(driverNodeTypeId, inventory.nodeTypes),
    compute: resolveCompute(wanted, nodeTypeId, inventory),
    runtime: resolveRuntime(wanted, inventory),
    name,
    // A cluster that was allocated on its first use has no size.
    workers: cluster.wantedNodes === 0 ? undefined : cluster.workers,
    sparkContextId: context ?? sparkContextId ?? createContextId(c),
    names: [clusterId, name, ...(key === undefined ? [] : [key])],
    autoscales: spec['autoscale'] !== undefined,
    autoterminates: Check(AutoterminationSchema, spec),
    deliversLogs: spec['cluster_log_conf'] !== undefined,
  };
}

/** Tells whether an id of a context is that of a cluster, and not of a Spark application. */
export function isContextId(id: string): boolean {
  return /^\d{18}$/.test(id);
}

/** Returns a context id: 18 digits. */
export function createContextId(c: Pick<ClusterInUsePorts, 'randomString'>): string {
  return [...c.randomString(18)].map((character) => String(character.charCodeAt(0) % 10)).join('');
}
