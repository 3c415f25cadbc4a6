/** GET instance-pools/list: the pools of the configuration. */
import { Type } from 'typebox';
import { defineOperation, type Operation } from '../http/operation.ts';
import type { ClusterPorts } from '../http/ports.ts';

const Pool = Type.Object({
  instance_pool_id: Type.String({ description: 'What a cluster names.' }),
  instance_pool_name: Type.String({ description: 'The same as its id.' }),
  node_type_id: Type.Optional(Type.String({ description: 'What its nodes are.' })),
  max_capacity: Type.Optional(Type.Integer({ description: 'Nodes that it has; absent: any number.' })),
  state: Type.Enum(['ACTIVE'], { description: 'Always ACTIVE.' }),
});

export function listInstancePoolsOperation({ inventory }: Pick<ClusterPorts, 'inventory'>): Operation {
  return defineOperation({
    method: 'GET',
    path: '/instance-pools/list',
    versions: ['2.0'],
    scope: 'clusters',
    summary: 'List the instance pools',
    description: 'The pools of nodes that RUNYARD_CLUSTERS names.',
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
