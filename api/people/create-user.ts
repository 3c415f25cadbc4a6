/** POST preview/scim/v2/Users. */
import { Type } from 'typebox';
import { defineOperation, type Operation } from '../http/operation.ts';
import { createPerson, defineCreateOperation, type CreatePersonPorts } from './create-person.ts';
import { writableFields } from './scim-resources.ts';

/**
 * Creates a user. The new user has no token; an administrator creates the first one.
 * @throws ServiceError RESOURCE_ALREADY_EXISTS for a taken name
 */
export function createUserOperation(ports: CreatePersonPorts): Operation {
  const request = Type.Object({
    userName: Type.String({ description: 'Name of the user, usually an e-mail address.' }),
    ...writableFields,
  });
  return defineOperation({
    ...defineCreateOperation(
      'user',
      request,
      'Creates a user. An administrator creates the first token of the user.',
    ),
    handle: (input) => createPerson(ports, { kind: 'user', userName: input.userName }, input),
  });
}
