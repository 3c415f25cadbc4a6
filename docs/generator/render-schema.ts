/** Renders JSON schemas as tables of fields. */
import type { ApiDocument, Schema } from './api-document.ts';
import { code, escapeCell, renderTable } from './markdown.ts';

/** Returns the type of a value in a few words, with links to named schemas. */
export function describeType(schema: Schema): string {
  if (schema.$ref !== undefined) {
    const name = schemaNameOf(schema);
    return `[${name}](./schemas.md#${name.toLowerCase()})`;
  }
  if (schema.const !== undefined) return code(JSON.stringify(schema.const));
  if (schema.enum !== undefined) return schema.enum.map((value) => code(String(value))).join(', ');
  if (schema.anyOf !== undefined) return [...new Set(schema.anyOf.map(describeType))].join(' or ');
  if (schema.type === 'array') return `list of ${describeType(schema.items ?? {})}`;
  if (schema.type === 'object' && schema.properties === undefined) {
    const values = [schema.additionalProperties, ...Object.values(schema.patternProperties ?? {})];
    const value = values.find((candidate) => typeof candidate === 'object');
    return value === undefined ? 'object' : `map of ${describeType(value)}`;
  }
  return schema.type ?? 'any value';
}

/**
 * Returns the table of an object's fields; fields of anonymous objects follow with their path.
 * @param named the named schemas, for descriptions of fields that refer to them
 */
export function renderFields(schema: Schema, named: ApiDocument['components']['schemas']): string {
  const rows = listFieldRows(schema, '', named);
  return rows.length === 0 ? '' : renderTable(['Field', 'Type', 'Required', 'Description'], rows);
}

/** Returns the name of the schema that a reference names; '' for a schema without a reference. */
export function schemaNameOf({ $ref = '' }: Schema): string {
  return $ref.slice($ref.lastIndexOf('/') + 1);
}

function listFieldRows(
  schema: Schema,
  prefix: string,
  named: ApiDocument['components']['schemas'],
): string[][] {
  const required = new Set(schema.required ?? []);
  return Object.entries(schema.properties ?? {}).flatMap(([name, property]) => [
    [
      code(`${prefix}${name}`),
      describeType(property),
      required.has(name) ? 'yes' : '',
      escapeCell(property.description ?? named[schemaNameOf(property)]?.description ?? ''),
    ],
    ...listFieldRows(property, `${prefix}${name}.`, named),
    ...(property.items === undefined ? [] : listFieldRows(property.items, `${prefix}${name}[].`, named)),
  ]);
}
