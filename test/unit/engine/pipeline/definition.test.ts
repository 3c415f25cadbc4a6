/** Parsing of the SQL of pipelines: definitions, and errors with their location. */
import { array, assert, constantFrom, property } from 'fast-check';
import { describe, expect, test } from 'vitest';
import { checkNames } from '../../../../engine/pipeline/pipeline-graph.ts';
import { parseCondition, parseFlowQuery } from '../../../../engine/pipeline/flow-query.ts';
import { parseDefinition } from '../../../../engine/pipeline/parse-definition.ts';
import { tokenize } from '../../../../engine/sql/tokenizer.ts';

const read = (text: string, configuration = {}) =>
  parseDefinition([{ path: '/p/a.sql', text }], configuration);

test('a table with all clauses is parsed', () => {
  const {
    tables: [table],
    flows,
  } = read(`/* a; comment */ create or refresh streaming table if not exists main.prod.\`orders\` (
    id BIGINT NOT NULL COMMENT 'it''s', name STRING, note, CONSTRAINT paid EXPECT (amount > (0)) ON VIOLATION DROP ROW, CONSTRAINT odd EXPECT (id % 2 = 1)
  ) USING parquet COMMENT "all; orders" TBLPROPERTIES ('quality' = 'bronze', team.name = x) PARTITIONED BY (name) AS SELECT ';' AS note FROM STREAM t -- end`);
  expect(table).toMatchObject({
    kind: 'STREAMING_TABLE',
    name: 'orders',
    comment: 'all; orders',
    properties: { quality: 'bronze', 'team.name': 'x' },
    partitionedBy: ['name'],
    columns: [
      { name: 'id', type: 'BIGINT', comment: "it's" },
      { name: 'name', type: 'VARCHAR' },
      { name: 'note', type: undefined },
    ],
    expectations: [
      { name: 'id is not null', onViolation: 'FAIL UPDATE' },
      { name: 'paid', condition: { text: 'amount > (0)' }, onViolation: 'DROP ROW' },
      { name: 'odd', condition: { text: 'id % 2 = 1' }, onViolation: 'WARN' },
    ],
  });
  expect(flows).toMatchObject([
    { name: 'orders', target: 'orders', byName: true, query: { text: "SELECT ';' AS note FROM STREAM t" } },
  ]);
});

test('views and flows are parsed', () => {
  const { views, flows } = read(`CREATE STREAMING TABLE t; CREATE TEMPORARY VIEW v COMMENT 'x' AS SELECT 1;
    CREATE FLOW f AS INSERT INTO t BY NAME SELECT * FROM STREAM v; CREATE FLOW g AS INSERT INTO t SELECT * FROM STREAM(v)`);
  expect(views).toMatchObject([{ name: 'v', query: { text: 'SELECT 1' } }]);
  expect(flows.map(({ name, target, byName }) => [name, target, byName])).toEqual([
    ['f', 't', true],
    ['g', 't', false],
  ]);
});

test('configuration keys are replaced by their values', () => {
  expect(
    read("CREATE MATERIALIZED VIEW v AS SELECT '${ day }' AS d", { day: 'monday' }).flows[0]?.query.text,
  ).toBe("SELECT 'monday' AS d");
  expect(() => read('CREATE MATERIALIZED VIEW v AS\nSELECT ${x}')).toThrow(
    '/p/a.sql, line 2, column 8: ${x} names "x", which the configuration of the pipeline does not have.',
  );
});

const create =
  'CREATE MATERIALIZED VIEW, CREATE STREAMING TABLE, CREATE TEMPORARY VIEW or CREATE FLOW was expected';
describe('an invalid definition is rejected with its location', () => {
  test.each([
    ['', 'The pipeline has no table: its files (/p/a.sql) create none.'],
    ['SELECT 1', `/p/a.sql, line 1, column 1: ${create}, but "SELECT" was found.`],
    [
      '\n  CREATE TABLE t',
      '/p/a.sql, line 2, column 10: MATERIALIZED VIEW, STREAMING TABLE, TEMPORARY VIEW or FLOW was expected, but "TABLE" was found.',
    ],
    [
      'CREATE LIVE TABLE t',
      '/p/a.sql, line 1, column 8: MATERIALIZED VIEW or STREAMING TABLE (the older spelling with LIVE is not supported) was expected, but "LIVE" was found.',
    ],
    [
      'CREATE MATERIALIZED VIEW t',
      '/p/a.sql, line 1, column 27: AS and a query was expected, but the statement ends.',
    ],
    [
      'CREATE MATERIALIZED VIEW t AS',
      '/p/a.sql, line 1, column 30: a query was expected, but the statement ends.',
    ],
    [
      'CREATE MATERIALIZED VIEW t SCHEDULE EVERY 1 HOUR AS SELECT 1',
      '/p/a.sql, line 1, column 28: AS and a query was expected, but "SCHEDULE" was found.',
    ],
    [
      'CREATE MATERIALIZED VIEW `a-b` AS SELECT 1',
      '/p/a.sql, line 1, column 26: the name "a-b" must have at most 100 letters, digits and underscores, and must not start with a digit.',
    ],
    [
      'CREATE STREAMING TABLE t (CONSTRAINT c CHECK (x > 1))',
      '/p/a.sql, line 1, column 40: EXPECT (other constraints are not supported) was expected, but "CHECK" was found.',
    ],
    [
      'CREATE STREAMING TABLE t (CONSTRAINT c EXPECT (x > 1) ON VIOLATION IGNORE)',
      '/p/a.sql, line 1, column 68: DROP ROW or FAIL UPDATE was expected, but "IGNORE" was found.',
    ],
    [
      'CREATE STREAMING TABLE t (CONSTRAINT c EXPECT (x > 1)',
      '/p/a.sql, line 1, column 54: ")" was expected, but the statement ends.',
    ],
    [
      'CREATE STREAMING TABLE t (CONSTRAINT c EXPECT (x',
      '/p/a.sql, line 1, column 49: ")" was expected, but the statement ends.',
    ],
    [
      'CREATE STREAMING TABLE t (CONSTRAINT c EXPECT ())',
      '/p/a.sql, line 1, column 48: a condition was expected, but ")" was found.',
    ],
    [
      'CREATE STREAMING TABLE t (CONSTRAINT c EXPECT (a), CONSTRAINT c EXPECT (b))',
      '/p/a.sql, line 1, column 52: the constraint "c" is declared twice.',
    ],
    [
      'CREATE STREAMING TABLE t (a INT, A INT)',
      '/p/a.sql, line 1, column 34: the column "A" is declared twice.',
    ],
    [
      'CREATE STREAMING TABLE t (a ARRAY<INT>)',
      /^\/p\/a\.sql, line 1, column 29: "ARRAY" is not a type of a declared column/,
    ],
    [
      'CREATE STREAMING TABLE t USING delta',
      '/p/a.sql, line 1, column 32: tables are written as PARQUET; USING delta is not supported.',
    ],
    [
      'CREATE TEMPORARY VIEW v (CONSTRAINT c EXPECT (x)) AS SELECT 1',
      '/p/a.sql, line 1, column 25: a temporary view has no columns or constraints of its own; give v those of its query.',
    ],
    [
      'CREATE FLOW f AS AUTO CDC INTO t',
      '/p/a.sql, line 1, column 18: INSERT INTO (other flows are not supported) was expected, but "AUTO" was found.',
    ],
    [
      'CREATE FLOW f AS INSERT INTO ONCE t SELECT 1',
      '/p/a.sql, line 1, column 30: INSERT INTO ONCE is not supported; every flow is incremental.',
    ],
  ])('%s', (text, message) => {
    expect(() => read(text)).toThrow(message);
  });

  test('a definition in Python is rejected', () => {
    expect(() => parseDefinition([{ path: '/p/a.py', text: '' }], {})).toThrow(
      '/p/a.py is a Python definition, which needs pyspark; Runyard runs definitions in SQL (.sql).',
    );
  });

  const names = (text: string, other = '') =>
    checkNames(
      parseDefinition(
        [
          { path: '/p/a.sql', text },
          { path: '/p/b.sql', text: other },
        ],
        {},
      ),
    );
  const view = (name: string): string => `CREATE MATERIALIZED VIEW ${name} AS SELECT 1;`;
  test.each([
    [
      'a dataset that two files define',
      view('a'),
      view('A'),
      '/p/b.sql, line 1, column 1: the dataset A is defined twice; the other definition is in /p/a.sql, line 1, column 1.',
    ],
    [
      'two flows with the same name',
      `CREATE STREAMING TABLE t AS SELECT 1; CREATE FLOW T AS INSERT INTO t SELECT 2`,
      '',
      '/p/a.sql, line 1, column 39: the flow T is defined twice; the other definition is in /p/a.sql, line 1, column 1.',
    ],
    [
      'a flow into a materialized view',
      `${view('m')} CREATE FLOW f AS INSERT INTO m SELECT 2`,
      '',
      /^\/p\/a\.sql, line 1, column \d+: the flow f writes into m, which is a materialized view; flows go into streaming tables\.$/,
    ],
    [
      'a flow into an unknown table',
      `${view('sales')} CREATE FLOW f AS INSERT INTO sale SELECT 2`,
      '',
      /the flow f writes into sale, which is not a table of this pipeline; did you mean sales\?$/,
    ],
    [
      'a streaming table without a flow',
      'CREATE STREAMING TABLE t',
      '',
      /^\/p\/a\.sql, line 1, column 1: no flow writes into the streaming table t/,
    ],
  ])('%s', (_name, text, other, message) => {
    expect(() => names(text, other)).toThrow(message);
  });
});

describe('queries', () => {
  const naming = { datasets: new Set(['t', 'v']), catalog: 'main', schema: 'prod' };
  const query = (text: string) =>
    parseFlowQuery('f', { text, location: { file: { path: '/p/a.sql', text }, offset: 0 } }, naming);
  const sql = (text: string): string =>
    query(text).sql((uri) => [`/data/${uri.split('/').at(-1) ?? ''}`, '/data/2']);

  test.each([
    ['SELECT * FROM STREAM t', 'SELECT * FROM "~stream"."t"'],
    [
      'SELECT * FROM stream(prod.t) AS x JOIN v ON x.id = v.id',
      'SELECT * FROM "~stream"."t" AS x JOIN v ON x.id = v.id',
    ],
    ['SELECT * FROM v, STREAM t', 'SELECT * FROM v, "~stream"."t"'],
    ['SELECT a, stream FROM stream WHERE stream > 1', 'SELECT a, stream FROM stream WHERE stream > 1'],
    ['SELECT t.a FROM LIVE.t JOIN main.prod.v USING (a)', 'SELECT t.a FROM t JOIN v USING (a)'],
    [
      'SELECT id, range(3) AS r FROM range(10), range(2) b',
      'SELECT id, range(3) AS r FROM (SELECT range AS id FROM range(10 )), (SELECT range AS id FROM range(2 )) b',
    ],
    [
      "SELECT * FROM read_files('managed_fs:/in/a.csv', format => 'csv', header => true)",
      "SELECT * FROM read_csv(['/data/a.csv', '/data/2'], header = true)",
    ],
    [
      "SELECT * FROM read_parquet(['managed_fs:/a.p', 'objstore://b/c.p'])",
      "SELECT * FROM read_parquet(['/data/a.p', '/data/2', '/data/c.p', '/data/2'])",
    ],
    [
      "SELECT 'managed_fs:/x' AS u, \"it's\" AS w, `a b` FROM t",
      "SELECT 'managed_fs:/x' AS u, 'it''s' AS w, \"a b\" FROM t",
    ],
  ])('%s', (text, expected) => {
    expect(sql(text)).toBe(expected);
  });

  test('a stream of files returns the call of its reader', () => {
    const {
      streams: [stream],
    } = query("SELECT * FROM STREAM read_files('dbfs:/in/*.json', format => 'json')");
    expect(stream).toMatchObject({ kind: 'files', uri: 'managed_fs:/in/*.json' });
    expect(stream?.kind === 'files' && stream.reader(['/a', "/b'c"])).toBe(
      "read_json(['/a', '/b''c'] , union_by_name = true)",
    );
  });

  test.each([
    ['SELECT * FROM STREAM(SELECT 1)', /line 1, column 15: STREAM takes a table or read_files/],
    [
      "SELECT * FROM STREAM read_files('/etc/passwd', format => 'csv')",
      /line 1, column 15: STREAM read_files reads one file or pattern of managed_fs or objstore/,
    ],
    [
      "SELECT * FROM 'managed_fs:/a.csv'",
      /line 1, column 15: a file is read with read_files\('managed_fs:\/a\.csv'\), not by its bare name\./,
    ],
    ['SELECT 1; SELECT 2', /line 1, column 1: The query has more than one statement/],
    ['DELETE FROM t', /line 1, column 1: The query begins with "DELETE"; only a SELECT is run\./],
    ["SELECT getenv('HOME')", /line 1, column 1: The query uses getenv, which is not allowed here\./],
  ])('%s is refused', (text, message) => {
    expect(() => query(text)).toThrow(message);
  });

  test('a condition is translated for DuckDB', () => {
    const text = 'size(tags) <=> 2 AND note <> "x"';
    expect(parseCondition({ text, location: { file: { path: '/p', text }, offset: 0 } })).toBe(
      "size(tags)  IS NOT DISTINCT FROM  2 AND note <> 'x'",
    );
  });
});

test('a random file is parsed or rejected with a message', () => {
  const words = [
    'CREATE',
    'STREAMING',
    'TABLE',
    'MATERIALIZED',
    'VIEW',
    'FLOW',
    'AS',
    'INSERT',
    'INTO',
    't',
    '(',
    ')',
    ',',
    ';',
    "'a",
    '`',
    'CONSTRAINT',
    'EXPECT',
    'SELECT',
    'STREAM',
    '1',
    '--',
    '/*',
    '\n',
  ];
  assert(
    property(array(constantFrom(...words), { maxLength: 30 }), (parts) => {
      const text = parts.join(' ');
      expect(
        tokenize(text)
          .map((token) => token.text)
          .join(''),
      ).toBe(text);
      try {
        read(text);
      } catch (error) {
        expect(String(error)).toMatch(
          /^ServiceError: (\/p\/a\.sql, line \d+, column \d+: |The pipeline has no table)/,
        );
      }
    }),
  );
});
