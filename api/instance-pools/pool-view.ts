/** Instance pool in requests and responses. */
import { Type } from 'typebox';
import type { InstancePool, PoolUse } from '../../engine/cluster/instance-pool.ts';
import type { Inventory } from '../../engine/cluster/inventory.ts';
import { stringList, stringMap } from '../../engine/validation/scalars.ts';

export const InstancePoolId = Type.String({ minLength: 1, description: 'Id of the pool.' });

const count = (description: string) => Type.Integer({ minimum: 0, maximum: 1_000_000, description });

/** Settings of a pool in requests. */
export const poolFields = {
  instance_pool_name: Type.String({
    minLength: 1,
    maxLength: 100,
    description: 'Name of the pool; no other pool has it.',
  }),
  node_type_id: Type.String({
    minLength: 1,
    description: 'Type of the nodes; clusters in the pool have it. It cannot change.',
  }),
  max_capacity: Type.Optional(
    Type.Integer({
      minimum: 1,
      maximum: 1_000_000,
      description: 'Maximum number of nodes. Default: unlimited.',
    }),
  ),
  min_idle_instances: Type.Optional(count('Stored only: nodes take no time to start.')),
  idle_instance_autotermination_minutes: Type.Optional(count('Stored only: idle nodes cost nothing.')),
  custom_tags: Type.Optional(stringMap('Stored only.')),
  enable_elastic_disk: Type.Optional(Type.Boolean({ description: 'Stored only.' })),
  preloaded_spark_versions: Type.Optional(stringList('Stored only.')),
};

export const InstancePoolDocument = Type.Object(
  {
    ...poolFields,
    instance_pool_id: Type.String({ description: 'Id to use in cluster specifications.' }),
    node_type_id: Type.Optional(Type.String({ description: 'Node type of the pool.' })),
    state: Type.Enum(['ACTIVE'], { description: 'Always ACTIVE.' }),
    stats: Type.Object(
      {
        used_count: Type.Integer({ description: 'Nodes that clusters hold.' }),
        idle_count: Type.Integer({ description: 'Always 0: only nodes of clusters exist.' }),
        pending_used_count: Type.Integer({ description: 'Nodes that clusters wait for.' }),
        pending_idle_count: Type.Integer({ description: 'Always 0.' }),
      },
      { description: 'Number of nodes.' },
    ),
    status: Type.Object({}, { description: 'Always empty.' }),
  },
  { description: 'Instance pool.' },
);

/** Returns the document of a managed pool. */
export function toPoolView({ instancePoolId, name, spec }: InstancePool, use: PoolUse): object {
  return { instance_pool_id: instancePoolId, instance_pool_name: name, ...spec, ...stateOf(use) };
}

/** Returns the documents of the configured pools. */
export function toConfiguredPoolViews(
  { pools }: Pick<Inventory, 'pools'>,
  managed: readonly InstancePool[],
  useOf: (poolId: string) => PoolUse,
): object[] {
  const managedIds = new Set(managed.map((pool) => pool.instancePoolId));
  return Object.entries(pools)
    .filter(([id]) => !managedIds.has(id))
    .map(([id, { node_type_id: type, capacity }]) => ({
      instance_pool_id: id,
      instance_pool_name: id,
      ...(type !== undefined && { node_type_id: type }),
      ...(capacity !== undefined && { max_capacity: capacity }),
      ...stateOf(useOf(id)),
    }));
}

function stateOf({ held, wanted }: PoolUse): object {
  return {
    state: 'ACTIVE',
    stats: { used_count: held, idle_count: 0, pending_used_count: wanted, pending_idle_count: 0 },
    status: {},
  };
}
