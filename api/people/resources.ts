/** Users and service principals as SCIM shows them: two resources of one shape. */
import { Type } from 'typebox';
import { ServiceError } from '../../engine/errors.ts';
import { truncateText } from '../../engine/validation/messages.ts';
import type { Person, PersonKind } from '../../engine/token/person.ts';

interface Resource {
  readonly path: string;
  readonly schema: string;
  /** In words, for the description. */
  readonly one: string;
  readonly many: string;
}

export const resources: Readonly<Record<PersonKind, Resource>> = {
  user: {
    path: '/preview/scim/v2/Users',
    schema: 'urn:ietf:params:scim:schemas:core:2.0:User',
    one: 'user',
    many: 'users',
  },
  service_principal: {
    path: '/preview/scim/v2/ServicePrincipals',
    schema: 'urn:ietf:params:scim:schemas:core:2.0:ServicePrincipal',
    one: 'service principal',
    many: 'service principals',
  },
};

export const personIdField = { id: Type.String({ description: 'Its id: decimal digits.' }) };

export const Named = Type.Object(
  {
    value: Type.Optional(Type.String({ description: 'Name of the group, or the address,' })),
    display: Type.Optional(Type.String({ description: 'or the name here.' })),
    primary: Type.Optional(Type.Boolean({ description: 'For addresses: the one that mail goes to.' })),
  },
  { description: 'A group or an address.' },
);

/** What the documents of both have. */
export const givenFields = {
  displayName: Type.Optional(Type.String({ description: 'Name to show.' })),
  active: Type.Optional(
    Type.Boolean({ description: 'False: switched off, none of their tokens counts. Default: true.' }),
  ),
  emails: Type.Optional(Type.Array(Named, { description: 'Where mail reaches them.' })),
  groups: Type.Optional(
    Type.Array(Named, { description: 'admins makes an administrator; everybody is in users.' }),
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
    emails: Type.Optional(Type.Array(Named, { description: 'Where mail reaches them.' })),
    groups: Type.Array(Named, { description: 'users, and admins for administrators.' }),
  },
  { description: 'A user or a service principal.' },
);

export function personView({ id, kind, userName, displayName, email, admin, active }: Person): object {
  return {
    schemas: [resources[kind].schema],
    id: String(id),
    [kind === 'user' ? 'userName' : 'applicationId']: userName,
    displayName,
    active,
    ...(email !== undefined && { emails: [{ value: email, type: 'work', primary: true }] }),
    groups: [...(admin ? ['admins'] : []), 'users'].map((name) => ({ display: name, value: name })),
  };
}

/** The id in a path. @throws ServiceError for what can be none */
export function personIdIn(kind: PersonKind, text: string): number {
  const id = /^\d{1,15}$/.test(text) ? Number(text) : undefined;
  if (id === undefined) throw unknownPerson(kind, text);
  return id;
}

export function unknownPerson(kind: PersonKind, id: string): ServiceError {
  const { one } = resources[kind];
  return new ServiceError(
    'RESOURCE_DOES_NOT_EXIST',
    `${one[0]?.toUpperCase()}${one.slice(1)} ${truncateText(id)} does not exist.`,
  );
}
