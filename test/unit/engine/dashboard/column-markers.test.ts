/** Markers of a query that may name a column: names where a value makes no sense, warnings where both do. */
import { describe, expect, test } from 'vitest';
import type { QueryParameter } from '../../../../engine/dashboard/query-markers.ts';
import { rewriteParameters } from '../../../../engine/dashboard/rewrite-parameters.ts';
import { tokenize } from '../../../../engine/sql/tokenizer.ts';

describe('spec 4.4: a marker that may name a column', () => {
  const known: readonly QueryParameter[] = [
    { name: 'c', keyword: 'c', range: false },
    { name: 'n', keyword: 'n', range: false, isText: false },
  ];
  const unclear =
    ':c stands alone in the list of columns, where it is a text; write IDENTIFIER(:c) if it names a column';

  test.each<[string, string, string[]]>([
    [
      'SELECT {{ c }}, count(*) FROM t GROUP BY {{ c }}',
      'SELECT IDENTIFIER(:c), count(*) FROM t GROUP BY IDENTIFIER(:c)',
      [],
    ],
    ['SELECT sum({{ c }}) FROM t', 'SELECT sum(IDENTIFIER(:c)) FROM t', []],
    ['SELECT count(DISTINCT {{ c }}) FROM t', 'SELECT count(DISTINCT IDENTIFIER(:c)) FROM t', []],
    ['SELECT {{ c }} FROM t', 'SELECT :c FROM t', [unclear]],
    ['SELECT a, {{ c }} AS x FROM t', 'SELECT a, :c AS x FROM t', [unclear]],
    // Values: quoted, computed with, compared, or of a kind that is no name.
    ["SELECT '{{ c }}' FROM t", 'SELECT :c FROM t', []],
    ['SELECT {{ n }}, sum({{ n }}) FROM t', 'SELECT :n, sum(:n) FROM t', []],
    ['SELECT a FROM t WHERE {{ c }} = b', 'SELECT a FROM t WHERE :c = b', []],
    ['SELECT {{ c }}', 'SELECT :c', []],
    ['SELECT upper({{ c }}) FROM t', 'SELECT upper(:c) FROM t', []],
    [
      'SELECT a FROM t ORDER BY {{ n }}',
      'SELECT a FROM t ORDER BY :n',
      [':n stands where SQL expects a name, which a number or date cannot be'],
    ],
  ])('%s', (sql, expected, notes) => {
    expect(rewriteParameters(tokenize(sql), known)).toEqual({ sql: expected, notes });
  });
});
