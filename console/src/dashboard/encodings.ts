/** Readers of widget encodings; they ignore fields that they do not know. */
import type { JsonObject, Rows } from '../api/dashboard-documents.ts';

export function toJsonObject(value: unknown): JsonObject {
  // A JSON object; its values are unknown.
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as JsonObject) : {};
}

export function getObject(fields: JsonObject, key: string): JsonObject {
  return toJsonObject(fields[key]);
}

export function getList(fields: JsonObject, key: string): readonly JsonObject[] {
  const value = fields[key];
  return Array.isArray(value) ? value.map(toJsonObject) : [];
}

export function getText(fields: JsonObject, key: string): string | undefined {
  const value = fields[key];
  return typeof value === 'string' && value !== '' ? value : undefined;
}

export function getNumber(fields: JsonObject, key: string): number | undefined {
  const value = fields[key];
  return typeof value === 'number' ? value : undefined;
}

/** Column of a widget. */
export interface ColumnEncoding {
  readonly field: string;
  readonly title: string;
  readonly encoding: JsonObject;
}

/** Lists the field or the fields of an encoding. */
export function listColumnEncodings(encoding: JsonObject): ColumnEncoding[] {
  const several = getList(encoding, 'fields');
  return (several.length > 0 ? several : [encoding]).flatMap((entry) => {
    const field = getText(entry, 'fieldName');
    return field === undefined
      ? []
      : [
          {
            field,
            title: getText(entry, 'displayName') ?? getText(entry, 'title') ?? field,
            encoding: { ...encoding, ...entry },
          },
        ];
  });
}

/** Returns the values of a column by row; an unknown column has none. */
export function columnValuesOf({ columns, rows }: Rows, field: string): unknown[] {
  const index = columns.findIndex(({ name }) => name === field);
  return index < 0 ? [] : rows.map((row) => row[index]);
}

/** Converts a value to a number; undefined when it is not numeric. */
export function toNumber(value: unknown): number | undefined {
  if (typeof value === 'number') return value;
  if (typeof value === 'boolean') return Number(value);
  const number = typeof value === 'string' && value.trim() !== '' ? Number(value) : Number.NaN;
  return Number.isFinite(number) ? number : undefined;
}

/** Removes duplicates and keeps the order. */
export function distinct(values: readonly unknown[]): unknown[] {
  return [...new Set(values)];
}
