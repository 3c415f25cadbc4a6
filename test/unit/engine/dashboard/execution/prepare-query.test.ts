/**
 * Translation of dataset queries for DuckDB: literals stay literals; parameters, names, functions and files
 * change.
 */
import { assert, constantFrom, property, string } from 'fast-check';
import { describe, expect, test } from 'vitest';
import { resolveRelativeDate } from '../../../../../engine/dashboard/execution/relative-dates.ts';
import { prepareQuery } from '../../../../../engine/sql/duckdb-query.ts';
import { bindParameters } from '../../../../../engine/dashboard/execution/bind-parameters.ts';

const now = Date.UTC(2024, 1, 29, 13, 45, 10);

describe('relative dates', () => {
  test.each([
    ['now', false, '2024-02-29T13:45:10.000'],
    ['now/d', false, '2024-02-29T00:00:00.000'],
    ['now/d', true, '2024-02-29T23:59:59.999'],
    ['now-1d/d', true, '2024-02-28T23:59:59.999'],
    ['now/w', false, '2024-02-26T00:00:00.000'],
    ['now/w', true, '2024-03-03T23:59:59.999'],
    ['now-1M/M', false, '2024-01-01T00:00:00.000'],
    ['now/M', true, '2024-02-29T23:59:59.999'],
    ['now-1y/y', false, '2023-01-01T00:00:00.000'],
    ['now-12M/d', false, '2023-02-28T00:00:00.000'],
    ['now-8h', false, '2024-02-29T05:45:10.000'],
  ])('%s, the end of a range: %s, is %s', (text, end, date) => {
    expect(resolveRelativeDate(text, now, end)).toBe(date);
  });

  test.each(['soon', 'now-', 'now-1x', '2024-01-01', 'now-999999y', 'now-5000y/y'])(
    '%s is not a relative date',
    (text) => {
      expect(resolveRelativeDate(text, now, false)).toBeUndefined();
    },
  );
});

const parameter = {
  displayName: 'P',
  keyword: 'p',
  dataType: 'STRING' as const,
  defaultSelection: { values: { dataType: 'STRING' as const, values: [{ value: 'x' }] } },
};

test('any value of a text parameter is one literal of the query', () => {
  assert(
    property(
      string({ unit: 'binary' }).filter((text) => !text.includes('\0')),
      (text) => {
        const sql = prepareQuery('SELECT :p AS a', bindParameters([parameter], { p: text }, now)).sql(
          (uri) => uri,
        );
        expect(sql).toBe(`SELECT '${text.replaceAll("'", "''")}' AS a`);
      },
    ),
  );
});

test('literals and comments are never translated', () => {
  assert(
    property(
      string({
        unit: constantFrom(
          ':p',
          ' from ',
          "''",
          'managed_fs:/x',
          '--',
          '/*',
          ';',
          'a',
          '(',
          'current_setting(',
          '"',
        ),
      }),
      (inside) => {
        const { files, sql } = prepareQuery(
          `SELECT '${inside}' AS a -- ${inside}`,
          bindParameters([parameter], {}, now),
        );
        expect([files, sql((uri) => uri)]).toEqual([[], `SELECT '${inside}' AS a`]);
      },
    ),
  );
});

test.each([
  ["SELECT a::INT, b -> 'x' FROM t WHERE c = :p", "SELECT a::INT, b -> 'x' FROM t WHERE c = 'x'"],
  ['SELECT list[1:p] FROM t', 'SELECT list[1:p] FROM t'],
  ['SELECT COUNT(`*`), `a b` FROM t', 'SELECT COUNT(*), "a b" FROM t'],
  ["SELECT e'\\\\' || x", "SELECT e '\\' || x"],
])('%s is written %s', (query, written) => {
  expect(prepareQuery(query, bindParameters([parameter], {}, now)).sql((uri) => uri)).toBe(written);
});
