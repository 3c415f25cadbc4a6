/** A cluster as the tasks on it see it. */
import { Type } from 'typebox';
import { Check } from 'typebox/value';
import type { Cluster, NewClusterRow } from '../cluster/cluster.ts';
import { shapeOf, type Inventory } from '../cluster/inventory.ts';
import { nodeTypeOf } from '../cluster/node-types.ts';
import { clusterVariables } from '../cluster/variables.ts';
import { NewCluster } from '../job/cluster.ts';
import type { Workplace } from '../ports/engine.ts';
import type { ClusterInUse } from './active-run.ts';

interface UsePorts {
  readonly workplace: Pick<Workplace, 'clusterDirectory'>;
  readonly compute: { readonly inventory: Inventory };
  readonly random: (length: number) => string;
}

const Autoterminating = Type.Object({ autotermination_minutes: Type.Integer({ minimum: 1 }) });
const Named = Type.Partial(
  Type.Pick(NewCluster, ['node_type_id', 'driver_node_type_id', 'instance_pool_id', 'policy_id']),
);

/** @param sparkContextId the context of one that has none yet */
export async function clusterInUse(
  c: UsePorts,
  cluster: NewClusterRow | Cluster,
  sparkContextId?: string,
): Promise<ClusterInUse> {
  const { clusterId, key, name, spec } = cluster;
  const shape = shapeOf(Check(Named, spec) ? spec : {}, c.compute.inventory);
  const driverNodeTypeId = 'error' in shape ? '' : shape.driverNodeTypeId;
  const context = 'sparkContextId' in cluster ? cluster.sparkContextId : undefined;
  return {
    clusterId,
    directory: await c.workplace.clusterDirectory(clusterId),
    environment: clusterVariables(cluster, { driverNodeTypeId }),
    nodeType: nodeTypeOf(driverNodeTypeId, c.compute.inventory.nodeTypes),
    // One that was allocated on its first use has no size.
    workers: cluster.wanted === 0 ? undefined : cluster.workers,
    sparkContextId: context ?? sparkContextId ?? contextId(c),
    names: [clusterId, name, ...(key === undefined ? [] : [key])],
    autoscales: spec['autoscale'] !== undefined,
    autoterminates: Check(Autoterminating, spec),
    deliversLogs: spec['cluster_log_conf'] !== undefined,
  };
}

/** 18 digits, as context ids look. */
export function contextId(c: Pick<UsePorts, 'random'>): string {
  return [...c.random(18)].map((character) => String(character.charCodeAt(0) % 10)).join('');
}
