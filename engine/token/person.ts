/**
 * People and service principals: the rules of their names, and of who may not go (the SCIM subset of WIRE).
 */
import { invalid, ServiceError } from '../errors.ts';
import { checkMaxBytes, checkNotBlank, quote } from '../validation/messages.ts';
import { fixedLimits } from '../limits.ts';

export type PersonKind = 'user' | 'service_principal';

/** Somebody who can own tokens and jobs. */
export interface Person {
  readonly id: number;
  readonly kind: PersonKind;
  /** What permissions and jobs call them; for a service principal its application id. */
  readonly userName: string;
  readonly displayName: string;
  /** Where mail reaches them; undefined: nowhere. */
  readonly email: string | undefined;
  readonly admin: boolean;
  readonly active: boolean;
}

/** What is given to make one. A service principal without a name gets an application id. */
export type NewPerson = Omit<Person, 'id'>;

/** What of a person can be other than before. */
export type PersonChange = Partial<Pick<Person, 'displayName' | 'email' | 'admin' | 'active'>>;

/** @throws ServiceError for a name that is empty, too long, or holds what cannot be seen */
export function checkUserName(userName: string): void {
  checkNotBlank('userName', userName);
  checkMaxBytes('userName', userName, fixedLimits.personNameBytes);
  if (/[\p{Cc}\s]/u.test(userName))
    throw invalid(`userName is ${quote(userName)}; spaces and control characters are not allowed.`);
}

/** @throws ServiceError for one that is too long */
export function checkDisplayName(displayName: string): void {
  checkMaxBytes('displayName', displayName, fixedLimits.personNameBytes);
}

/** Where mail reaches a person: the address that was given, or a name that is one. */
export function emailAddressOf({ email, userName }: Pick<Person, 'email' | 'userName'>): string | undefined {
  return email ?? (/^[^@\s]+@[^@\s]+$/.test(userName) ? userName : undefined);
}

/**
 * Nobody can lock everybody out: somebody who administrates must stay.
 * @param others active administrators beside the person in question
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
      `${person.userName} is the last active administrator; make somebody else an administrator first.`,
    );
}

/** How SCIM names groups, and what a patch may do to a person. */
export interface PatchOperation {
  readonly op: string;
  readonly path?: string;
  readonly value?: unknown;
}

/** The filter of a list. Only equality of one attribute is known. */
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

/** Reads `userName eq "ada"`. @throws ServiceError for everything else, naming what is understood */
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
