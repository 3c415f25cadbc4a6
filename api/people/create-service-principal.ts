/** POST preview/scim/v2/ServicePrincipals. */
import { randomUUID } from 'node:crypto';
import { Type } from 'typebox';
import { defineOperation, type Operation } from '../http/operation.ts';
import { createPerson, defineCreateOperation, type CreatePersonPorts } from './create-person.ts';
import { writableFields } from './scim-resources.ts';

/**
 * Creates a service principal: an identity for automation instead of a person.
 * @throws ServiceError RESOURCE_ALREADY_EXISTS for a taken application id
 */
export function createServicePrincipalOperation(ports: CreatePersonPorts): Operation {
  const request = Type.Object({
    applicationId: Type.Optional(
      Type.String({ description: 'Name of the service principal. Default: a new UUID.' }),
    ),
    ...writableFields,
  });
  return defineOperation({
    ...defineCreateOperation(
      'service_principal',
      request,
      'Creates a service principal: an identity for automation, such as a deployment pipeline.',
    ),
    handle: (input) =>
      createPerson(
        ports,
        { kind: 'service_principal', userName: input.applicationId ?? randomUUID() },
        input,
      ),
  });
}
