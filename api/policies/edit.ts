/** POST policies/clusters/edit. */
import { Type } from 'typebox';
import { defineOperation, type Operation } from '../http/operation.ts';
import type { ClusterPorts } from '../http/ports.ts';
import { parsePolicy, policyFields, PolicyId } from './policy-view.ts';

/**
 * Replaces a cluster policy.
 * @throws ServiceError RESOURCE_DOES_NOT_EXIST for an unknown policy; RESOURCE_ALREADY_EXISTS for a taken name; an
 * invalid definition; a configured policy; PERMISSION_DENIED for callers other than administrators
 */
export function editPolicyOperation({ inventoryControl }: Pick<ClusterPorts, 'inventoryControl'>): Operation {
  return defineOperation({
    method: 'POST',
    path: '/policies/clusters/edit',
    versions: ['2.0'],
    scope: 'clusters',
    adminsOnly: true,
    summary: 'Edit a cluster policy',
    description:
      'Replaces a policy; missing fields get their defaults. It applies to clusters that are created or edited from now on, and to every run that starts. For administrators.',
    request: Type.Object({ policy_id: PolicyId, ...policyFields }),
    response: Type.Object({}),
    async handle({ policy_id: policyId, ...request }) {
      await inventoryControl.editPolicy({ policyId, ...parsePolicy(request) });
      return {};
    },
  });
}
