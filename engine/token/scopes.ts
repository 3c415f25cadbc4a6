/** Scopes of tokens (spec 2.11, 5.6). Each operation requires one scope. */
import { invalid } from '../errors.ts';
import { checkMaxItems, quote } from '../validation/messages.ts';

/** Scope that permits every operation. */
export const allApisScope = 'all-apis';

/** Scope -> description. A token may have scopes for parts that this service does not provide. */
export const scopeDescriptions = {
  [allApisScope]: 'Permits everything that the owner of the token may do.',
  'access-management': 'Manages permissions on jobs and on the use of tokens.',
  audit: 'Reads the audit log.',
  authentication: 'Creates, changes and revokes tokens, with any scope.',
  clusters: 'Creates, resizes, terminates and reads clusters; reads nodes.',
  dashboards: 'Manages dashboards, including classic ones and their migration.',
  files: 'Reads and writes files of managed_fs.',
  jobs: 'Manages jobs and runs.',
  notifications: 'Manages notification destinations and deliveries.',
  pipelines: 'Manages pipelines.',
  scim: 'Manages users and service principals.',
  settings: 'Reads and changes the settings of the workspace.',
  sql: 'Manages queries and warehouses; no operation of this version requires it.',
  'unity-catalog': 'Manages catalogs; no operation of this version requires it.',
  workspace: 'Reads and writes notebooks and files of the workspace.',
} as const satisfies Readonly<Record<string, string>>;

/** Scope that an operation can require. */
export type Scope = Exclude<keyof typeof scopeDescriptions, typeof allApisScope>;

/**
 * Checks a list of scopes: at least one, each known, each once.
 * @param path path of the field, for the error message
 * @throws ServiceError INVALID_PARAMETER_VALUE that names the invalid scope
 */
export function checkScopes(path: string, wanted: readonly string[], maximum: number): void {
  if (wanted.length === 0) throw invalid(`${path} is empty; at least one scope is required.`);
  checkMaxItems(path, wanted, maximum);
  for (const [index, scope] of wanted.entries()) {
    if (!Object.hasOwn(scopeDescriptions, scope)) {
      throw invalid(
        `${path}[${index}] is ${quote(scope)}; it must be one of ${Object.keys(scopeDescriptions).join(', ')}.`,
      );
    }
  }
  const repeated = wanted.findIndex((scope, index) => wanted.indexOf(scope) < index);
  if (repeated >= 0)
    throw invalid(
      `${path}[${repeated}] is ${quote(wanted[repeated])}, which repeats an earlier entry; name each scope once.`,
    );
}

/** Tells whether the scopes of a token permit an operation (spec 5.6). */
export function permitsScope(held: readonly string[], scope: Scope): boolean {
  return held.includes(allApisScope) || held.includes(scope);
}
