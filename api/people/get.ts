/** GET preview/scim/v2/Users/{id} and ServicePrincipals/{id}. */
import { Type } from 'typebox';
import type { PersonKind } from '../../engine/token/person.ts';
import { defineOperation, type Operation } from '../http/operation.ts';
import type { OperationPorts } from '../http/ports.ts';
import {
  PersonDocument,
  personIdField,
  parsePersonId,
  toPersonView,
  scimResources,
  personNotFound,
} from './scim-resources.ts';

/**
 * Returns a user or service principal.
 * @throws ServiceError RESOURCE_DOES_NOT_EXIST for an unknown id
 */
export function getPersonOperation(kind: PersonKind, { people }: Pick<OperationPorts, 'people'>): Operation {
  const { path, singular } = scimResources[kind];
  return defineOperation({
    method: 'GET',
    path: `${path}/:id`,
    versions: ['2.0'],
    scope: 'scim',
    adminsOnly: true,
    summary: `Get a ${singular}`,
    description: `Returns a ${singular}.`,
    request: Type.Object(personIdField),
    response: PersonDocument,
    async handle({ id }) {
      const person = await people.find(kind, parsePersonId(kind, id));
      if (person === undefined) throw personNotFound(kind, id);
      return toPersonView(person);
    },
  });
}
