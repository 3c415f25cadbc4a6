/** POST policies/clusters/create. */
import { Type } from 'typebox';
import { defineOperation, type Operation } from '../http/operation.ts';
import type { ClusterPorts } from '../http/ports.ts';
import { parsePolicy, policyFields, PolicyId } from './policy-view.ts';

/**
 * Creates a cluster policy.
 * @throws ServiceError for an invalid definition; RESOURCE_ALREADY_EXISTS for a taken name; PERMISSION_DENIED for
 * callers other than administrators
 */
export function createPolicyOperation({
  inventoryControl,
}: Pick<ClusterPorts, 'inventoryControl'>): Operation {
  return defineOperation({
    method: 'POST',
    path: '/policies/clusters/create',
    versions: ['2.0'],
    scope: 'clusters',
    adminsOnly: true,
    summary: 'Create a cluster policy',
    description:
      'Creates a policy, whose rules supply and limit the attributes of the clusters that name it. For administrators.',
    request: Type.Object(policyFields),
    response: Type.Object({ policy_id: PolicyId }),
    handle: async (request, { caller }) => ({
      policy_id: await inventoryControl.createPolicy(parsePolicy(request), caller.userName),
    }),
  });
}
