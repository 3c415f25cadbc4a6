/** Schemas shared by all documents: ids, 32-bit integers, string maps and keys. */
import { Type } from 'typebox';

/** Maximum of INT32. */
const int32Max = 2_147_483_647;

/** Id from 0 to 2^53 - 1; greater JSON numbers are inexact. */
export const Id = Type.Integer({ minimum: 0, maximum: Number.MAX_SAFE_INTEGER });

/** Schema of an INT32 of at least `minimum`. */
export function int32(minimum: number, description: string) {
  return Type.Integer({ minimum, maximum: int32Max, description });
}

/** Schema of an instant in epoch ms, exact as a JSON number. */
export function epochMillis(description: string) {
  return Type.Integer({ minimum: Number.MIN_SAFE_INTEGER, maximum: Number.MAX_SAFE_INTEGER, description });
}

/**
 * Schema of a map from STRING to STRING. It uses additionalProperties because a pattern does not match keys
 * with a line break, whose values would stay unchecked.
 */
export function stringMap(description: string) {
  return Type.Unsafe<Record<string, string>>({
    type: 'object',
    additionalProperties: { type: 'string' },
    description,
  });
}

/** Keyword of a string schema: numbers and booleans in requests are converted to their JSON text. */
export const acceptsScalars = 'x-accepts-scalars';

/** Schema of a map from STRING to STRING whose values may be written as numbers and booleans. */
export function scalarMap(description: string) {
  return Type.Unsafe<Record<string, string>>({
    type: 'object',
    additionalProperties: { type: 'string', [acceptsScalars]: true },
    description: `${description} Numbers and booleans are stored as text.`,
  });
}

/** Schema of a task_key or job_cluster_key, which appears in paths, file names and `fields_to_remove`. */
export function entityKey(description: string) {
  return Type.String({ pattern: '^[A-Za-z0-9_-]{1,100}$', description });
}

/** Schema of a list of STRING. */
export function stringList(description: string) {
  return Type.Array(Type.String(), { description });
}
