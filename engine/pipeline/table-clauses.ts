/**
 * What may stand between the name of a table and its query: columns, expectations, comment, properties,
 * partitions.
 */
import { quote } from '../validation/messages.ts';
import type { Cursor } from './cursor.ts';
import type { DeclaredColumn, Expectation, TableDefinition, Violation } from './definition.ts';
import { refusedAt } from './source-place.ts';

export type TableClauses = Pick<
  TableDefinition,
  'columns' | 'expectations' | 'comment' | 'properties' | 'partitionedBy'
>;

/** Reads them, in any order behind the bracket of columns, each at most once. */
export function readClauses(cursor: Cursor): TableClauses {
  const { columns, expectations } = cursor.takesSign('(')
    ? readColumns(cursor)
    : { columns: [], expectations: [] };
  let [comment, properties, partitionedBy]: [string | undefined, Record<string, string>, string[]] = [
    undefined,
    {},
    [],
  ];
  for (;;) {
    if (cursor.takes('COMMENT')) comment = cursor.text('a comment in quotes');
    else if (cursor.takes('TBLPROPERTIES')) properties = readProperties(cursor);
    else if (cursor.takes('PARTITIONED', 'BY') || cursor.takes('CLUSTER', 'BY'))
      partitionedBy = readNames(cursor);
    else if (cursor.takes('USING')) readFormat(cursor);
    else return { columns, expectations, comment, properties, partitionedBy };
  }
}

function readColumns(cursor: Cursor): Pick<TableClauses, 'columns' | 'expectations'> {
  const columns: DeclaredColumn[] = [];
  const expectations: Expectation[] = [];
  do {
    const { place } = cursor;
    if (cursor.takes('CONSTRAINT')) expectations.push(readExpectation(cursor));
    else columns.push(readColumn(cursor, expectations));
    const [names, last] = [columns.map(({ name }) => name.toLowerCase()), expectations.at(-1)?.name];
    if (new Set(names).size < names.length)
      throw refusedAt(place, `the column ${quote(columns.at(-1)?.name)} is declared twice.`);
    if (expectations.filter(({ name }) => name === last).length > 1)
      throw refusedAt(place, `the constraint ${quote(last)} stands here twice.`);
  } while (cursor.takesSign(','));
  cursor.expectsSign(')');
  return { columns, expectations };
}

function readColumn(cursor: Cursor, expectations: Expectation[]): DeclaredColumn {
  const { place } = cursor;
  const name = cursor.name('a column or CONSTRAINT');
  const next = cursor.peek();
  const isTyped = next?.kind === 'word' && !cursor.sees('COMMENT') && !cursor.sees('NOT', 'NULL');
  const type = isTyped ? readType(cursor) : undefined;
  let comment: string | undefined;
  for (;;) {
    if (cursor.takes('COMMENT')) comment = cursor.text('a comment in quotes');
    else if (cursor.takes('NOT', 'NULL')) {
      const condition = { text: `\`${name.replaceAll('`', '``')}\` IS NOT NULL`, place };
      expectations.push({ name: `${name} is not null`, condition, onViolation: 'FAIL UPDATE' });
    } else return { name, type, comment };
  }
}

/** Names of types that DuckDB calls otherwise; a type of a list or structure is left to the query. */
const types: Readonly<Record<string, string>> = {
  STRING: 'VARCHAR',
  LONG: 'BIGINT',
  BYTE: 'TINYINT',
  SHORT: 'SMALLINT',
  BINARY: 'BLOB',
  TIMESTAMP_NTZ: 'TIMESTAMP',
};
const plainTypes = new Set([
  ...Object.keys(types),
  'VARCHAR',
  'CHAR',
  'BIGINT',
  'INT',
  'INTEGER',
  'SMALLINT',
  'TINYINT',
  'DOUBLE',
  'FLOAT',
  'REAL',
  'DECIMAL',
  'NUMERIC',
  'DEC',
  'BOOLEAN',
  'DATE',
  'TIMESTAMP',
]);

function readType(cursor: Cursor): string {
  const { place } = cursor;
  const written = cursor.name('a type').toUpperCase();
  if (!plainTypes.has(written))
    throw refusedAt(
      place,
      `${quote(written)} is no type that a column can be declared with; use one of ${[...plainTypes].join(', ')}, or leave the type out and cast in the query.`,
    );
  const size = cursor.peek()?.text === '(' ? `(${cursor.bracketed('the size of the type').text})` : '';
  if (!/^(\(\s*\d+\s*(,\s*\d+\s*)?\))?$/.test(size))
    throw refusedAt(place, `the size ${quote(size)} of the type is no number.`);
  return (types[written] ?? written) + size;
}

function readExpectation(cursor: Cursor): Expectation {
  const name = cursor.name('the name of the constraint');
  if (!cursor.takes('EXPECT')) throw cursor.refusal('EXPECT (other constraints are not known here)');
  const condition = cursor.bracketed('a condition');
  return { name, condition, onViolation: cursor.takes('ON', 'VIOLATION') ? readViolation(cursor) : 'WARN' };
}

function readViolation(cursor: Cursor): Violation {
  if (cursor.takes('DROP', 'ROW')) return 'DROP ROW';
  if (cursor.takes('FAIL', 'UPDATE')) return 'FAIL UPDATE';
  throw cursor.refusal('DROP ROW or FAIL UPDATE');
}

function readProperties(cursor: Cursor): Record<string, string> {
  const properties: Record<string, string> = {};
  cursor.expectsSign('(');
  do {
    let key = cursor.peek()?.kind === 'text' ? cursor.text('a key') : cursor.name('a key');
    while (cursor.takesSign('.')) key += `.${cursor.name('a key')}`;
    if (!cursor.takesSign('=')) throw cursor.refusal('"="');
    properties[key] = cursor.peek()?.kind === 'text' ? cursor.text('a value') : (cursor.take()?.text ?? '');
  } while (cursor.takesSign(','));
  cursor.expectsSign(')');
  return properties;
}

function readNames(cursor: Cursor): string[] {
  const names: string[] = [];
  cursor.expectsSign('(');
  do names.push(cursor.name('a column'));
  while (cursor.takesSign(','));
  cursor.expectsSign(')');
  return names;
}

function readFormat(cursor: Cursor): void {
  const { place } = cursor;
  const format = cursor.name('a format');
  if (format.toUpperCase() !== 'PARQUET')
    throw refusedAt(place, `tables are written as PARQUET; USING ${format} is not known here.`);
}
