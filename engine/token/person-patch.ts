/** SCIM documents and PATCH operations of people. */
import { invalid } from '../errors.ts';
import { checkMaxItems, quote } from '../validation/messages.ts';
import { checkDisplayName, type PatchOperation, type Person, type PersonChange } from './person.ts';
import { fixedLimits } from '../limits.ts';

const adminGroup = 'admins';
const knownGroups = ['users', adminGroup];

/** Field of a document in lower case -> change of the person. */
const fieldParsers: Readonly<Record<string, (value: unknown) => PersonChange>> = {
  active: (value) => ({ active: parseBoolean(value) }),
  displayname: (value) => ({ displayName: parseDisplayName(value) }),
  emails: (value) => ({ email: parseEmail(value) }),
  groups: (value) => ({ admin: parseGroups(value).includes(adminGroup) }),
};

/**
 * Applies SCIM operations in order: add, replace and remove of active, displayName, emails and groups.
 * Members of the group admins are administrators.
 * @throws ServiceError for an unsupported operation
 */
export function applyPersonPatch(person: Person, operations: readonly PatchOperation[]): PersonChange {
  checkMaxItems('Operations', operations, fixedLimits.personPatchOperations);
  return operations.reduce<PersonChange>(
    (change, operation, index) => ({
      ...change,
      ...applyOperation({ ...person, ...change }, operation, `Operations[${index}]`),
    }),
    {},
  );
}

/** Parses a SCIM document and ignores fields that the service does not support. */
export function parsePersonDocument(document: object): PersonChange {
  return Object.assign(
    {},
    ...Object.entries(document).map(([name, value]) =>
      value === undefined ? {} : (fieldParsers[name.toLowerCase()]?.(value) ?? {}),
    ),
  );
}

function applyOperation(person: Person, { op, path, value }: PatchOperation, where: string): PersonChange {
  const verb = op.toLowerCase();
  if (verb !== 'add' && verb !== 'replace' && verb !== 'remove')
    throw invalid(`${where}.op is ${quote(op)}; it must be one of add, replace, remove.`);
  if (path === undefined) {
    if (verb === 'remove' || typeof value !== 'object' || value === null)
      throw invalid(`${where} has no path; a path, or for add and replace an object as value, is required.`);
    for (const name of Object.keys(value)) getFieldParser(name, where);
    return Object.entries(value).reduce<PersonChange>(
      (change, [name, part]) => ({
        ...change,
        ...applyOperation({ ...person, ...change }, { op, path: name, value: part }, where),
      }),
      {},
    );
  }
  const [, name = '', chosen] = /^([a-z]+)(?:\[\s*value\s+eq\s+"([^"]*)"\s*\])?$/i.exec(path) ?? [];
  const read = getFieldParser(name, where);
  if (name.toLowerCase() === 'groups')
    return { admin: isAdminAfterPatch(person, verb, chosen === undefined ? value : [chosen]) };
  if (verb !== 'remove') return read(value);
  if (name.toLowerCase() === 'emails') return { email: undefined };
  throw invalid(`${where} removes ${path}, which is required; use replace instead.`);
}

/** Returns the new administrator flag. add and remove name single groups; replace names all groups. */
function isAdminAfterPatch({ admin }: Person, verb: 'add' | 'replace' | 'remove', value: unknown): boolean {
  const named = value === undefined && verb === 'remove' ? [adminGroup] : parseGroups(value);
  if (verb === 'replace') return named.includes(adminGroup);
  return named.includes(adminGroup) ? verb === 'add' : admin;
}

function getFieldParser(name: string, where: string): (value: unknown) => PersonChange {
  const read = Object.hasOwn(fieldParsers, name.toLowerCase()) ? fieldParsers[name.toLowerCase()] : undefined;
  if (read === undefined)
    throw invalid(
      `${where} changes ${quote(name)}; only active, displayName, emails and groups can be changed.`,
    );
  return read;
}

function parseBoolean(value: unknown): boolean {
  const text = String(value).toLowerCase();
  if (text === 'true' || text === 'false') return text === 'true';
  throw invalid(`active is ${quote(value)}; it must be true or false.`);
}

function parseDisplayName(value: unknown): string {
  if (typeof value !== 'string') throw invalid(`displayName is ${quote(value)}; it must be a string.`);
  checkDisplayName(value);
  return value;
}

/** Parses a list of `{value, primary}`; returns the primary address, else the first one. */
function parseEmail(value: unknown): string | undefined {
  if (!Array.isArray(value))
    throw invalid(`emails is ${quote(value)}; it must be a list of {"value": "ada@example.org"}.`);
  const entries: readonly unknown[] = value;
  const primary =
    entries.find(
      (entry) => typeof entry === 'object' && entry !== null && 'primary' in entry && entry.primary === true,
    ) ?? entries[0];
  if (primary === undefined) return undefined;
  const [address] = parseNames([primary]);
  if (
    address === undefined ||
    !/^[!-~]+@[!-~]+$/.test(address) ||
    address.length > fixedLimits.emailAddressCharacters
  )
    throw invalid(
      `emails has ${quote(primary)}; it must be {"value": "ada@example.org"}, an address in ASCII.`,
    );
  return address;
}

/** Parses `[{value: "admins"}]`, `[{display: "admins"}]` or `["admins"]`. @throws ServiceError */
function parseNames(value: unknown): string[] {
  const entries: readonly unknown[] = Array.isArray(value) ? value : [value];
  return entries.map((entry) => {
    if (typeof entry === 'string') return entry;
    const named = new Map<string, unknown>(
      Object.entries(typeof entry === 'object' && entry !== null ? entry : {}),
    );
    const name = named.get('value') ?? named.get('display');
    if (typeof name !== 'string') throw invalid(`${quote(entry)} has no value; it must be {"value": "…"}.`);
    return name;
  });
}

/** @throws ServiceError for an unknown group */
function parseGroups(value: unknown): string[] {
  const names = parseNames(value);
  const unknown = names.find((name) => !knownGroups.includes(name));
  if (unknown !== undefined)
    throw invalid(`groups has ${quote(unknown)}; it must be one of ${knownGroups.join(', ')}.`);
  return names;
}
