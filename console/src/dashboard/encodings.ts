/** Reading of encodings: objects of which only what is understood is taken. */
import type { JsonObject, Rows } from '../api/dashboard-documents.ts';

export function toJsonObject(value: unknown): JsonObject {
  // A JSON object; nothing is taken for granted of its values.
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

/** A column that a widget shows. */
export interface ColumnEncoding {
  readonly field: string;
  readonly title: string;
  readonly encoding: JsonObject;
}

/** The one field of an encoding, or its several. */
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

/** The values of a column in the order of the rows; a column that is not there has none. */
export function columnValuesOf({ columns, rows }: Rows, field: string): unknown[] {
  const place = columns.findIndex(({ name }) => name === field);
  return place < 0 ? [] : rows.map((row) => row[place]);
}

/** A value as a number; undefined for what is none. */
export function toNumber(value: unknown): number | undefined {
  if (typeof value === 'number') return value;
  if (typeof value === 'boolean') return Number(value);
  const number = typeof value === 'string' && value.trim() !== '' ? Number(value) : Number.NaN;
  return Number.isFinite(number) ? number : undefined;
}

/** Each value once, in the order in which they come. */
export function distinct(values: readonly unknown[]): unknown[] {
  return [...new Set(values)];
}
