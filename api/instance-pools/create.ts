/** POST instance-pools/create. */
import { Type } from 'typebox';
import { checkSupported } from '../../engine/job/fields/field-support.ts';
import { instancePoolFields } from '../../engine/job/fields/resource-fields.ts';
import { defineOperation, type Operation } from '../http/operation.ts';
import type { ClusterPorts } from '../http/ports.ts';
import { InstancePoolId, poolFields } from './pool-view.ts';

/**
 * Creates an instance pool.
 * @throws ServiceError RESOURCE_ALREADY_EXISTS for a taken name; PERMISSION_DENIED for callers other than
 * administrators
 */
export function createInstancePoolOperation({
  inventoryControl,
}: Pick<ClusterPorts, 'inventoryControl'>): Operation {
  return defineOperation({
    method: 'POST',
    path: '/instance-pools/create',
    versions: ['2.0'],
    scope: 'clusters',
    adminsOnly: true,
    summary: 'Create an instance pool',
    description: 'Creates an instance pool, from which clusters take their nodes. For administrators.',
    request: Type.Object(poolFields),
    response: Type.Object({ instance_pool_id: InstancePoolId }),
    async handle({ instance_pool_name: name, ...spec }) {
      checkSupported('', spec, instancePoolFields);
      return { instance_pool_id: await inventoryControl.createPool({ name, spec }) };
    },
  });
}
