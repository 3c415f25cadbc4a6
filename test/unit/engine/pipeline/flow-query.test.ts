/** Translation of the queries of flows, and of conditions, for DuckDB. */
import { describe, expect, test } from 'vitest';
import { parseCondition, parseFlowQuery } from '../../../../engine/pipeline/flow-query.ts';

describe('the query of a flow', () => {
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

  test.each(['dbfs:', '/dbfs', 'file:/dbfs'])('a stream of files returns the call of its reader', (root) => {
    const {
      streams: [stream],
    } = query(`SELECT * FROM STREAM read_files('${root}/in/*.json', format => 'json')`);
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
