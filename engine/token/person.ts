/** Users and service principals: names, the SCIM filter, and the last-administrator rule. */
import { invalid, ServiceError } from '../errors.ts';
import { checkMaxBytes, checkNotBlank, quote } from '../validation/messages.ts';
import { fixedLimits } from '../limits.ts';

export type PersonKind = 'user' | 'service_principal';

/** User or service principal, who can own tokens and jobs. */
export interface Person {
  readonly id: number;
  readonly kind: PersonKind;
  /** Name in permissions and jobs; the application id of a service principal. */
  readonly userName: string;
  readonly displayName: string;
  /** Undefined: the person receives no mail. */
  readonly email: string | undefined;
  readonly admin: boolean;
  readonly active: boolean;
}

/** Input for a new person. A service principal without a name gets a generated application id. */
export type NewPerson = Omit<Person, 'id'>;

/** Changed fields of a person. */
export type PersonChange = Partial<Pick<Person, 'displayName' | 'email' | 'admin' | 'active'>>;

/** @throws ServiceError for a name that is blank, too long, or has spaces or control characters */
export function checkUserName(userName: string): void {
  checkNotBlank('userName', userName);
  checkMaxBytes('userName', userName, fixedLimits.personNameBytes);
  if (/[\p{Cc}\s]/u.test(userName))
    throw invalid(`userName is ${quote(userName)}; spaces and control characters are not allowed.`);
}

/** @throws ServiceError for a name that is too long */
export function checkDisplayName(displayName: string): void {
  checkMaxBytes('displayName', displayName, fixedLimits.personNameBytes);
}

/** Returns the mail address of a person: the given one, or a user name that is an address. */
export function emailAddressOf({ email, userName }: Pick<Person, 'email' | 'userName'>): string | undefined {
  return email ?? (/^[^@\s]+@[^@\s]+$/.test(userName) ? userName : undefined);
}

/**
 * Refuses a change that leaves the workspace without an active administrator.
 * @param others number of other active administrators
 * @throws ServiceError INVALID_STATE
 */
export function checkAdminRemains(
  person: Pick<Person, 'userName' | 'admin' | 'active'>,
  after: { readonly admin: boolean; readonly active: boolean },
  others: number,
): void {
  const leaves = person.admin && person.active && !(after.admin && after.active);
  if (leaves && others === 0)
    throw new ServiceError(
      'INVALID_STATE',
      `${person.userName} is the last active administrator; make another user an administrator first.`,
    );
}

/** SCIM PATCH operation. */
export interface PatchOperation {
  readonly op: string;
  readonly path?: string;
  readonly value?: unknown;
}

/** Filter of a list: equality of one attribute. */
export interface PersonFilter {
  readonly attribute: 'userName' | 'displayName' | 'applicationId' | 'id' | 'active';
  readonly value: string;
}

const attributes = new Map<string, PersonFilter['attribute']>(
  (['userName', 'displayName', 'applicationId', 'id', 'active'] as const).map((name) => [
    name.toLowerCase(),
    name,
  ]),
);

/** Parses `userName eq "ada"`. @throws ServiceError for any other filter */
export function parsePersonFilter(text: string | undefined): PersonFilter | undefined {
  if (text === undefined || text.trim() === '') return undefined;
  const [, name = '', quoted, bare = ''] =
    /^\s*([a-z]+)\s+eq\s+(?:"((?:[^"\\]|\\.)*)"|([^\s"]+))\s*$/i.exec(text) ?? [];
  const attribute = attributes.get(name.toLowerCase());
  if (attribute === undefined)
    throw invalid(
      `filter is ${quote(text)}; it must be <attribute> eq "<value>" with one of ${[...attributes.values()].join(', ')}.`,
    );
  return { attribute, value: quoted?.replaceAll(/\\(.)/g, '$1') ?? bare };
}
