/** GET policies/clusters/get. */
import { Type } from 'typebox';
import { policyNotFound } from '../../engine/coordinator/inventory-control.ts';
import { defineOperation, type Operation } from '../http/operation.ts';
import type { ClusterPorts } from '../http/ports.ts';
import { PolicyDocument, PolicyId, toConfiguredPolicyViews, toPolicyView } from './policy-view.ts';

/**
 * Returns a cluster policy.
 * @throws ServiceError RESOURCE_DOES_NOT_EXIST for an unknown policy
 */
export function getPolicyOperation({
  inventory,
  inventoryControl,
}: Pick<ClusterPorts, 'inventory' | 'inventoryControl'>): Operation {
  return defineOperation({
    method: 'GET',
    path: '/policies/clusters/get',
    versions: ['2.0'],
    scope: 'clusters',
    summary: 'Get a cluster policy',
    description: 'Returns a cluster policy with its definition.',
    request: Type.Object({ policy_id: PolicyId }),
    response: PolicyDocument,
    async handle({ policy_id: policyId }) {
      const managed = (await inventoryControl.listPolicies()).find((policy) => policy.policyId === policyId);
      if (managed !== undefined) return toPolicyView(managed);
      const { policies } = inventory;
      const configured = Object.hasOwn(policies, policyId) ? policies[policyId] : undefined;
      const [view] =
        configured === undefined ? [] : toConfiguredPolicyViews({ policies: { [policyId]: configured } });
      if (view === undefined) throw policyNotFound(policyId);
      return view;
    },
  });
}
