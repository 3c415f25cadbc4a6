/** GET clusters/list-node-types: sizes that nodes can have. */
import { Type } from 'typebox';
import { defineOperation, type Operation } from '../http/operation.ts';
import type { ClusterPorts } from '../http/ports.ts';

const NodeType = Type.Object({
  node_type_id: Type.String({ description: 'What a cluster names.' }),
  memory_mb: Type.Integer({ description: 'Memory, in megabytes.' }),
  num_cores: Type.Number({ description: 'Cores.' }),
  category: Type.String({ description: 'What it is for.' }),
  description: Type.String({ description: 'Its size in words.' }),
  instance_type_id: Type.String({ description: 'The same as node_type_id.' }),
  is_deprecated: Type.Boolean({ description: 'Always false.' }),
});

/** Those that are known: every other name is taken as well. */
export function listNodeTypesOperation({ inventory }: Pick<ClusterPorts, 'inventory'>): Operation {
  return defineOperation({
    method: 'GET',
    path: '/clusters/list-node-types',
    versions: ['2.1', '2.0'],
    scope: 'clusters',
    summary: 'List the node types',
    description:
      'The node types whose sizes are known. A cluster may name any other: its nodes are this machine in any case.',
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
