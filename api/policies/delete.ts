/** POST policies/clusters/delete. */
import { Type } from 'typebox';
import { defineOperation, type Operation } from '../http/operation.ts';
import type { ClusterPorts } from '../http/ports.ts';
import { PolicyId } from './policy-view.ts';

/**
 * Deletes a cluster policy.
 * @throws ServiceError RESOURCE_DOES_NOT_EXIST for an unknown policy; a configured policy; PERMISSION_DENIED for
 * callers other than administrators
 */
export function deletePolicyOperation({
  inventoryControl,
}: Pick<ClusterPorts, 'inventoryControl'>): Operation {
  return defineOperation({
    method: 'POST',
    path: '/policies/clusters/delete',
    versions: ['2.0'],
    scope: 'clusters',
    adminsOnly: true,
    summary: 'Delete a cluster policy',
    description:
      'Deletes a policy. All-purpose clusters that name it keep running and can start; they cannot be edited, and runs on new clusters that name it fail. For administrators.',
    request: Type.Object({ policy_id: PolicyId }),
    response: Type.Object({}),
    async handle({ policy_id: policyId }) {
      await inventoryControl.removePolicy(policyId);
      return {};
    },
  });
}
