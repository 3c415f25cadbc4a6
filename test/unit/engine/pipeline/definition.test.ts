/** Parsing of the SQL of pipelines: definitions, and errors with their location. */
import { array, assert, constantFrom, property } from 'fast-check';
import { describe, expect, test } from 'vitest';
import { checkNames } from '../../../../engine/pipeline/pipeline-graph.ts';
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
      '/p/a.py is a Python definition, which needs Spark; DuckDB runs definitions in SQL (.sql).',
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
