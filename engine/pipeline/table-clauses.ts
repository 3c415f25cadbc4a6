/** Parses the clauses of a table: columns, expectations, comment, properties and partitions. */
import { quote } from '../validation/messages.ts';
import type { TokenCursor } from './token-cursor.ts';
import type { DeclaredColumn, Expectation, TableDefinition, ViolationAction } from './definition.ts';
import { invalidAt } from './source-location.ts';

export type TableClauses = Pick<
  TableDefinition,
  'columns' | 'expectations' | 'comment' | 'properties' | 'partitionedBy' | 'format'
>;

/** Parses the columns, then the other clauses in any order. */
export function parseTableClauses(cursor: TokenCursor): TableClauses {
  const { columns, expectations } = cursor.acceptSymbol('(')
    ? parseColumns(cursor)
    : { columns: [], expectations: [] };
  let [comment, properties, partitionedBy]: [string | undefined, Record<string, string>, string[]] = [
    undefined,
    {},
    [],
  ];
  let format: string | undefined;
  for (;;) {
    if (cursor.accept('COMMENT')) comment = cursor.parseText('a comment in quotes');
    else if (cursor.accept('TBLPROPERTIES')) properties = parseProperties(cursor);
    else if (cursor.accept('PARTITIONED', 'BY') || cursor.accept('CLUSTER', 'BY'))
      partitionedBy = parseNames(cursor);
    else if (cursor.accept('USING')) format = cursor.parseName('a format').toLowerCase();
    else return { columns, expectations, comment, properties, partitionedBy, format };
  }
}

function parseColumns(cursor: TokenCursor): Pick<TableClauses, 'columns' | 'expectations'> {
  const columns: DeclaredColumn[] = [];
  const expectations: Expectation[] = [];
  do {
    const { location } = cursor;
    if (cursor.accept('CONSTRAINT')) expectations.push(parseExpectation(cursor));
    else columns.push(parseColumn(cursor, expectations));
    const [names, last] = [columns.map(({ name }) => name.toLowerCase()), expectations.at(-1)?.name];
    if (new Set(names).size < names.length)
      throw invalidAt(location, `the column ${quote(columns.at(-1)?.name)} is declared twice.`);
    if (expectations.filter(({ name }) => name === last).length > 1)
      throw invalidAt(location, `the constraint ${quote(last)} is declared twice.`);
  } while (cursor.acceptSymbol(','));
  cursor.expectSymbol(')');
  return { columns, expectations };
}

function parseColumn(cursor: TokenCursor, expectations: Expectation[]): DeclaredColumn {
  const { location } = cursor;
  const name = cursor.parseName('a column or CONSTRAINT');
  const next = cursor.peek();
  const isTyped = next?.kind === 'word' && !cursor.isNext('COMMENT') && !cursor.isNext('NOT', 'NULL');
  const type = isTyped ? parseType(cursor) : undefined;
  let comment: string | undefined;
  for (;;) {
    if (cursor.accept('COMMENT')) comment = cursor.parseText('a comment in quotes');
    else if (cursor.accept('NOT', 'NULL')) {
      const condition = { text: `\`${name.replaceAll('`', '``')}\` IS NOT NULL`, location };
      expectations.push({ name: `${name} is not null`, condition, onViolation: 'FAIL UPDATE' });
    } else return { name, type, comment };
  }
}

/** Name of a type -> name in DuckDB. Types of lists and structures are left to the query. */
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

function parseType(cursor: TokenCursor): string {
  const { location } = cursor;
  const written = cursor.parseName('a type').toUpperCase();
  if (!plainTypes.has(written))
    throw invalidAt(
      location,
      `${quote(written)} is not a type of a declared column; use one of ${[...plainTypes].join(', ')}, or leave the type out and cast in the query.`,
    );
  const size = cursor.peek()?.text === '(' ? `(${cursor.parseBracketed('the size of the type').text})` : '';
  if (!/^(\(\s*\d+\s*(,\s*\d+\s*)?\))?$/.test(size))
    throw invalidAt(location, `the size ${quote(size)} of the type is not a number.`);
  return (types[written] ?? written) + size;
}

function parseExpectation(cursor: TokenCursor): Expectation {
  const name = cursor.parseName('the name of the constraint');
  if (!cursor.accept('EXPECT')) throw cursor.unexpectedToken('EXPECT (other constraints are not supported)');
  const condition = cursor.parseBracketed('a condition');
  return {
    name,
    condition,
    onViolation: cursor.accept('ON', 'VIOLATION') ? parseViolationAction(cursor) : 'WARN',
  };
}

function parseViolationAction(cursor: TokenCursor): ViolationAction {
  if (cursor.accept('DROP', 'ROW')) return 'DROP ROW';
  if (cursor.accept('FAIL', 'UPDATE')) return 'FAIL UPDATE';
  throw cursor.unexpectedToken('DROP ROW or FAIL UPDATE');
}

function parseProperties(cursor: TokenCursor): Record<string, string> {
  const properties: Record<string, string> = {};
  cursor.expectSymbol('(');
  do {
    let key = cursor.peek()?.kind === 'text' ? cursor.parseText('a key') : cursor.parseName('a key');
    while (cursor.acceptSymbol('.')) key += `.${cursor.parseName('a key')}`;
    if (!cursor.acceptSymbol('=')) throw cursor.unexpectedToken('"="');
    properties[key] =
      cursor.peek()?.kind === 'text' ? cursor.parseText('a value') : (cursor.next()?.text ?? '');
  } while (cursor.acceptSymbol(','));
  cursor.expectSymbol(')');
  return properties;
}

function parseNames(cursor: TokenCursor): string[] {
  const names: string[] = [];
  cursor.expectSymbol('(');
  do names.push(cursor.parseName('a column'));
  while (cursor.acceptSymbol(','));
  cursor.expectSymbol(')');
  return names;
}
