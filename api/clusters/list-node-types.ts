/** GET clusters/list-node-types. */
import { Type } from 'typebox';
import { defineOperation, type Operation } from '../http/operation.ts';
import { localDisksOf, type NodeType as NodeTypeInfo } from '../../engine/cluster/node-types.ts';
import type { ClusterPorts } from '../http/ports.ts';

const NodeInstanceType = Type.Object(
  {
    instance_type_id: Type.String({ description: 'The same as node_type_id.' }),
    local_disks: Type.Integer({ description: 'Number of local disks.' }),
    local_disk_size_gb: Type.Integer({ description: 'Size of each local disk; it limits nothing.' }),
    local_nvme_disks: Type.Integer({ description: 'Always 0.' }),
    local_nvme_disk_size_gb: Type.Integer({ description: 'Always 0.' }),
  },
  { description: 'Hardware of the node type.' },
);

const NodeType = Type.Object({
  node_type_id: Type.String({ description: 'Id to use in cluster specifications.' }),
  memory_mb: Type.Integer({ description: 'Memory in megabytes.' }),
  num_cores: Type.Number({ description: 'Number of cores.' }),
  category: Type.String({ description: 'Purpose of the node type.' }),
  description: Type.String({ description: 'Size in words.' }),
  instance_type_id: Type.String({ description: 'The same as node_type_id.' }),
  node_instance_type: NodeInstanceType,
  num_gpus: Type.Integer({ description: 'Number of GPUs.' }),
  is_deprecated: Type.Boolean({ description: 'Always false.' }),
  is_hidden: Type.Boolean({ description: 'Always false.' }),
  is_graviton: Type.Boolean({ description: 'Always false.' }),
  is_io_cache_enabled: Type.Boolean({ description: 'Always false.' }),
  is_encrypted_in_transit: Type.Boolean({ description: 'Always false.' }),
  photon_driver_capable: Type.Boolean({ description: 'Always false.' }),
  photon_worker_capable: Type.Boolean({ description: 'Always false.' }),
  support_cluster_tags: Type.Boolean({ description: 'Always true.' }),
  support_ebs_volumes: Type.Boolean({ description: 'Always false.' }),
  support_port_forwarding: Type.Boolean({ description: 'Always false.' }),
});

/** Properties that clients compare without a check for their presence. */
const fixedProperties = {
  is_deprecated: false,
  is_hidden: false,
  is_graviton: false,
  is_io_cache_enabled: false,
  is_encrypted_in_transit: false,
  photon_driver_capable: false,
  photon_worker_capable: false,
  support_cluster_tags: true,
  support_ebs_volumes: false,
  support_port_forwarding: false,
};

function toNodeTypeView(id: string, type: NodeTypeInfo): object {
  const { memory_mb: memory, num_cores: cores, category, description, num_gpus: gpus = 0 } = type;
  return {
    node_type_id: id,
    memory_mb: memory,
    num_cores: cores,
    category,
    description,
    instance_type_id: id,
    node_instance_type: {
      instance_type_id: id,
      ...localDisksOf(type),
      local_nvme_disks: 0,
      local_nvme_disk_size_gb: 0,
    },
    num_gpus: gpus,
    ...fixedProperties,
  };
}

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
        node_types: Object.entries(inventory.nodeTypes).map(([id, type]) => toNodeTypeView(id, type)),
      };
    },
  });
}
