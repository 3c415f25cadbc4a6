/** GET instance-pools/list. */
import { Type } from 'typebox';
import { defineOperation, type Operation } from '../http/operation.ts';
import type { ClusterPorts } from '../http/ports.ts';

const Pool = Type.Object({
  instance_pool_id: Type.String({ description: 'Id to use in cluster specifications.' }),
  instance_pool_name: Type.String({ description: 'Same as instance_pool_id.' }),
  node_type_id: Type.Optional(Type.String({ description: 'Node type of the pool.' })),
  max_capacity: Type.Optional(
    Type.Integer({ description: 'Number of nodes; absent for an unlimited pool.' }),
  ),
  state: Type.Enum(['ACTIVE'], { description: 'Always ACTIVE.' }),
});

/** Lists the instance pools of the configuration. */
export function listInstancePoolsOperation({ inventory }: Pick<ClusterPorts, 'inventory'>): Operation {
  return defineOperation({
    method: 'GET',
    path: '/instance-pools/list',
    versions: ['2.0'],
    scope: 'clusters',
    summary: 'List instance pools',
    description: 'Lists the instance pools that RUNYARD_CLUSTERS defines.',
    request: Type.Object({}),
    response: Type.Object({ instance_pools: Type.Array(Pool, { description: 'The pools.' }) }),
    async handle() {
      return {
        instance_pools: Object.entries(inventory.pools).map(([id, { node_type_id: type, capacity }]) => ({
          instance_pool_id: id,
          instance_pool_name: id,
          ...(type !== undefined && { node_type_id: type }),
          ...(capacity !== undefined && { max_capacity: capacity }),
          state: 'ACTIVE',
        })),
      };
    },
  });
}
