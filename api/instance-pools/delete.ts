/** POST instance-pools/delete. */
import { Type } from 'typebox';
import { defineOperation, type Operation } from '../http/operation.ts';
import type { ClusterPorts } from '../http/ports.ts';
import { InstancePoolId } from './pool-view.ts';

/**
 * Deletes an instance pool.
 * @throws ServiceError RESOURCE_DOES_NOT_EXIST for an unknown pool; INVALID_STATE while clusters use it; a configured
 * pool; PERMISSION_DENIED for callers other than administrators
 */
export function deleteInstancePoolOperation({
  inventoryControl,
}: Pick<ClusterPorts, 'inventoryControl'>): Operation {
  return defineOperation({
    method: 'POST',
    path: '/instance-pools/delete',
    versions: ['2.0'],
    scope: 'clusters',
    adminsOnly: true,
    summary: 'Delete an instance pool',
    description:
      'Deletes an instance pool that no running or waiting cluster uses. Terminated clusters of the pool cannot start again. For administrators.',
    request: Type.Object({ instance_pool_id: InstancePoolId }),
    response: Type.Object({}),
    async handle({ instance_pool_id: poolId }) {
      await inventoryControl.removePool(poolId);
      return {};
    },
  });
}
