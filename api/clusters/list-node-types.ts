/** GET clusters/list-node-types. */
import { Type } from 'typebox';
import { defineOperation, type Operation } from '../http/operation.ts';
import type { ClusterPorts } from '../http/ports.ts';

const NodeType = Type.Object({
  node_type_id: Type.String({ description: 'Id to use in cluster specifications.' }),
  memory_mb: Type.Integer({ description: 'Memory in megabytes.' }),
  num_cores: Type.Number({ description: 'Number of cores.' }),
  category: Type.String({ description: 'Purpose of the node type.' }),
  description: Type.String({ description: 'Size in words.' }),
  instance_type_id: Type.String({ description: 'The same as node_type_id.' }),
  is_deprecated: Type.Boolean({ description: 'Always false.' }),
});

/** Lists the configured node types. Clusters may name other node types, too. */
export function listNodeTypesOperation({ inventory }: Pick<ClusterPorts, 'inventory'>): Operation {
  return defineOperation({
    method: 'GET',
    path: '/clusters/list-node-types',
    versions: ['2.1', '2.0'],
    scope: 'clusters',
    summary: 'List node types',
    description:
      'Lists the node types with known sizes. A cluster may name any other type: its nodes run on this machine in any case.',
    request: Type.Object({}),
    response: Type.Object({ node_types: Type.Array(NodeType, { description: 'The node types.' }) }),
    async handle() {
      return {
        node_types: Object.entries(inventory.nodeTypes).map(([id, type]) => ({
          node_type_id: id,
          ...type,
          instance_type_id: id,
          is_deprecated: false,
        })),
      };
    },
  });
}
