/** PATCH preview/scim/v2/Users/{id} and ServicePrincipals/{id}. */
import { Type } from 'typebox';
import type { PersonKind } from '../../engine/token/person.ts';
import { applyPersonPatch } from '../../engine/token/person-patch.ts';
import { defineOperation, type Operation } from '../http/operation.ts';
import type { OperationPorts } from '../http/ports.ts';
import {
  writableFields,
  GroupOrEmail,
  PersonDocument,
  personIdField,
  parsePersonId,
  toPersonView,
  scimResources,
  personNotFound,
} from './scim-resources.ts';

const NewValue = Type.Union(
  [
    Type.Boolean({ description: 'Value of active.' }),
    Type.String({ description: 'Value of displayName, or true or false for active.' }),
    Type.Array(Type.Union([Type.String({ description: 'A name.' }), GroupOrEmail]), {
      description: 'Values of emails or groups.',
    }),
    Type.Object(writableFields, { description: 'Several attributes, for an operation without a path.' }),
  ],
  { description: 'The new value.' },
);

/**
 * Updates a user or service principal. Deactivation invalidates all tokens from the next call on.
 * @throws ServiceError RESOURCE_DOES_NOT_EXIST; an invalid operation; INVALID_STATE for the last active
 * administrator
 */
export function updatePersonOperation(
  kind: PersonKind,
  { people }: Pick<OperationPorts, 'people'>,
): Operation {
  const { path, singular } = scimResources[kind];
  return defineOperation({
    method: 'PATCH',
    path: `${path}/:id`,
    versions: ['2.0'],
    scope: 'scim',
    adminsOnly: true,
    summary: `Update a ${singular}`,
    description: `Updates active, displayName, emails and groups of a ${singular}. While it is inactive, its tokens are invalid; its jobs continue. The last active administrator cannot lose this role.`,
    request: Type.Object({
      ...personIdField,
      schemas: Type.Optional(Type.Array(Type.String(), { description: 'Ignored.' })),
      Operations: Type.Array(
        Type.Object(
          {
            op: Type.String({ description: 'add, replace or remove.' }),
            path: Type.Optional(
              Type.String({
                description:
                  'active, displayName, emails, groups, or groups[value eq "admins"]. Without a path, value is an object of these attributes.',
              }),
            ),
            value: Type.Optional(NewValue),
          },
          { description: 'One change.' },
        ),
        { description: 'Changes in order of application.' },
      ),
    }),
    response: PersonDocument,
    async handle({ id, Operations: operations }, { recordChange }) {
      const outcome = await people.change(kind, parsePersonId(kind, id), (person) =>
        applyPersonPatch(person, operations),
      );
      if (outcome === undefined) throw personNotFound(kind, id);
      recordChange(outcome.before, outcome.after);
      return toPersonView(outcome.after);
    },
  });
}
