/**
 * Deprecated aliases: the only module that knows vendor spellings of keys, URI schemes, paths and headers.
 */
import type { TProperties } from 'typebox';

/** Canonical key -> aliases. They are accepted with the same meaning, and stored and shown as written. */
const keyAliases = {
  managed_fs: ['dbfs', 'volumes'],
  objstore: ['gcs', 's3', 'abfss'],
  cloud_attributes: ['gcp_attributes'],
  cloud_service_account: ['google_service_account'],
  /** The specification has no name for the "second cluster-attribute object". */
  placement_attributes: ['aws_attributes', 'azure_attributes'],
  operator: ['op'],
} as const satisfies Record<string, readonly string[]>;

export type AliasedKey = keyof typeof keyAliases;

const canonicalKeys: ReadonlyMap<string, string> = new Map(
  Object.entries(keyAliases).flatMap(([key, aliases]) => aliases.map((alias) => [alias, key] as const)),
);

/** Scheme on the wire -> canonical scheme. */
export const uriSchemes = [
  ['dbfs:', 'managed_fs:'],
  ['gs://', 'objstore://'],
  ['s3://', 'objstore://'],
  ['abfss://', 'objstore://'],
] as const;

/** Top-level name that a path of managed_fs may carry and that means managed_fs itself: `/dbfs/x` is `/x`. */
export const managedFsMountName = 'dbfs';

/**
 * Absolute paths at which programs find directories of managed_fs, each with its path in managed_fs. Paths
 * below them are accepted as spellings of `managed_fs:/…`.
 */
export const mountPoints = [
  { path: `/${managedFsMountName}`, folder: '' },
  { path: '/Volumes', folder: '/Volumes' },
] as const;

/** The mount name at the start of a canonical URI, once or more, with the slashes after it. */
const managedFsMountPrefix = new RegExp(`^managed_fs:(?:/+${managedFsMountName}(?=/|$))+/*`);

/** Alias of the path segment of the dashboards resource below `/api/2.x/` -> canonical segment. */
export const dashboardPathAlias = { lakeview: 'modern' } as const;

/** Alias of the path segment of the file operations below `/api/2.x/` -> canonical segment. */
export const filePathAlias = { dbfs: 'managed_fs' } as const;

/** Returns the canonical spelling of a path below `/api/2.x`. */
export function canonicalPath(path: string): string {
  const alias = Object.entries({ ...filePathAlias, ...dashboardPathAlias }).find(([spelled]) =>
    path.startsWith(`/${spelled}/`),
  );
  return alias === undefined ? path : `/${alias[1]}${path.slice(alias[0].length + 1)}`;
}

/** Suffix of a dashboard file in the workspace. */
export const dashboardFileSuffix = '.lvdash.json';

/** Header with the workspace id. Clients send it back under either name. */
export const workspaceHeaders = {
  answered: 'X-Databricks-Org-Id',
  sent: ['X-Databricks-Org-Id', 'X-Databricks-Workspace-Id'],
} as const;

/** Variable of an exported notebook page that extraction scripts read the notebook model from. */
export const notebookModelName = '__DATABRICKS_NOTEBOOK_MODEL';

/** Type of a cluster event of other services; clients may filter by it. */
export const storageDownEvent = 'DBFS_DOWN';

/** Path that clients probe before their first request. */
export const probePath = '/.well-known/databricks-config';

function isAliased(key: string): key is AliasedKey {
  return Object.hasOwn(keyAliases, key);
}

/** Lists all spellings of a canonical key, the canonical one first. */
export function spellingsOf(key: AliasedKey): readonly string[] {
  return [key, ...keyAliases[key]];
}

/**
 * Adds the aliases to the properties of an object schema, each with the schema of its canonical key. Keys
 * with an alias must be optional: validation, not the schema, requires one of the spellings.
 */
export function withAliases<P extends TProperties>(properties: P): P {
  const aliases = Object.entries(properties).flatMap(([key, schema]) =>
    isAliased(key) ? keyAliases[key].map((alias) => [alias, schema] as const) : [],
  );
  return { ...properties, ...Object.fromEntries(aliases) };
}

/** Returns the spelling under which an object has a canonical key; undefined when it has none. */
export function spellingIn(object: object, key: AliasedKey): string | undefined {
  return spellingsOf(key).find((spelling) => Object.hasOwn(object, spelling));
}

/** Returns the canonical key of a spelling; every other name unchanged. */
export function canonicalKeyOf(spelling: string): string {
  return canonicalKeys.get(spelling) ?? spelling;
}

/** Reads the value of a canonical key under any of its spellings. */
export function readAliased<K extends AliasedKey, O extends { readonly [key in K]?: unknown }>(
  object: O,
  key: K,
): O[K] | undefined {
  const spelling = spellingIn(object, key);
  // An alias has the schema of its canonical key (withAliases), hence the same type.
  return spelling === undefined ? undefined : (object as Readonly<Record<string, O[K]>>)[spelling];
}

/**
 * Returns `managed_fs:/x` or `objstore://bucket/x` for a URI in any spelling, also for a path below a mount
 * point; other texts stay unchanged.
 */
export function canonicalUri(uri: string): string {
  const mounted = mountedPath(uri.replace(/^file:\/*/, '/'));
  const [spelled, canonical] = uriSchemes.find(([one]) => uri.startsWith(one)) ?? ['', ''];
  const full = mounted === undefined ? canonical + uri.slice(spelled.length) : `managed_fs:${mounted}`;
  return full.replace(managedFsMountPrefix, 'managed_fs:/');
}

/** Returns the path in managed_fs of a path at or below a mount point; undefined for other paths. */
export function mountedPath(path: string): string | undefined {
  const point = mountPoints.find((one) => path === one.path || path.startsWith(`${one.path}/`));
  if (point === undefined) return undefined;
  const inside = point.folder + path.slice(point.path.length);
  return inside === '' ? '/' : inside;
}
