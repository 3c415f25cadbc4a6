/**
 * Translates functions of the spark dialect for DuckDB. Functions that differ in name or arguments are
 * rewritten; the others are macros.
 */
import {
  findCallEnd,
  splitArguments,
  findClosingBracket,
  isSymbol,
  isKeywordItem,
  type SqlItem,
} from './sql-items.ts';

/** Name of a function -> name in DuckDB, with the same arguments. */
const functionNames: ReadonlyMap<string, string> = new Map([
  ['array', 'list_value'],
  ['transform', 'list_transform'],
  ['array_join', 'array_to_string'],
  ['explode', 'unnest'],
  ['format_string', 'printf'],
  ['collect_list', 'list'],
  ['percentile', 'quantile_cont'],
  ['percentile_approx', 'approx_quantile'],
  ['approx_percentile', 'approx_quantile'],
  ['std', 'stddev'],
  ['ucase', 'upper'],
  ['lcase', 'lower'],
  ['charindex', 'strpos'],
  ['nvl', 'coalesce'],
  ['ifnull', 'coalesce'],
  ['uuid', 'gen_random_uuid'],
  ['array_sort', 'list_sort'],
  ['array_distinct', 'list_distinct'],
  ['array_size', 'len'],
  ['cardinality', 'len'],
]);

export function renameFunctions(items: readonly SqlItem[]): SqlItem[] {
  return items.map((item, index) => {
    const duckdbName =
      item.kind === 'word' && isSymbol(items[index + 1], '(') && !isSymbol(items[index - 1], '.')
        ? functionNames.get(item.value.toLowerCase())
        : undefined;
    return duckdbName === undefined ? item : { ...item, value: duckdbName };
  });
}

/** Returns the names of called functions in lower case, quoted or not. */
export function calledFunctions(items: readonly SqlItem[]): string[] {
  return items.flatMap((item, index) =>
    (item.kind === 'word' || item.kind === 'name') && isSymbol(items[index + 1], '(')
      ? [item.value.toLowerCase()]
      : [],
  );
}

/** Unit of an interval -> function that creates one from a number, and the type of that number. */
const intervals: ReadonlyMap<string, readonly [string, string]> = new Map([
  ['second', ['to_seconds', 'DOUBLE']],
  ['minute', ['to_minutes', 'BIGINT']],
  ['hour', ['to_hours', 'BIGINT']],
  ['day', ['to_days', 'INTEGER']],
  ['month', ['to_months', 'INTEGER']],
  ['year', ['to_years', 'INTEGER']],
]);

/** Replaces `CAST(n AS INTERVAL DAY)` by `to_days(CAST(n AS INTEGER))`. */
export function castIntervals(items: readonly SqlItem[]): SqlItem[] {
  const result = [...items];
  for (const index of items.keys()) {
    const close = findCallEnd(items, index, 'cast');
    if (
      close === undefined ||
      !isKeywordItem(items[close - 3], 'as') ||
      !isKeywordItem(items[close - 2], 'interval')
    )
      continue;
    const interval = intervals.get(items[close - 1]?.value.toLowerCase() ?? '');
    if (interval === undefined) continue;
    const [constructorName, type] = interval;
    result[index] = { kind: 'code', value: `${constructorName}(CAST`, spaceBefore: true };
    result[close - 2] = { kind: 'code', value: type, spaceBefore: true };
    result[close - 1] = { kind: 'code', value: '', spaceBefore: false };
    result[close] = { kind: 'code', value: '))', spaceBefore: false };
  }
  return result;
}

/** Functions whose last argument is a pattern such as `yyyy-MM-dd`. */
const datePatternFunctions = new Set(['date_format', 'to_date']);

/** Pattern letters -> format specifier of DuckDB. */
const patternParts: Readonly<Record<string, string>> = {
  EEEE: '%A',
  EEE: '%a',
  EE: '%a',
  E: '%a',
  yyyy: '%Y',
  yy: '%y',
  y: '%Y',
  MMMM: '%B',
  MMM: '%b',
  MM: '%m',
  M: '%-m',
  dd: '%d',
  d: '%-d',
  HH: '%H',
  H: '%-H',
  hh: '%I',
  h: '%-I',
  mm: '%M',
  m: '%-M',
  ss: '%S',
  s: '%-S',
  SSS: '%g',
  a: '%p',
  DDD: '%j',
};

/** Translates date patterns that are text literals. */
export function convertDatePatterns(items: readonly SqlItem[]): SqlItem[] {
  const result = [...items];
  for (const [index, item] of items.entries()) {
    if (
      item.kind !== 'word' ||
      !datePatternFunctions.has(item.value.toLowerCase()) ||
      !isSymbol(items[index + 1], '(')
    )
      continue;
    const close = findClosingBracket(items, index + 1) ?? 0;
    const pattern = items[close - 1];
    if (pattern?.kind !== 'text' || !isSymbol(items[close - 2], ',')) continue;
    const value = pattern.value.replaceAll(/'([^']*)'|([A-Za-z])\2*|%/g, (part, quoted: string | undefined) =>
      part === '%' ? '%%' : (quoted ?? patternParts[part] ?? part),
    );
    result[close - 1] = { ...pattern, value };
  }
  return result;
}

/** Conversion of a format -> type that DuckDB expects for it. */
const conversions: Readonly<Record<string, string>> = {
  s: 'VARCHAR',
  d: 'BIGINT',
  f: 'DOUBLE',
  e: 'DOUBLE',
  g: 'DOUBLE',
};

/** Casts the arguments of `printf` to the types of the format; DuckDB does not convert them by itself. */
export function castPrintfArguments(items: readonly SqlItem[]): SqlItem[] {
  const before = new Map<number, SqlItem>();
  const after = new Map<number, SqlItem>();
  for (const index of items.keys()) {
    const close = findCallEnd(items, index, 'printf');
    const [format, ...values] = close === undefined ? [] : splitArguments(items, index + 1, close);
    const text = format === undefined ? undefined : items[format[0]];
    if (text?.kind !== 'text') continue;
    const types = [...text.value.matchAll(/%(?:%|[-+ 0,#]*\d*(?:\.\d+)?([a-z]))/g)]
      .filter(([whole]) => whole !== '%%')
      .map(([, conversion = '']) => conversions[conversion]);
    for (const [position, [start, end]] of values.entries()) {
      const type = types[position];
      if (type === undefined || end <= start) continue;
      before.set(start, { kind: 'code', value: 'CAST(', spaceBefore: true });
      after.set(end - 1, { kind: 'code', value: `AS ${type})`, spaceBefore: true });
    }
  }
  return items.flatMap((item, index) =>
    [before.get(index), item, after.get(index)].filter((each) => each !== undefined),
  );
}

/**
 * Macros for functions that DuckDB lacks, or that mean something else there. A database creates them when it
 * opens. Weekdays count from 1 for Sunday.
 */
export const duckdbMacros: readonly string[] = [
  'size(x) AS len(x)',
  'array_union(a, b) AS list_distinct(list_concat(a, b))',
  'bin_floor(x, w) AS floor(x / w) * w',
  "dayofweek(d) AS CAST(date_part('dow', CAST(d AS TIMESTAMP)) AS BIGINT) + 1",
  "weekday(d) AS CAST(date_part('isodow', CAST(d AS TIMESTAMP)) AS BIGINT) - 1",
  'nvl2(a, b, c) AS CASE WHEN a IS NOT NULL THEN b ELSE c END',
  'date_add(d, n) AS CAST(CAST(d AS DATE) + CAST(n AS INTEGER) AS DATE)',
  'date_sub(d, n) AS CAST(CAST(d AS DATE) - CAST(n AS INTEGER) AS DATE)',
  'datediff(a, b) AS CAST(a AS DATE) - CAST(b AS DATE), (u, a, b) AS date_diff(u, a, b)',
  'add_months(d, n) AS CAST(CAST(d AS DATE) + to_months(CAST(n AS INTEGER)) AS DATE)',
  "trunc(d, u) AS CAST(date_trunc(CASE lower(u) WHEN 'mm' THEN 'month' WHEN 'mon' THEN 'month' WHEN 'yy' THEN 'year' WHEN 'yyyy' THEN 'year' ELSE u END, CAST(d AS DATE)) AS DATE), (x) AS sign(x) * floor(abs(x))",
  'to_date(x) AS CAST(x AS DATE), (x, f) AS CAST(strptime(x, f) AS DATE)',
  'date_format(d, f) AS strftime(CAST(d AS TIMESTAMP), f)',
  "format_number(x, d) AS format('{:,.' || d || 'f}', CAST(x AS DOUBLE))",
  'collect_set(x) AS list(DISTINCT x)',
];
