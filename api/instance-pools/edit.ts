/** POST instance-pools/edit. */
import { Type } from 'typebox';
import { checkSupported } from '../../engine/job/fields/field-support.ts';
import { instancePoolFields } from '../../engine/job/fields/resource-fields.ts';
import { defineOperation, type Operation } from '../http/operation.ts';
import type { ClusterPorts } from '../http/ports.ts';
import { InstancePoolId, poolFields } from './pool-view.ts';

/**
 * Replaces the settings of an instance pool.
 * @throws ServiceError RESOURCE_DOES_NOT_EXIST for an unknown pool; RESOURCE_ALREADY_EXISTS for a taken name; another
 * node type; a configured pool; PERMISSION_DENIED for callers other than administrators
 */
export function editInstancePoolOperation({
  inventoryControl,
}: Pick<ClusterPorts, 'inventoryControl'>): Operation {
  return defineOperation({
    method: 'POST',
    path: '/instance-pools/edit',
    versions: ['2.0'],
    scope: 'clusters',
    adminsOnly: true,
    summary: 'Edit an instance pool',
    description:
      'Replaces the settings of an instance pool; missing ones get their defaults. With more nodes, waiting clusters start; with fewer, clusters keep the nodes that they hold. For administrators.',
    request: Type.Object({ instance_pool_id: InstancePoolId, ...poolFields }),
    response: Type.Object({}),
    async handle({ instance_pool_id: instancePoolId, instance_pool_name: name, ...spec }) {
      checkSupported('', spec, instancePoolFields);
      await inventoryControl.editPool({ instancePoolId, name, spec });
      return {};
    },
  });
}
