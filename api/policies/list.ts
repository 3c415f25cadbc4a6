/** GET policies/clusters/list. */
import { Type } from 'typebox';
import { defineOperation, type Operation } from '../http/operation.ts';
import type { ClusterPorts } from '../http/ports.ts';

const Policy = Type.Object({
  policy_id: Type.String({ description: 'Id to use in cluster specifications.' }),
  name: Type.String({ description: 'Same as policy_id.' }),
  definition: Type.String({ description: 'Default values as a JSON document.' }),
});

/** Lists the cluster policies of the configuration. */
export function listPoliciesOperation({ inventory }: Pick<ClusterPorts, 'inventory'>): Operation {
  return defineOperation({
    method: 'GET',
    path: '/policies/clusters/list',
    versions: ['2.0'],
    scope: 'clusters',
    summary: 'List cluster policies',
    description:
      'Lists the policies that RUNYARD_CLUSTERS defines, with the default values they supply to clusters.',
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
