/** Statements of SQL notebooks: splitting, parameters and files. */
import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { prepareSql } from '../../../../runners/notebook/node/sql-statement.ts';
import { splitStatements } from '../../../../engine/sql/statements.ts';
import { tokenize } from '../../../../engine/sql/tokenizer.ts';
import { parseWidgetStatement } from '../../../../runners/notebook/node/sql-widgets.ts';
import { createTemporaryDirectory } from '../test-context.ts';

function texts(sql: string): [number, string][] {
  return splitStatements(sql, 'duckdb').map(({ line, tokens }) => [
    line,
    tokens.map(({ text }) => text).join(''),
  ]);
}

function prepared(
  sql: string,
  parameters: Record<string, string> = {
    year: '2013',
    Year: '2014',
    file: 'dbfs:/in/a.csv',
    table: 'main.a "b"',
  },
  root = '/fs',
): [string, Record<string, string>] {
  const [statement] = splitStatements(sql, 'duckdb');
  if (statement === undefined) throw new Error('There is no statement.');
  const result = prepareSql(statement, parameters, root);
  return [result.sql, Object.fromEntries(result.values)];
}

test('statements end at semicolons outside of texts, names and comments', () => {
  expect(
    texts("SELECT ';', \";\", $$;$$, E'\\';' -- ;\n/* ; /* ; */ ; */;\n\n-- nothing\n;\nSELECT\n 2;"),
  ).toEqual([
    [1, "SELECT ';', \";\", $$;$$, E'\\';'"],
    [6, 'SELECT\n 2'],
  ]);
});

test('the tokens of a random text are the text', () => {
  const pieces = fc.constantFrom(
    "'",
    '"',
    '`',
    '$$',
    '$a$',
    ':',
    ':a',
    '::',
    '--',
    '/*',
    '*/',
    '\n',
    ';',
    '\\',
    'E',
    'x',
    '1',
    ' ',
    '[',
    ']',
  );
  fc.assert(
    fc.property(fc.array(pieces), (parts) => {
      expect(
        tokenize(parts.join(''), 'duckdb')
          .map(({ text }) => text)
          .join(''),
      ).toBe(parts.join(''));
    }),
  );
});

test.each<[string, string, string, Record<string, string>]>([
  ['a parameter is a prepared value', 'SELECT :year', 'SELECT $year', { year: '2013' }],
  ['a parameter that is used twice', 'SELECT :year, :year', 'SELECT $year, $year', { year: '2013' }],
  [
    'parameters whose names differ only in case',
    'SELECT :year, :Year',
    'SELECT $year, $year_2',
    { year: '2013', year_2: '2014' },
  ],
  [
    'texts, names and comments have no parameters',
    'SELECT \':year\', ":year", $$ :year $$ /* :year */, 1 -- :year',
    'SELECT \':year\', ":year", $$ :year $$ /* :year */, 1',
    {},
  ],
  [
    'casts, slices and structs have no parameters',
    "SELECT a::year, b[1:year], c[:year], {'k':year}",
    "SELECT a::year, b[1:year], c[:year], {'k':year}",
    {},
  ],
  ['a list has parameters', 'SELECT [:year, :year]', 'SELECT [$year, $year]', { year: '2013' }],
  ['names in backticks', 'SELECT `a "b` FROM `t`', 'SELECT "a ""b" FROM "t"', {}],
  [
    'a file of managed_fs',
    "SELECT * FROM read_csv('managed_fs:/in/a.csv', delim = ':')",
    "SELECT * FROM read_csv('/fs/in/a.csv', delim = ':')",
    {},
  ],
  [
    'files in a list',
    "FROM read_parquet(['managed_fs:/a', 'dbfs:/b/*.parquet'])",
    "FROM read_parquet(['/fs/a', '/fs/b/*.parquet'])",
    {},
  ],
  [
    'a file as a table',
    "SELECT * FROM 'dbfs:/a.csv' JOIN 'managed_fs:/it''s.csv' USING (id)",
    "SELECT * FROM '/fs/a.csv' JOIN '/fs/it''s.csv' USING (id)",
    {},
  ],
  [
    'a file named by its format',
    'SELECT * FROM csv.`dbfs:/a.csv`',
    "SELECT * FROM read_csv('/fs/a.csv')",
    {},
  ],
  [
    'a file that a parameter names',
    'SELECT :file, * FROM read_csv(:file)',
    'SELECT $file, * FROM read_csv($file_2)',
    { file: 'dbfs:/in/a.csv', file_2: '/fs/in/a.csv' },
  ],
  [
    'a name that a parameter gives',
    'SELECT * FROM IDENTIFIER( :table )',
    'SELECT * FROM "main"."a ""b"""',
    {},
  ],
  [
    'read_files by its format',
    "FROM read_files('dbfs:/a', header => true,\n format => 'csv', sep => ';')",
    "FROM read_csv('/fs/a', header => true\n, delim => ';')",
    {},
  ],
  [
    'read_files by the name of the file',
    "FROM read_files('managed_fs:/a.json.gz')",
    "FROM read_json('/fs/a.json.gz')",
    {},
  ],
  [
    'the same text as a value',
    "SELECT * FROM t WHERE path = 'managed_fs:/a' AND path IN ('dbfs:/b')",
    "SELECT * FROM t WHERE path = 'managed_fs:/a' AND path IN ('dbfs:/b')",
    {},
  ],
])('%s', (_, sql, expected, values) => {
  expect(prepared(sql)).toEqual([expected, values]);
});

test('a statement keeps its line, so that line numbers of DuckDB are those of the cell', () => {
  const [, second] = splitStatements('SELECT 1;\n\nSELECT\n:year', 'duckdb');
  expect(second && prepareSql(second, { year: '1' }, '/fs').sql).toBe('\n\nSELECT\n$year');
});

test('parent directories of a written file are created', async () => {
  const root = await createTemporaryDirectory();
  expect(prepared("COPY t TO 'managed_fs:/out/deep/a.csv'", {}, root)).toEqual([
    `COPY t TO '${root}/out/deep/a.csv'`,
    {},
  ]);
});

test.each<[string, string, string]>([
  [
    'a parameter that was not given',
    'SELECT :nope',
    'The statement has the parameter :nope, which the run was not given (it was given: Year, file, table, year).',
  ],
  ['an inherited property name', 'SELECT :constructor', 'The statement has the parameter :constructor'],
  [
    'an unsupported format',
    "FROM read_files('a.xls')",
    'read_files reads the format "xls"; it must be one of csv',
  ],
  [
    'a path outside of managed_fs',
    "SELECT * FROM 'managed_fs:/a/../../b'",
    'The path "managed_fs:/a/../../b" leads outside managed_fs.',
  ],
])('%s is refused', (_, sql, message) => {
  expect(() => prepared(sql)).toThrow(message);
});

test.each<[string, unknown]>([
  ["CREATE WIDGET TEXT year DEFAULT '2013'", { kind: 'create', name: 'year', value: '2013' }],
  [
    "create widget dropdown `my year` default 'it''s' choices select 1",
    { kind: 'create', name: 'my year', value: "it's" },
  ],
  ['REMOVE WIDGET year', { kind: 'remove', name: 'year' }],
  ['CREATE TABLE widget (a int)', undefined],
])('widgets: %s', (sql, expected) => {
  expect(parseWidgetStatement(tokenize(sql, 'duckdb'))).toEqual(expected);
});
