/** JSON objects of unknown shape. */

export type JsonObject = Readonly<Record<string, unknown>>;

/** Tells whether a value is a JSON object: neither null nor an array. */
export function isRecord(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
