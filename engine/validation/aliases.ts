/**
 * The only place that knows the vendor's spellings of the neutral words: keys, URI schemes, paths and
 * headers.
 */
import type { TProperties } from 'typebox';

/**
 * Neutral key -> other spellings. They are accepted with the same meaning, and stored and shown as they were
 * written.
 */
const keyAliases = {
  managed_fs: ['dbfs'],
  objstore: ['gcs', 's3', 'abfss'],
  cloud_attributes: ['gcp_attributes'],
  cloud_service_account: ['google_service_account'],
  /** The spec's "second cluster-attribute object" has no neutral name there; this one is ours. */
  placement_attributes: ['aws_attributes', 'azure_attributes'],
  operator: ['op'],
} as const satisfies Record<string, readonly string[]>;

export type AliasedKey = keyof typeof keyAliases;

/** Scheme on the wire -> neutral scheme. */
export const uriSchemes = [
  ['dbfs:', 'managed_fs:'],
  ['gs://', 'objstore://'],
  ['s3://', 'objstore://'],
  ['abfss://', 'objstore://'],
] as const;

/** Path segment below `/api/2.x/` of the dashboards resource -> its neutral segment. */
export const dashboardPathAlias = { lakeview: 'modern' } as const;

/** Path segment below `/api/2.x/` of the file calls -> its neutral segment. */
export const filePathAlias = { dbfs: 'managed_fs' } as const;

/** The neutral spelling of a path below `/api/2.x`. */
export function canonicalPath(path: string): string {
  const alias = Object.entries({ ...filePathAlias, ...dashboardPathAlias }).find(([spelled]) =>
    path.startsWith(`/${spelled}/`),
  );
  return alias === undefined ? path : `/${alias[1]}${path.slice(alias[0].length + 1)}`;
}

/** Suffix of a dashboard file in the workspace. */
export const dashboardFileSuffix = '.lvdash.json';

/** Response header that carries the workspace id; clients send it back under either name. */
export const workspaceHeaders = {
  answered: 'X-Databricks-Org-Id',
  sent: ['X-Databricks-Org-Id', 'X-Databricks-Workspace-Id'],
} as const;

/**
 * Name of the variable in an exported notebook page in which extraction scripts look for the notebook's
 * model.
 */
export const notebookModelName = '__DATABRICKS_NOTEBOOK_MODEL';

/** The path that clients probe before their first call. */
export const probePath = '/.well-known/databricks-config';

function isAliased(key: string): key is AliasedKey {
  return Object.hasOwn(keyAliases, key);
}

/** All spellings of a neutral key, the neutral one first. */
export function spellingsOf(key: AliasedKey): readonly string[] {
  return [key, ...keyAliases[key]];
}

/**
 * Adds the alias keys to the properties of an object schema, each with the schema of its neutral key. Keys
 * with an alias must be optional: which of the spellings is needed is a rule of the check, not of the schema.
 */
export function withAliases<P extends TProperties>(properties: P): P {
  const aliases = Object.entries(properties).flatMap(([key, schema]) =>
    isAliased(key) ? keyAliases[key].map((alias) => [alias, schema] as const) : [],
  );
  return { ...properties, ...Object.fromEntries(aliases) };
}

/** The spelling under which an object carries a neutral key, or undefined when it carries none. */
export function spellingIn(object: object, key: AliasedKey): string | undefined {
  return spellingsOf(key).find((spelling) => Object.hasOwn(object, spelling));
}

/** Reads the value of a neutral key under whichever spelling it was written. */
export function readAliased<K extends AliasedKey, O extends { readonly [key in K]?: unknown }>(
  object: O,
  key: K,
): O[K] | undefined {
  const spelling = spellingIn(object, key);
  // An alias key has the schema of its neutral key (withAliases), hence the same type.
  return spelling === undefined ? undefined : (object as Readonly<Record<string, O[K]>>)[spelling];
}

/** A copy of an object in which every aliased key stands under its neutral name (not in nested objects). */
export function canonicalKeys(object: object): Record<string, unknown> {
  return Object.fromEntries(Object.entries(object).map(([key, value]) => [canonicalKey(key), value]));
}

function canonicalKey(key: string): string {
  const found = Object.entries(keyAliases).find(([, aliases]) => aliases.some((alias) => alias === key));
  return found === undefined ? key : found[0];
}

/**
 * `managed_fs:/x` or `objstore://bucket/x` for a URI in any known spelling; everything else comes back
 * unchanged.
 */
export function canonicalUri(uri: string): string {
  const scheme = uriSchemes.find(([spelled]) => uri.startsWith(spelled));
  return scheme === undefined ? uri : scheme[1] + uri.slice(scheme[0].length);
}
