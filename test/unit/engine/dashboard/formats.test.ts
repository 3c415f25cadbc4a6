/** Number formats, columns of queries, and names. */
import { describe, expect, test } from 'vitest';
import {
  candidateName,
  dashboardPath,
  toFileName,
  toKeyword,
  createNameGenerator,
} from '../../../../engine/dashboard/names.ts';
import { selectedColumns } from '../../../../engine/dashboard/query-columns.ts';
import { tokenize } from '../../../../engine/sql/tokenizer.ts';
import { parseNumberFormat } from '../../../../engine/dashboard/visuals/number-format.ts';

const plain = {
  type: 'number-plain',
  abbreviation: 'none',
  hideGroupSeparator: true,
  decimalPlaces: { type: 'exact', places: 0 },
};

test.each<[string, object | undefined]>([
  ['0', plain],
  ['0,0', { ...plain, hideGroupSeparator: false }],
  ['0.00', { ...plain, decimalPlaces: { type: 'exact', places: 2 } }],
  ['0,0[.]00000', { ...plain, hideGroupSeparator: false, decimalPlaces: { type: 'max', places: 5 } }],
  ['0.0[00]', { ...plain, decimalPlaces: { type: 'max', places: 3 } }],
  ['0.0%', { ...plain, type: 'number-percent', decimalPlaces: { type: 'exact', places: 1 } }],
  [
    '$0,0.00',
    {
      ...plain,
      type: 'number-currency',
      currencyCode: 'USD',
      hideGroupSeparator: false,
      decimalPlaces: { type: 'exact', places: 2 },
    },
  ],
  ['0,0 €', { ...plain, type: 'number-currency', currencyCode: 'EUR', hideGroupSeparator: false }],
  ['0.0a', { ...plain, abbreviation: 'compact', decimalPlaces: { type: 'exact', places: 1 } }],
  ['0 b', undefined],
  ['#.##', undefined],
  ['', undefined],
])('the format %s', (pattern, expected) => expect(parseNumberFormat(pattern)).toEqual(expected));

test.each<[string, string[] | undefined]>([
  ['SELECT a, t.b, c AS d, count(*) e, `f g`, sum(x) AS `h``i` FROM t', ['a', 'b', 'd', 'e', 'f g', 'h`i']],
  ['WITH x AS (SELECT 1 AS no FROM y) SELECT DISTINCT yes FROM x', ['yes']],
  ["SELECT (SELECT max(b) FROM u) AS m, 'x' AS 'label' FROM t UNION SELECT 1, 2", ['m', 'label']],
  ['SELECT CASE WHEN a THEN b END AS c, -- d\n e FROM t', ['c', 'e']],
  ['SELECT a b', ['b']],
  ['SELECT * FROM t', undefined],
  ['SELECT t.* FROM t', undefined],
  ['SELECT count(*) FROM t', undefined],
  ['SELECT a + b FROM t', undefined],
  ['SELECT CASE WHEN a THEN b END FROM t', undefined],
  ['SELECT {{ p }} FROM t', undefined],
  ['DELETE FROM t', undefined],
  ['', undefined],
  ['SELECT', undefined],
])('the columns of %s', (sql, expected) => expect(selectedColumns(tokenize(sql))).toEqual(expected));

describe('names', () => {
  test.each([
    ['p', 'p'],
    ['Start Date', 'Start_Date'],
    ['a.b-c', 'a_b_c'],
    ['2nd', 'p_2nd'],
    ['größe', 'größe'],
    ['--', 'parameter'],
  ])('%s is the keyword %s', (name, keyword) => {
    expect(toKeyword(name)).toBe(keyword);
  });

  test('names are unique, and equal texts give equal names', () => {
    const [first, second] = [createNameGenerator(), createNameGenerator()];
    const names = Array.from({ length: 1_000 }, (_, index) => first(String(index % 10)));
    expect(new Set(names).size).toBe(1_000);
    expect(second('0')).toBe(names[0]);
  });

  test('a path has the folder, the name and the suffix', () => {
    expect(dashboardPath('/Users/ann', candidateName('Sales', 2))).toBe('/Users/ann/Sales (2).lvdash.json');
    expect(dashboardPath('/', candidateName(toFileName(' a/b '), 1))).toBe('/a-b.lvdash.json');
  });
});
