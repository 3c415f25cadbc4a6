/** The small schemas that every document of the service shares: ids, 32-bit integers, maps of text, keys. */
import { Type } from 'typebox';

/** Largest value of the spec's INT32. */
const int32Max = 2_147_483_647;

/** Any id of the service: never below 0, never above 2^53 - 1, where JSON numbers stop being exact. */
export const Id = Type.Integer({ minimum: 0, maximum: Number.MAX_SAFE_INTEGER });

/** An INT32 of at least `minimum`. */
export function int32(minimum: number, description: string) {
  return Type.Integer({ minimum, maximum: int32Max, description });
}

/** An instant in epoch milliseconds, exact as a JSON number. */
export function epochMillis(description: string) {
  return Type.Integer({ minimum: Number.MIN_SAFE_INTEGER, maximum: Number.MAX_SAFE_INTEGER, description });
}

/**
 * A map from STRING to STRING. Written with additionalProperties, because a pattern would let keys with a
 * line break pass unchecked.
 */
export function stringMap(description: string) {
  return Type.Unsafe<Record<string, string>>({
    type: 'object',
    additionalProperties: { type: 'string' },
    description,
  });
}

/**
 * A task_key or job_cluster_key: it appears in paths, file names and `fields_to_remove`, so it is kept plain.
 */
export function entityKey(description: string) {
  return Type.String({ pattern: '^[A-Za-z0-9_-]{1,100}$', description });
}

/** A list of STRING. */
export function stringList(description: string) {
  return Type.Array(Type.String(), { description });
}
