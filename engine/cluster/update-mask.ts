/** Partial updates of clusters: the fields that an update_mask names. */
import { invalid } from '../errors.ts';
import { isRecord, type JsonObject } from '../validation/json-object.ts';
import { quote } from '../validation/messages.ts';

/** Fields whose entries are named by users; a mask names them as a whole. */
const mapFields: ReadonlySet<string> = new Set(['spark_conf', 'spark_env_vars', 'custom_tags']);

/** Size fields of which a cluster has one. */
const sizeFields = ['num_workers', 'autoscale'];

/** Path of a field: its name, and the names of the fields inside it. */
export type MaskPath = readonly string[];

/**
 * Parses an update_mask of a cluster. Returns `'*'` for the whole description.
 * @param known names of the fields of a cluster
 * @throws ServiceError for an empty mask, an unknown field, and an entry of a map
 */
export function parseClusterMask(mask: string, known: readonly string[]): readonly MaskPath[] | '*' {
  if (mask.trim() === '*') return '*';
  return mask.split(',').map((text) => {
    const path = text.trim().split('.');
    const [field = ''] = path;
    if (!known.includes(field))
      throw invalid(
        `update_mask names ${quote(text.trim())}; it must name fields of cluster, separated by commas, or be "*".`,
      );
    if (path.length > 1 && mapFields.has(field))
      throw invalid(`update_mask names ${quote(text.trim())}, an entry of a map; name ${field} as a whole.`);
    return path;
  });
}

/**
 * Returns a description with the named fields of `changes`; a named field that `changes` does not have is removed.
 * A new size replaces the other kind of size.
 */
export function applyUpdateMask<Changes extends object>(
  current: JsonObject,
  changes: Changes,
  mask: readonly MaskPath[] | '*',
): Changes {
  if (mask === '*') return changes;
  let updated: JsonObject = current;
  for (const path of mask) updated = withField(updated, path, fieldAt(changes, path));
  const newSize = sizeFields.find((field) =>
    mask.some((path) => path[0] === field && updated[field] !== undefined),
  );
  if (newSize !== undefined) {
    const replaced = new Set(sizeFields.filter((field) => !mask.some((path) => path[0] === field)));
    updated = Object.fromEntries(Object.entries(updated).filter(([field]) => !replaced.has(field)));
  }
  // The stored description was validated as such a value, and so were the changes.
  return updated as Changes;
}

function fieldAt(value: unknown, path: MaskPath): unknown {
  const [name = '', ...rest] = path;
  const own = isRecord(value) && Object.hasOwn(value, name) ? value[name] : undefined;
  return rest.length === 0 ? own : fieldAt(own, rest);
}

function withField(object: JsonObject, [name = '', ...rest]: MaskPath, value: unknown): JsonObject {
  const { [name]: own, ...others } = object;
  const next = rest.length === 0 ? value : withField(isRecord(own) ? own : {}, rest, value);
  return next === undefined ? others : { ...others, [name]: next };
}
