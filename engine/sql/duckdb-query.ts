/**
 * Translates a query of the spark dialect for DuckDB: parameters, names, functions and files. Literals and
 * comments are never searched.
 */
import { invalid } from '../errors.ts';
import { quote } from '../validation/messages.ts';
import { tokenize } from './tokenizer.ts';
import {
  calledFunctions,
  castPrintfArguments,
  castIntervals,
  convertDatePatterns,
  renameFunctions,
} from './duckdb-functions.ts';
import { findFileItems, isManagedUri, rewriteFormatPaths } from './query-files.ts';
import { rewriteReadFiles } from './read-files.ts';
import {
  findCallEnd,
  splitArguments,
  isSymbol,
  isKeywordItem,
  toSqlItems,
  unquoteName,
  renderSql,
  type SqlItem,
  type ParameterValue,
} from './sql-items.ts';

/** Query whose files are not resolved yet. */
export interface PreparedQuery {
  /** Files that the query reads, as they are written: `managed_fs:/dir/file.csv`, or a pattern with `*`. */
  readonly files: readonly string[];
  /** Returns the query for DuckDB. @param pathOf returns the path of a file on this host */
  sql(pathOf: (uri: string) => string): string;
}

/**
 * Translates the query of a dataset.
 * @param values values of its parameters, by keyword
 * @throws ServiceError when the query is not a single SELECT, or cannot be translated
 */
export function prepareQuery(text: string, values: ReadonlyMap<string, ParameterValue>): PreparedQuery {
  const tokens = tokenize(text);
  const marker = tokens.find(({ kind }) => kind === 'marker');
  if (marker !== undefined)
    throw invalid(
      `The query has the parameter ${marker.text}, which the modern format does not support; migrate the dashboard with update_parameter_syntax.`,
    );
  const items = toDuckdbItems(substituteParameters(toSqlItems(tokens), values));
  const fileIndices = new Set(findFileItems(items));
  return {
    files: [...new Set([...fileIndices].map((index) => items[index]?.value ?? ''))],
    sql: (pathOf) =>
      renderSql(
        items.map((item, index) => (fileIndices.has(index) ? { ...item, value: pathOf(item.value) } : item)),
      ),
  };
}

/**
 * Translates a query without parameters.
 * @throws ServiceError as `prepareQuery`
 */
export function toDuckdbItems(query: readonly SqlItem[]): SqlItem[] {
  const translated = castIntervals(
    castPrintfArguments(
      renameFunctions(convertDatePatterns(convertOperators(resolveIdentifiers(trimSemicolons(query))))),
    ),
  );
  const items = rewriteFormatPaths(rewriteReadFiles(translated));
  checkSelect(items);
  checkAllowed(items);
  return items;
}

/** Removes semicolons at the end. */
function trimSemicolons(items: readonly SqlItem[]): SqlItem[] {
  const end = items.findLastIndex((item) => !isSymbol(item, ';'));
  return items.slice(0, end + 1);
}

const startKeywords = new Set(['select', 'with', 'from', 'values']);

/** Rejects what is not one SELECT. DuckDB checks it again; this check gives a better message. */
function checkSelect(items: readonly SqlItem[]): void {
  const first = items.find((item) => !isSymbol(item, '('));
  if (first === undefined) throw invalid('The query is empty.');
  if (first.kind !== 'word' || !startKeywords.has(first.value.toLowerCase()))
    throw invalid(`The query begins with ${quote(first.value)}; only a SELECT is run.`);
  if (items.some((item) => isSymbol(item, ';')))
    throw invalid('The query has more than one statement; exactly one SELECT is run.');
}

/** Tables that disclose this host, in any schema. */
const forbiddenTables = new Set([
  'duckdb_settings',
  'pg_settings',
  'duckdb_secrets',
  'duckdb_logs',
  'duckdb_log_contexts',
  'duckdb_temporary_files',
  'duckdb_databases',
  'duckdb_extensions',
  'pragma_database_list',
]);
/** Functions that disclose this host, or run a text as SQL and so bypass these checks. */
const forbiddenFunctions = new Set([
  'current_setting',
  'which_secret',
  'query',
  'query_table',
  'json_execute_serialized_sql',
  'getenv',
  'enable_logging',
  'write_log',
]);
/** Statements that DuckDB accepts as a table in brackets. */
const forbiddenStatements = new Set(['show', 'describe', 'desc', 'summarize', 'pragma', 'call']);

function checkAllowed(items: readonly SqlItem[]): void {
  const table = items.find(
    ({ kind, value }) => (kind === 'word' || kind === 'name') && forbiddenTables.has(value.toLowerCase()),
  )?.value;
  const forbidden = table ?? calledFunctions(items).find((name) => forbiddenFunctions.has(name));
  if (forbidden !== undefined) throw invalid(`The query uses ${forbidden}, which is not allowed here.`);
  const found = items.findIndex(
    (item, index) =>
      item.kind === 'word' &&
      forbiddenStatements.has(item.value.toLowerCase()) &&
      (index === 0 ||
        isSymbol(items[index - 1], '(') ||
        isKeywordItem(items[index - 1], 'from') ||
        isKeywordItem(items[index - 1], 'as')),
  );
  // After ORDER BY x, DESC is a direction; before a comma or bracket it is a column.
  const next = items[found + 1];
  if (found >= 0 && next !== undefined && next.kind !== 'sign')
    throw invalid(
      `The query has ${items[found]?.value ?? ''}, which is not allowed here; only a SELECT is run.`,
    );
}

/** Replaces `:p`, `:r.min` and `:r.max` by their values. */
function substituteParameters(
  items: readonly SqlItem[],
  values: ReadonlyMap<string, ParameterValue>,
): SqlItem[] {
  const result: SqlItem[] = [];
  for (let index = 0; index < items.length; index += 1) {
    const item = items[index];
    if (item === undefined) continue;
    const found =
      isSymbol(item, ':') && !continuesValue(items, index) ? parameterAt(items, index, values) : undefined;
    if (found === undefined) result.push(item);
    else {
      result.push({ ...found.item, spaceBefore: true });
      index = found.end - 1;
    }
  }
  return result;
}

/** Tells whether a colon follows a name or bracket without a space: it then selects from JSON or a slice. */
function continuesValue(items: readonly SqlItem[], index: number): boolean {
  const before = items[index - 1];
  if (before === undefined || items[index]?.spaceBefore === true) return false;
  return before.kind !== 'sign' || before.value === ')' || before.value === ']' || before.value === ':';
}

function parameterAt(
  items: readonly SqlItem[],
  index: number,
  values: ReadonlyMap<string, ParameterValue>,
): { readonly item: SqlItem; readonly end: number } | undefined {
  const word = items[index + 1];
  if (word?.kind !== 'word' || word.spaceBefore) return undefined;
  const value = values.get(word.value);
  if (value === undefined)
    throw invalid(`The query has the parameter :${word.value}, which the dataset does not declare.`);
  if (value.kind === 'one') return { item: value.item, end: index + 2 };
  const end = items[index + 3]?.value.toLowerCase();
  if (!isSymbol(items[index + 2], '.') || (end !== 'min' && end !== 'max'))
    throw invalid(
      `The parameter :${word.value} is a range; the query must name :${word.value}.min or :${word.value}.max.`,
    );
  return { item: value[end], end: index + 4 };
}

/** Replaces `IDENTIFIER(…)` of a constant text by the name or file that the text denotes. */
function resolveIdentifiers(items: readonly SqlItem[]): SqlItem[] {
  const result: SqlItem[] = [];
  for (let index = 0; index < items.length; index += 1) {
    const item = items[index];
    if (item === undefined) continue;
    const close = findCallEnd(items, index, 'identifier');
    if (close === undefined) {
      result.push(item);
      continue;
    }
    const text = evaluateConstantText(items, index + 2, close);
    if (text === undefined)
      throw invalid(
        'The argument of IDENTIFIER in the query must be a text, a text parameter, or a concat of them.',
      );
    result.push(
      ...(isManagedUri(text) ? [{ kind: 'text' as const, value: text, spaceBefore: true }] : nameItems(text)),
    );
    index = close;
  }
  return result;
}

function evaluateConstantText(items: readonly SqlItem[], start: number, end: number): string | undefined {
  const [first] = items.slice(start, end);
  if (end - start === 1) return first?.kind === 'text' ? first.value : undefined;
  if (findCallEnd(items, start, 'concat') !== end - 1) return undefined;
  const parts = splitArguments(items, start + 1, end - 1).map(([from, to]) =>
    evaluateConstantText(items, from, to),
  );
  return parts.includes(undefined) ? undefined : parts.join('');
}

function nameItems(text: string): SqlItem[] {
  const names = text.match(/`(?:[^`]|``)*`|[^.`]+/g) ?? [];
  if (names.length === 0)
    throw invalid(`IDENTIFIER in the query is given ${quote(text)}, which is not a name.`);
  return names.flatMap((name, index): SqlItem[] => [
    ...(index === 0 ? [] : [{ kind: 'sign' as const, value: '.', spaceBefore: false }]),
    { kind: 'name', value: name.startsWith('`') ? unquoteName(name) : name.trim(), spaceBefore: index === 0 },
  ]);
}

const operators: ReadonlyMap<string, string> = new Map([
  ['<=>', 'IS NOT DISTINCT FROM'],
  ['==', '='],
]);

/** Replaces operators that have another spelling in DuckDB. */
function convertOperators(items: readonly SqlItem[]): SqlItem[] {
  return items.map((item) => {
    const duckdbName =
      item.kind === 'sign' ? operators.get(item.value) : isKeywordItem(item, 'div') ? '//' : undefined;
    return duckdbName === undefined ? item : { kind: 'code', value: ` ${duckdbName} `, spaceBefore: true };
  });
}
