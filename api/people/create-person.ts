/** Shared parts of the two operations that create a user or a service principal. */
import type { TSchema } from 'typebox';
import {
  checkDisplayName,
  checkUserName,
  type NewPerson,
  type PersonKind,
} from '../../engine/token/person.ts';
import { parsePersonDocument } from '../../engine/token/person-patch.ts';
import type { OperationPorts } from '../http/ports.ts';
import { PersonDocument, scimResources, toPersonView } from './scim-resources.ts';

export type CreatePersonPorts = Pick<OperationPorts, 'people' | 'clock'>;

/** Returns the common fields of both operations; `request` contains the name field of the kind. */
export function defineCreateOperation<Request extends TSchema>(
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

/**
 * Validates and stores a user or service principal.
 * @throws ServiceError for an invalid name or document; RESOURCE_ALREADY_EXISTS for a taken name
 */
export async function createPerson(
  { people, clock }: CreatePersonPorts,
  person: Pick<NewPerson, 'kind' | 'userName'>,
  document: object,
): Promise<object> {
  checkUserName(person.userName);
  const { displayName = '', email, admin = false, active = true } = parsePersonDocument(document);
  checkDisplayName(displayName);
  return toPersonView(await people.create({ ...person, displayName, email, admin, active }, clock.now()));
}
