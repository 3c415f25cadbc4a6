/**
 * The scopes that there are, and lists of them as a caller names them (spec 2.11, 5.6). Each operation names
 * the one that it needs.
 */
import { invalid } from '../errors.ts';
import { checkMaxItems, quote } from '../validation/messages.ts';

/** The scope that permits every operation. */
export const allApisScope = 'all-apis';

/**
 * Name -> what it permits. Some belong to clients and parts that this service does not have; a token may name
 * them all the same.
 */
export const scopeDescriptions = {
  [allApisScope]: 'Everything that its owner may do.',
  'access-management': 'Says who may do what: permissions on jobs, and who may use tokens.',
  audit: 'Reads the audit log.',
  authentication: 'Makes, changes and revokes tokens, with any scope.',
  clusters: 'Makes, sizes and ends clusters, and looks at them and at nodes.',
  dashboards: 'Works with dashboards, classic ones and their migration among them.',
  files: 'Reads and writes the file system of jobs.',
  jobs: 'Works with jobs and runs.',
  notifications: 'Works with destinations and deliveries of notices.',
  pipelines: 'Works with pipelines.',
  scim: 'Works with users and service principals.',
  settings: 'Reads and changes the settings of the workspace.',
  sql: 'Works with queries and warehouses; no operation of this version needs it.',
  'unity-catalog': 'Works with catalogs; no operation of this version needs it.',
  workspace: 'Reads and writes notebooks and files of the workspace.',
} as const satisfies Readonly<Record<string, string>>;

/** A scope that an operation can belong to. */
export type Scope = Exclude<keyof typeof scopeDescriptions, typeof allApisScope>;

/**
 * Checks a list of scopes: at least one, each known, each once.
 * @param path where the list stands, for the refusal
 * @throws ServiceError that names the scope which is wrong
 */
export function checkScopes(path: string, wanted: readonly string[], most: number): void {
  if (wanted.length === 0)
    throw invalid(`${path} is empty; name at least one scope: a token without any would permit nothing.`);
  checkMaxItems(path, wanted, most);
  for (const [index, scope] of wanted.entries()) {
    if (!Object.hasOwn(scopeDescriptions, scope)) {
      throw invalid(
        `${path}[${index}] is ${quote(scope)}, which is no scope; there are ${Object.keys(scopeDescriptions).join(', ')}.`,
      );
    }
  }
  const once = new Set(wanted);
  if (once.size < wanted.length) {
    const twice = wanted.findIndex((scope, index) => wanted.indexOf(scope) < index);
    throw invalid(
      `${path}[${twice}] is ${quote(wanted[twice])}, as an entry before it is; name each scope once.`,
    );
  }
}

/** Whether a token's scopes permit an operation of this scope (spec 5 rule 6). */
export function permitsScope(held: readonly string[], scope: Scope): boolean {
  return held.includes(allApisScope) || held.includes(scope);
}
