/** GET policies/clusters/list: the cluster policies of the configuration. */
import { Type } from 'typebox';
import { defineOperation, type Operation } from '../http/operation.ts';
import type { ClusterPorts } from '../http/ports.ts';

const Policy = Type.Object({
  policy_id: Type.String({ description: 'What a cluster names.' }),
  name: Type.String({ description: 'The same as its id.' }),
  definition: Type.String({ description: 'What it supplies, as JSON.' }),
});

export function listPoliciesOperation({ inventory }: Pick<ClusterPorts, 'inventory'>): Operation {
  return defineOperation({
    method: 'GET',
    path: '/policies/clusters/list',
    versions: ['2.0'],
    scope: 'clusters',
    summary: 'List the cluster policies',
    description:
      'The policies that RUNYARD_CLUSTERS names, each with what it gives to clusters that do not say otherwise.',
    request: Type.Object({}),
    response: Type.Object({ policies: Type.Array(Policy, { description: 'The policies.' }) }),
    async handle() {
      return {
        policies: Object.entries(inventory.policies).map(([id, fields]) => ({
          policy_id: id,
          name: id,
          definition: JSON.stringify(
            Object.fromEntries(
              Object.entries(fields).map(([field, value]) => [
                field,
                { type: 'unlimited', defaultValue: value },
              ]),
            ),
          ),
        })),
      };
    },
  });
}
