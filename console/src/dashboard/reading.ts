/** Reading of encodings: objects of which only what is understood is taken. */
import type { Fields, Rows } from '../api/dashboard-documents.ts';

export function fieldsOf(value: unknown): Fields {
  // A JSON object; nothing is taken for granted of its values.
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Fields) : {};
}

export function fieldsIn(fields: Fields, key: string): Fields {
  return fieldsOf(fields[key]);
}

export function listIn(fields: Fields, key: string): readonly Fields[] {
  const value = fields[key];
  return Array.isArray(value) ? value.map(fieldsOf) : [];
}

export function textIn(fields: Fields, key: string): string | undefined {
  const value = fields[key];
  return typeof value === 'string' && value !== '' ? value : undefined;
}

export function numberIn(fields: Fields, key: string): number | undefined {
  const value = fields[key];
  return typeof value === 'number' ? value : undefined;
}

/** A column that a widget shows. */
export interface Shown {
  readonly field: string;
  readonly title: string;
  readonly encoding: Fields;
}

/** The one field of an encoding, or its several. */
export function shownIn(encoding: Fields): Shown[] {
  const several = listIn(encoding, 'fields');
  return (several.length > 0 ? several : [encoding]).flatMap((entry) => {
    const field = textIn(entry, 'fieldName');
    return field === undefined
      ? []
      : [
          {
            field,
            title: textIn(entry, 'displayName') ?? textIn(entry, 'title') ?? field,
            encoding: { ...encoding, ...entry },
          },
        ];
  });
}

/** The values of a column in the order of the rows; a column that is not there has none. */
export function valuesOf({ columns, rows }: Rows, field: string): unknown[] {
  const place = columns.findIndex(({ name }) => name === field);
  return place < 0 ? [] : rows.map((row) => row[place]);
}

/** A value as a number; undefined for what is none. */
export function numberOf(value: unknown): number | undefined {
  if (typeof value === 'number') return value;
  if (typeof value === 'boolean') return Number(value);
  const number = typeof value === 'string' && value.trim() !== '' ? Number(value) : Number.NaN;
  return Number.isFinite(number) ? number : undefined;
}

/** Each value once, in the order in which they come. */
export function distinct(values: readonly unknown[]): unknown[] {
  return [...new Set(values)];
}
