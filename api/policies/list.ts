/** GET policies/clusters/list. */
import { Type } from 'typebox';
import { defineOperation, type Operation } from '../http/operation.ts';
import type { ClusterPorts } from '../http/ports.ts';
import { PolicyDocument, toConfiguredPolicyViews, toPolicyView } from './policy-view.ts';

/** Lists the cluster policies: those of the configuration and those that the API manages. */
export function listPoliciesOperation({
  inventory,
  inventoryControl,
}: Pick<ClusterPorts, 'inventory' | 'inventoryControl'>): Operation {
  return defineOperation({
    method: 'GET',
    path: '/policies/clusters/list',
    versions: ['2.0'],
    scope: 'clusters',
    summary: 'List cluster policies',
    description:
      'Lists the policies that RUNYARD_CLUSTERS defines, with the default values they supply to clusters, then those created by this API.',
    request: Type.Object({
      sort_column: Type.Optional(
        Type.Enum(['POLICY_NAME', 'POLICY_CREATION_TIME'], {
          description: 'Order of the policies created by this API. Default: POLICY_CREATION_TIME.',
        }),
      ),
      sort_order: Type.Optional(Type.Enum(['ASC', 'DESC'], { description: 'Direction. Default: DESC.' })),
    }),
    response: Type.Object({ policies: Type.Array(PolicyDocument, { description: 'The policies.' }) }),
    async handle({ sort_column: column = 'POLICY_CREATION_TIME', sort_order: order = 'DESC' }) {
      const byName = await inventoryControl.listPolicies();
      const sorted =
        column === 'POLICY_NAME' ? byName : byName.toSorted((a, b) => a.createdTime - b.createdTime);
      const managed = order === 'ASC' ? sorted : sorted.toReversed();
      return { policies: [...toConfiguredPolicyViews(inventory), ...managed.map(toPolicyView)] };
    },
  });
}
