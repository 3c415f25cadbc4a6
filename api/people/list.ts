/** GET preview/scim/v2/Users and ServicePrincipals. */
import { Type } from 'typebox';
import { parsePersonFilter, type PersonKind } from '../../engine/token/person.ts';
import { defineOperation, type Operation } from '../http/operation.ts';
import type { OperationPorts } from '../http/ports.ts';
import { PersonDocument, toPersonView, scimResources } from './scim-resources.ts';
import { fixedLimits } from '../../engine/limits.ts';

/**
 * Lists users or service principals by id.
 * @throws ServiceError for an invalid filter
 */
export function listPeopleOperation(kind: PersonKind, { people }: Pick<OperationPorts, 'people'>): Operation {
  const { path, plural } = scimResources[kind];
  return defineOperation({
    method: 'GET',
    path,
    versions: ['2.0'],
    scope: 'scim',
    adminsOnly: true,
    summary: `List ${plural}`,
    description: `Lists all ${plural}, or those that match a filter such as \`${kind === 'user' ? 'userName eq "ada@example.org"' : 'displayName eq "nightly"'}\`.`,
    request: Type.Object({
      filter: Type.Optional(
        Type.String({
          description: '<attribute> eq "<value>" with userName, displayName, applicationId, id or active.',
        }),
      ),
      startIndex: Type.Optional(Type.Integer({ description: 'Position of the first entry, starting at 1.' })),
      count: Type.Optional(
        Type.Integer({
          minimum: 0,
          description: `Entries per page. Default: 100, maximum: ${fixedLimits.peoplePerPage}.`,
        }),
      ),
    }),
    response: Type.Object({
      schemas: Type.Array(Type.String(), { description: 'Schema of the list.' }),
      totalResults: Type.Integer({ description: 'Total number of entries.' }),
      startIndex: Type.Integer({ description: 'Position of the first entry.' }),
      itemsPerPage: Type.Integer({ description: 'Number of entries on this page.' }),
      Resources: Type.Array(PersonDocument, { description: 'Entries of this page.' }),
    }),
    async handle({ filter, startIndex = 1, count = 100 }) {
      const first = Math.min(Math.max(1, startIndex), Number.MAX_SAFE_INTEGER);
      const found = await people.list(
        kind,
        parsePersonFilter(filter),
        first - 1,
        Math.min(count, fixedLimits.peoplePerPage),
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
