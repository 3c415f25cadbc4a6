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
    Type.Boolean({ description: 'For active.' }),
    Type.String({ description: 'For displayName; for active true or false.' }),
    Type.Array(Type.Union([Type.String({ description: 'A name.' }), GroupOrEmail]), {
      description: 'For emails and groups.',
    }),
    Type.Object(writableFields, { description: 'Without a path: several of them.' }),
  ],
  { description: 'The new value.' },
);

/** Changes one: switched off, none of their tokens counts from the next call on. */
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
    summary: `Change a ${singular}`,
    description: `Changes active, displayName, emails and groups of a ${singular}. While it is switched off none of its tokens counts; its jobs go on. The last active administrator stays one.`,
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
                  'active, displayName, emails, groups, or groups[value eq "admins"]. Without it value is an object of these.',
              }),
            ),
            value: Type.Optional(NewValue),
          },
          { description: 'One change.' },
        ),
        { description: 'The changes, in their order.' },
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
