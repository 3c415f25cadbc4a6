/** SCIM documents of users and service principals. */
import { Type } from 'typebox';
import { ServiceError } from '../../engine/errors.ts';
import { truncateText } from '../../engine/validation/messages.ts';
import type { Person, PersonKind } from '../../engine/token/person.ts';

interface ScimResource {
  readonly path: string;
  readonly schema: string;
  /** Name in descriptions. */
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

export const personIdField = { id: Type.String({ description: 'Id, decimal digits.' }) };

export const GroupOrEmail = Type.Object(
  {
    value: Type.Optional(Type.String({ description: 'Name of the group, or the e-mail address.' })),
    display: Type.Optional(Type.String({ description: 'Name of the group; alternative to value.' })),
    primary: Type.Optional(Type.Boolean({ description: 'Whether notifications use this address.' })),
  },
  { description: 'Group or e-mail address.' },
);

/** Fields that both kinds accept on creation. */
export const writableFields = {
  displayName: Type.Optional(Type.String({ description: 'Display name.' })),
  active: Type.Optional(
    Type.Boolean({ description: 'False: inactive; all tokens are invalid. Default: true.' }),
  ),
  emails: Type.Optional(Type.Array(GroupOrEmail, { description: 'E-mail addresses.' })),
  groups: Type.Optional(
    Type.Array(GroupOrEmail, {
      description: 'Group admins grants administrator rights; all users are in group users.',
    }),
  ),
  schemas: Type.Optional(Type.Array(Type.String(), { description: 'Ignored.' })),
};

export const PersonDocument = Type.Object(
  {
    schemas: Type.Array(Type.String(), { description: 'Schema of the document.' }),
    id: Type.String({ description: 'Id, decimal digits.' }),
    userName: Type.Optional(Type.String({ description: 'Name of the user.' })),
    applicationId: Type.Optional(Type.String({ description: 'Name of the service principal.' })),
    displayName: Type.String({ description: 'Display name.' }),
    active: Type.Boolean({ description: 'False: inactive; all tokens are invalid.' }),
    emails: Type.Optional(Type.Array(GroupOrEmail, { description: 'E-mail addresses.' })),
    groups: Type.Array(GroupOrEmail, { description: 'Group users, and group admins for administrators.' }),
  },
  { description: 'User or service principal.' },
);

/** Returns the SCIM document of a person. */
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

/**
 * Parses the id in a path.
 * @throws ServiceError RESOURCE_DOES_NOT_EXIST for a text that is not an id
 */
export function parsePersonId(kind: PersonKind, text: string): number {
  const id = /^\d{1,15}$/.test(text) ? Number(text) : undefined;
  if (id === undefined) throw personNotFound(kind, text);
  return id;
}

/** Returns the error of an unknown user or service principal. */
export function personNotFound(kind: PersonKind, id: string): ServiceError {
  const { singular } = scimResources[kind];
  return new ServiceError(
    'RESOURCE_DOES_NOT_EXIST',
    `${singular[0]?.toUpperCase()}${singular.slice(1)} ${truncateText(id)} does not exist.`,
  );
}
