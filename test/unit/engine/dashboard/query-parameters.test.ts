/**
 * Rewriting of query parameters: a case for every rule, and random queries whose other parts stay unchanged.
 */
import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { parameterNames, rewriteParameters } from '../../../../engine/dashboard/rewrite-parameters.ts';
import { createResolver, type QueryParameter } from '../../../../engine/dashboard/query-markers.ts';
import { markerNamesIn } from '../../../../engine/dashboard/query-markers.ts';
import { tokenize } from '../../../../engine/sql/tokenizer.ts';
import { randomSqlWithoutBraces, randomSqlMarkers, randomSqlParameters, randomSql } from './random-sql.ts';

const list = (emptyByDefault: boolean, prefix = ''): QueryParameter['list'] => ({
  prefix,
  suffix: prefix,
  separator: ',',
  emptyByDefault,
});

const parameters: readonly QueryParameter[] = [
  ...['p', 't', 'c', 's', 'a', 'b', 'n', 'd', 'unit', 'direction'].map((name) => ({
    name,
    keyword: name,
    range: false,
  })),
  { name: 'q x', keyword: 'q_x', range: false },
  { name: 'r', keyword: 'r', range: true },
  { name: 'm', keyword: 'm', range: false, list: list(false) },
  { name: 'e', keyword: 'e', range: false, list: list(true, "'") },
];

const rewrite = (sql: string): string => rewriteParameters(tokenize(sql), parameters).sql;

describe('spec 4.4: mustache parameters are rewritten as named parameters', () => {
  test.each<[string, string, string]>([
    ['a marker', 'x = {{ p }}', 'x = :p'],
    ['a marker without spaces', 'x={{p}}', 'x=:p'],
    ['a name with a space', 'x = {{ q x }}', 'x = :q_x'],
    ['a quoted marker', "x = '{{ p }}'", 'x = :p'],
    ['a marker in double quotes', 'x = "{{ p }}"', 'x = :p'],
    ['a marker in a raw text', "x = r'{{ p }}'", 'x = :p'],
    ['a marker in dollar quotes', 'x = $${{ p }}$$', 'x = :p'],
    ['the ends of a range', "d BETWEEN '{{ r.start }}' AND '{{ r.end }}'", 'd BETWEEN :r.min AND :r.max'],
    ['a date literal', "d > DATE '{{ d }}'", 'd > CAST(:d AS DATE)'],
    ['a timestamp literal next to a name', "timestamp'{{d}}'as x", 'CAST(:d AS TIMESTAMP) as x'],
    ['text around markers', "'({{a}}) {{b}}'", "concat('(', :a, ') ', :b)"],
    ['a LIKE pattern', "x LIKE '%{{ p }}%'", "x LIKE concat('%', :p, '%')"],
    ['a text with doubled quotes', "'it''s {{p}}'", "concat('it''s ', :p)"],
    ['text between dollar signs', '$$a {{p}}$$', 'concat($$a $$, :p)'],
    ['a raw text', "r'a\\{{p}}'", "concat(r'a\\', :p)"],
    ['a JSON path does not become a cast', 'x:{{ p }}', 'x: :p'],
    ['a keyword directly after a marker', "'{{ p }}'AS x", ':p AS x'],
  ])('%s', (_, sql, expected) => expect(rewrite(sql)).toBe(expected));

  test.each<[string, string, string]>([
    ['IN', 'x IN ({{ m }})', 'array_contains(:m, x)'],
    ['IN, quoted', "x IN ('{{ m }}')", 'array_contains(:m, x)'],
    ['IN without spaces', 'x in({{m}})', 'array_contains(:m, x)'],
    ['NOT IN', 'WHERE t.`a b` NOT IN ( {{ m }} )', 'WHERE NOT array_contains(:m, t.`a b`)'],
    ['a call on the left', 'AND lower(trim(x)) IN ({{ m }})', 'AND array_contains(:m, lower(trim(x)))'],
    ['brackets on the left', 'WHERE (a + b) IN ({{ m }})', 'WHERE array_contains(:m, (a + b))'],
    [
      'an operator on the left binds more tightly than IN',
      'WHERE a + b IN ({{ m }})',
      'WHERE a + b IN (SELECT explode(:m))',
    ],
    ['an empty default is guarded', 'x IN ({{ e }})', '(size(:e) = 0 OR array_contains(:e, x))'],
    ['NOT IN with an empty list excludes nothing', 'x NOT IN ({{ e }})', 'NOT array_contains(:e, x)'],
    ['a list with other values', "x IN ('a', {{ m }})", "array_contains(array_union(array('a'), :m), x)"],
    [
      'a comment in the list stays',
      'x IN (/* {{ m }} */ {{ m }})',
      'x IN (/* {{ m }} */ SELECT explode(:m))',
    ],
    ['IN with a single value', 'x IN ({{ p }})', 'x IN (:p)'],
    ['a parameter on the left', '{{ a }} IN ({{ m }})', ':a IN (SELECT explode(:m))'],
    ['a list outside of IN is joined', "find('{{ m }}', x)", "find(array_join(:m, ','), x)"],
    [
      'a list outside of IN keeps prefix and suffix',
      'f({{ e }})',
      "f(array_join(transform(:e, value -> concat('''', value, '''')), ','))",
    ],
  ])('lists: %s', (_, sql, expected) => expect(rewrite(sql)).toBe(expected));

  test.each<[string, string, string]>([
    ['FROM', 'SELECT 1 FROM {{ t }}', 'SELECT 1 FROM IDENTIFIER(:t)'],
    ['JOIN', 'FROM a JOIN {{ t }} ON a.x = {{ p }}', 'FROM a JOIN IDENTIFIER(:t) ON a.x = :p'],
    ['several tables', 'FROM a, {{ t }} WHERE f(1, {{ p }})', 'FROM a, IDENTIFIER(:t) WHERE f(1, :p)'],
    [
      'GROUP BY',
      'GROUP BY {{ a }}, x, {{ b }} HAVING y IN (1, {{ p }})',
      'GROUP BY IDENTIFIER(:a), x, IDENTIFIER(:b) HAVING y IN (1, :p)',
    ],
    ['ORDER BY', 'ORDER BY {{ a }} LIMIT {{ n }}', 'ORDER BY IDENTIFIER(:a) LIMIT :n'],
    [
      'PARTITION BY',
      'OVER (PARTITION BY {{ a }} ORDER BY x + {{ p }})',
      'OVER (PARTITION BY IDENTIFIER(:a) ORDER BY x + :p)',
    ],
    ['parts of a name', 'FROM {{ c }}.{{ s }}.t', "FROM IDENTIFIER(concat(:c, '.', :s, '.t'))"],
    ['the end of a name', 'FROM sales_{{ p }}', "FROM IDENTIFIER(concat('sales_', :p))"],
    ['a column of a table', 'SELECT t.{{ c }}', "SELECT IDENTIFIER(concat('t.', :c))"],
    ['backticks', 'SELECT `{{ c }}`', 'SELECT IDENTIFIER(:c)'],
    ['text in backticks around a marker', 'SELECT `x {{ c }}`', "SELECT IDENTIFIER(concat('`x ', :c, '`'))"],
    [
      'FROM in a function is not followed by an identifier',
      'extract(YEAR FROM {{ d }}), trim({{ a }} FROM {{ b }})',
      'extract(YEAR FROM :d), trim(:a FROM :b)',
    ],
    [
      'IS DISTINCT FROM is not followed by an identifier',
      'x IS NOT DISTINCT FROM {{ p }}',
      'x IS NOT DISTINCT FROM :p',
    ],
    [
      'SELECT DISTINCT does not affect FROM',
      'SELECT DISTINCT x FROM {{ t }}',
      'SELECT DISTINCT x FROM IDENTIFIER(:t)',
    ],
    ['a value in the list of columns', 'SELECT {{ p }} AS x', 'SELECT :p AS x'],
  ])('identifiers: %s', (_, sql, expected) => expect(rewrite(sql)).toBe(expected));

  test.each<[string, string, string]>([
    ['a unit', 'now() - INTERVAL {{ n }} MINUTE', 'now() - CAST(:n AS INTERVAL MINUTE)'],
    ['a plural unit', "now() - interval '{{ n }}' days + x", 'now() - CAST(:n AS INTERVAL DAY) + x'],
    [
      'weeks and quarters',
      'INTERVAL {{n}} weeks, INTERVAL {{n}} QUARTER',
      'CAST(:n * 7 AS INTERVAL DAY), CAST(:n * 3 AS INTERVAL MONTH)',
    ],
    ['the unit in the text', "INTERVAL '{{ n }} days'", "CAST(concat(:n, ' days') AS INTERVAL)"],
    ['the unit as a parameter', 'INTERVAL {{ n }} {{ unit }}', "CAST(concat(:n, ' ', :unit) AS INTERVAL)"],
    [
      'comments between the parts',
      'INTERVAL /* {{ n }} */ {{ n }} -- {{ n }}\n DAY',
      '/* {{ n }} */CAST(:n AS INTERVAL DAY)-- {{ n }}\n',
    ],
  ])('intervals: %s', (_, sql, expected) => expect(rewrite(sql)).toBe(expected));

  test.each([
    'SELECT 1 -- {{ p }}',
    'SELECT /* {{ p }} /* {{ p }} */ */ 1',
    'x = {{ unknown }}',
    '{{#p}} 1 {{/p}}',
    '{{! p }}',
    '{{ }}',
    "'\\{{ p }}'",
    "'{{ p }} never ends",
  ])('unchanged: %s', (sql) => expect(rewrite(sql)).toBe(sql));

  test.each([
    ['ORDER BY x {{ direction }}', /expects a keyword or an operator/],
    ['WHERE x = 1 {{ p }}', /expects a keyword or an operator/],
    ['{{#p}}', /not a parameter/],
    ["'\\{{ p }}'", /cannot be separated/],
    ['f({{ m }})', /outside of IN/],
    ['{{ unknown }}', /unknown parameter/],
    ['x IN ({{ p }}, {{ m }})', /with other values/],
  ])('a note is returned for: %s', (sql, note) =>
    expect(rewriteParameters(tokenize(sql), parameters).notes.join()).toMatch(note),
  );
});

test('parameter names are returned in order of appearance, without those in comments', () => {
  expect(parameterNames(tokenize("SELECT {{ b }}, '{{ a }} {{ b }}', `{{ c }}` -- {{ d }}"))).toEqual([
    'b',
    'a',
    'c',
  ]);
});

describe('rewriting of a random query', () => {
  const known = randomSqlParameters.map((name): QueryParameter => ({
    name,
    keyword: name.replace(' ', '_'),
    range: name === 'r',
    list: name === 'm' ? list(false) : name === 'e' ? list(true, "'") : undefined,
  }));
  const rewriteRandom = (sql: string): string => rewriteParameters(tokenize(sql), known).sql;

  test('a query without parameters is unchanged', () => {
    fc.assert(
      fc.property(randomSqlWithoutBraces, (sql) => {
        expect(rewriteRandom(sql)).toBe(sql);
      }),
      { numRuns: 2_000 },
    );
  });

  test('rewriting twice gives the same result as rewriting once', () => {
    fc.assert(
      fc.property(randomSql, (sql) => {
        const once = rewriteRandom(sql);
        expect(rewriteRandom(once)).toBe(once);
      }),
      { numRuns: 3_000 },
    );
  });

  test('comments, and names, numbers and texts away from parameters, stay in their order', () => {
    fc.assert(
      fc.property(randomSql, (sql) => {
        const result = rewriteRandom(sql);
        expect(commentsOf(result)).toEqual(commentsOf(sql));
        let from = 0;
        for (const text of keptTexts(sql)) {
          const at = result.indexOf(text, from);
          expect(at, `${text} in ${result}`).toBeGreaterThanOrEqual(0);
          from = at + text.length;
        }
      }),
      { numRuns: 3_000 },
    );
  });

  test('a marker of a known parameter remains outside of comments only with a note', () => {
    const resolve = createResolver(known);
    fc.assert(
      fc.property(randomSql, (sql) => {
        const { sql: result, notes } = rewriteParameters(tokenize(sql), known);
        const left = tokenize(result)
          .flatMap(markerNamesIn)
          .filter((name) => resolve(name) !== undefined);
        if (left.length > 0) expect(notes).not.toEqual([]);
      }),
      { numRuns: 3_000 },
    );
  });

  test('values in code become references, and everything else is unchanged', () => {
    const values = ['{{ p }}', "'{{ p }}'", '{{ r.start }}', '"{{r.end}}"'] as const;
    const expected = [':p', ':p', ':r.min', ':r.max'];
    const parts = fc.array(
      fc.tuple(
        fc.constantFrom('x', 'lower(y)', "'a -- b'", '1.5', '`c d`'),
        fc.constantFrom('=', '<>', '>=', '+', '||'),
        fc.nat(3),
        fc.constantFrom(' AND ', '\n  OR ', ' /* {{ p }} */ AND '),
      ),
    );
    fc.assert(
      fc.property(parts, (conditions) => {
        const written = (side: (index: number) => string | undefined): string =>
          `SELECT 1 FROM t WHERE ${conditions.map(([left, sign, value, and]) => `${left} ${sign} ${side(value) ?? ''}${and}`).join('')}true -- {{ p }}`;
        expect(rewriteRandom(written((index) => values[index]))).toBe(written((index) => expected[index]));
      }),
      { numRuns: 500 },
    );
  });
});

function commentsOf(sql: string): string[] {
  return tokenize(sql)
    .filter(({ kind }) => kind === 'comment')
    .map(({ text }) => text);
}

/** Keywords that rewriting can remove, because they become part of a cast or of a test of a list. */
const removableKeywords = new Set(['in', 'not', 'interval', 'days', 'minute', 'date', 'timestamp']);

/** Returns the texts that must remain: without those in lists and those next to a marker. */
function keptTexts(sql: string): string[] {
  const tokens = tokenize(sql);
  const inList = / in \(/i.test(sql) || /in\s*\(/i.test(sql);
  return inList
    ? []
    : tokens
        .filter(
          ({ kind, text }, index) =>
            ['word', 'number', 'quoted-name', 'text'].includes(kind) &&
            !removableKeywords.has(text.toLowerCase()) &&
            !text.includes('{{') &&
            ![tokens[index - 1], tokens[index + 1]].some(
              (token) =>
                token !== undefined &&
                (token.kind === 'marker' ||
                  token.text === '.' ||
                  ['word', 'quoted-name', 'number'].includes(token.kind)),
            ),
        )
        .map(({ text }) => text);
}

test('every random marker is one token', () => {
  for (const marker of randomSqlMarkers) expect(tokenize(marker)).toMatchObject([{ kind: 'marker' }]);
});
