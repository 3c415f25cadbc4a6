/** DELETE preview/scim/v2/Users/{id} and ServicePrincipals/{id}. */
import { Type } from 'typebox';
import type { PersonKind } from '../../engine/token/person.ts';
import { defineOperation, type Operation } from '../http/operation.ts';
import type { OperationPorts } from '../http/ports.ts';
import { personIdField, parsePersonId, scimResources, personNotFound } from './scim-resources.ts';

/**
 * Deletes a user or service principal with all tokens and permissions.
 * @throws ServiceError RESOURCE_DOES_NOT_EXIST for an unknown id; INVALID_STATE for the last active
 * administrator
 */
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
    description: `Deletes a ${singular} with all its tokens and permissions. Its jobs continue without creator and owner. The last active administrator cannot be deleted.`,
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
