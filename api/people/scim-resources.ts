/** Users and service principals as SCIM shows them: two resources of one shape. */
import { Type } from 'typebox';
import { ServiceError } from '../../engine/errors.ts';
import { truncateText } from '../../engine/validation/messages.ts';
import type { Person, PersonKind } from '../../engine/token/person.ts';

interface ScimResource {
  readonly path: string;
  readonly schema: string;
  /** In words, for the description. */
  readonly singular: string;
  readonly plural: string;
}

export const scimResources: Readonly<Record<PersonKind, ScimResource>> = {
  user: {
    path: '/preview/scim/v2/Users',
    schema: 'urn:ietf:params:scim:schemas:core:2.0:User',
    singular: 'user',
    plural: 'users',
  },
  service_principal: {
    path: '/preview/scim/v2/ServicePrincipals',
    schema: 'urn:ietf:params:scim:schemas:core:2.0:ServicePrincipal',
    singular: 'service principal',
    plural: 'service principals',
  },
};

export const personIdField = { id: Type.String({ description: 'Its id: decimal digits.' }) };

export const GroupOrEmail = Type.Object(
  {
    value: Type.Optional(Type.String({ description: 'Name of the group, or the address,' })),
    display: Type.Optional(Type.String({ description: 'or the name here.' })),
    primary: Type.Optional(Type.Boolean({ description: 'For addresses: the one that mail goes to.' })),
  },
  { description: 'A group or an address.' },
);

/** What the documents of both have. */
export const writableFields = {
  displayName: Type.Optional(Type.String({ description: 'Name to show.' })),
  active: Type.Optional(
    Type.Boolean({ description: 'False: switched off, none of their tokens counts. Default: true.' }),
  ),
  emails: Type.Optional(Type.Array(GroupOrEmail, { description: 'Where mail reaches them.' })),
  groups: Type.Optional(
    Type.Array(GroupOrEmail, { description: 'admins makes an administrator; everybody is in users.' }),
  ),
  schemas: Type.Optional(Type.Array(Type.String(), { description: 'Ignored.' })),
};

export const PersonDocument = Type.Object(
  {
    schemas: Type.Array(Type.String(), { description: 'The schema of the document.' }),
    id: Type.String({ description: 'Decimal digits.' }),
    userName: Type.Optional(Type.String({ description: 'Name of a user.' })),
    applicationId: Type.Optional(Type.String({ description: 'Name of a service principal.' })),
    displayName: Type.String({ description: 'Name to show.' }),
    active: Type.Boolean({ description: 'False: none of their tokens counts.' }),
    emails: Type.Optional(Type.Array(GroupOrEmail, { description: 'Where mail reaches them.' })),
    groups: Type.Array(GroupOrEmail, { description: 'users, and admins for administrators.' }),
  },
  { description: 'A user or a service principal.' },
);

export function toPersonView({ id, kind, userName, displayName, email, admin, active }: Person): object {
  return {
    schemas: [scimResources[kind].schema],
    id: String(id),
    [kind === 'user' ? 'userName' : 'applicationId']: userName,
    displayName,
    active,
    ...(email !== undefined && { emails: [{ value: email, type: 'work', primary: true }] }),
    groups: [...(admin ? ['admins'] : []), 'users'].map((name) => ({ display: name, value: name })),
  };
}

/** The id in a path. @throws ServiceError for what can be none */
export function parsePersonId(kind: PersonKind, text: string): number {
  const id = /^\d{1,15}$/.test(text) ? Number(text) : undefined;
  if (id === undefined) throw personNotFound(kind, text);
  return id;
}

export function personNotFound(kind: PersonKind, id: string): ServiceError {
  const { singular } = scimResources[kind];
  return new ServiceError(
    'RESOURCE_DOES_NOT_EXIST',
    `${singular[0]?.toUpperCase()}${singular.slice(1)} ${truncateText(id)} does not exist.`,
  );
}
