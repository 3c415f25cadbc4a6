/** POST preview/scim/v2/Users and ServicePrincipals. */
import { randomUUID } from 'node:crypto';
import { Type, type TSchema } from 'typebox';
import {
  checkDisplayName,
  checkUserName,
  type NewPerson,
  type PersonKind,
} from '../../engine/token/person.ts';
import { parsePersonDocument } from '../../engine/token/person-patch.ts';
import { defineOperation, type Operation } from '../http/operation.ts';
import type { OperationPorts } from '../http/ports.ts';
import { writableFields, PersonDocument, toPersonView, scimResources } from './scim-resources.ts';

type Ports = Pick<OperationPorts, 'people' | 'clock'>;

/** What the two have in common; `request` names them. */
function defineCreateOperation<Request extends TSchema>(
  kind: PersonKind,
  request: Request,
  description: string,
) {
  const { path, singular } = scimResources[kind];
  return {
    method: 'POST' as const,
    path,
    versions: ['2.0'] as const,
    scope: 'scim' as const,
    adminsOnly: true as const,
    summary: `Create a ${singular}`,
    description,
    request,
    response: PersonDocument,
  };
}

async function createPerson(
  { people, clock }: Ports,
  person: Pick<NewPerson, 'kind' | 'userName'>,
  document: object,
): Promise<object> {
  checkUserName(person.userName);
  const { displayName = '', email, admin = false, active = true } = parsePersonDocument(document);
  checkDisplayName(displayName);
  return toPersonView(await people.create({ ...person, displayName, email, admin, active }, clock.now()));
}

/** Makes a user. */
export function createUserOperation(ports: Ports): Operation {
  const request = Type.Object({
    userName: Type.String({ description: 'Their name, usually an address of mail.' }),
    ...writableFields,
  });
  return defineOperation({
    ...defineCreateOperation(
      'user',
      request,
      'Makes a user. They get their first token from an administrator.',
    ),
    handle: (input) => createPerson(ports, { kind: 'user', userName: input.userName }, input),
  });
}

/** Makes a service principal. */
export function createServicePrincipalOperation(ports: Ports): Operation {
  const request = Type.Object({
    applicationId: Type.Optional(Type.String({ description: 'Its name; a UUID when it is left out.' })),
    ...writableFields,
  });
  return defineOperation({
    ...defineCreateOperation(
      'service_principal',
      request,
      'Makes a service principal: somebody who is no person, such as a pipeline.',
    ),
    handle: (input) =>
      createPerson(
        ports,
        { kind: 'service_principal', userName: input.applicationId ?? randomUUID() },
        input,
      ),
  });
}
