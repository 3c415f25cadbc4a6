/** DELETE preview/scim/v2/Users/{id} and ServicePrincipals/{id}. */
import { Type } from 'typebox';
import type { PersonKind } from '../../engine/token/person.ts';
import { defineOperation, type Operation } from '../http/operation.ts';
import type { OperationPorts } from '../http/ports.ts';
import { personIdField, parsePersonId, scimResources, personNotFound } from './scim-resources.ts';

/** Removes one. */
export function deletePersonOperation(
  kind: PersonKind,
  { people, clock }: Pick<OperationPorts, 'people' | 'clock'>,
): Operation {
  const { path, singular } = scimResources[kind];
  return defineOperation({
    method: 'DELETE',
    path: `${path}/:id`,
    versions: ['2.0'],
    scope: 'scim',
    adminsOnly: true,
    summary: `Delete a ${singular}`,
    description: `Removes a ${singular} with all its tokens and permissions, at once. Its jobs go on, without a creator and an owner. The last active administrator stays.`,
    request: Type.Object(personIdField),
    response: Type.Object({}),
    async handle({ id }, { recordChange }) {
      const person = await people.find(kind, parsePersonId(kind, id));
      if (person === undefined || !(await people.remove(kind, person.id, clock.now())))
        throw personNotFound(kind, id);
      recordChange(person, {});
      return {};
    },
  });
}
