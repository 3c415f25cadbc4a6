/** GET preview/scim/v2/Users and ServicePrincipals. */
import { Type } from 'typebox';
import { parsePersonFilter, type PersonKind } from '../../engine/token/person.ts';
import { defineOperation, type Operation } from '../http/operation.ts';
import type { OperationPorts } from '../http/ports.ts';
import { PersonDocument, toPersonView, scimResources } from './scim-resources.ts';

const maximumPageSize = 1_000;

/** Lists them by id. */
export function listPeopleOperation(kind: PersonKind, { people }: Pick<OperationPorts, 'people'>): Operation {
  const { path, plural } = scimResources[kind];
  return defineOperation({
    method: 'GET',
    path,
    versions: ['2.0'],
    scope: 'scim',
    adminsOnly: true,
    summary: `List ${plural}`,
    description: `All ${plural}, or those that a filter such as \`${kind === 'user' ? 'userName eq "ada@example.org"' : 'displayName eq "nightly"'}\` finds.`,
    request: Type.Object({
      filter: Type.Optional(
        Type.String({
          description: '<attribute> eq "<value>" with userName, displayName, applicationId, id or active.',
        }),
      ),
      startIndex: Type.Optional(Type.Integer({ description: 'The first one to show; counts from 1.' })),
      count: Type.Optional(
        Type.Integer({
          minimum: 0,
          description: `How many to show at most; never more than ${maximumPageSize}.`,
        }),
      ),
    }),
    response: Type.Object({
      schemas: Type.Array(Type.String(), { description: 'The schema of the list.' }),
      totalResults: Type.Integer({ description: 'How many there are.' }),
      startIndex: Type.Integer({ description: 'The first one that is shown.' }),
      itemsPerPage: Type.Integer({ description: 'How many are shown.' }),
      Resources: Type.Array(PersonDocument, { description: 'Those shown.' }),
    }),
    async handle({ filter, startIndex = 1, count = 100 }) {
      const first = Math.min(Math.max(1, startIndex), Number.MAX_SAFE_INTEGER);
      const found = await people.list(
        kind,
        parsePersonFilter(filter),
        first - 1,
        Math.min(count, maximumPageSize),
      );
      return {
        schemas: ['urn:ietf:params:scim:api:messages:2.0:ListResponse'],
        totalResults: found.total,
        startIndex: first,
        itemsPerPage: found.people.length,
        Resources: found.people.map(toPersonView),
      };
    },
  });
}
