/**
 * Writes the query of a dataset anew for DuckDB: parameters, names, functions and files; nothing in texts or
 * comments.
 */
import { invalid } from '../errors.ts';
import { canonicalUri } from '../validation/aliases.ts';
import { quote } from '../validation/messages.ts';
import { tokenize } from './tokenizer.ts';
import {
  calledFunctions,
  castPrintfArguments,
  castIntervals,
  convertDatePatterns,
  renameFunctions,
} from './duckdb-functions.ts';
import { findFileItems, rewriteReadFiles } from './query-files.ts';
import {
  splitArguments,
  findClosingBracket,
  isSymbol,
  isKeywordItem,
  toSqlItems,
  renderSql,
  type SqlItem,
  type ParameterValue,
} from './sql-items.ts';

/** A query that waits for its files to be found. */
export interface PreparedQuery {
  /** The files that it reads, as they are written: `managed_fs:/dir/file.csv`, or a pattern with `*`. */
  readonly files: readonly string[];
  /** The query for DuckDB. @param pathOf where DuckDB finds a file */
  sql(pathOf: (uri: string) => string): string;
}

/**
 * @param values what its parameters are set to, by keyword
 * @throws ServiceError for what is no single SELECT, and for what cannot be rewritten
 */
export function prepareQuery(text: string, values: ReadonlyMap<string, ParameterValue>): PreparedQuery {
  const tokens = tokenize(text);
  const marker = tokens.find(({ kind }) => kind === 'marker');
  if (marker !== undefined)
    throw invalid(
      `The query has the parameter ${marker.text}, which the new format does not run; migrate the dashboard with update_parameter_syntax.`,
    );
  const items = toDuckdbItems(substituteParameters(toSqlItems(tokens), values));
  const places = findFileItems(items);
  return {
    files: [...new Set(places.map((place) => items[place]?.value ?? ''))],
    sql: (pathOf) =>
      renderSql(
        items.map((item, index) => (places.includes(index) ? { ...item, value: pathOf(item.value) } : item)),
      ),
  };
}

/**
 * The items of a query without parameters, as DuckDB spells them.
 * @throws ServiceError as `prepareQuery`
 */
export function toDuckdbItems(query: readonly SqlItem[]): SqlItem[] {
  const items = rewriteReadFiles(
    castIntervals(
      castPrintfArguments(
        renameFunctions(convertDatePatterns(convertOperators(resolveIdentifiers(trimSemicolons(query))))),
      ),
    ),
  );
  checkSelect(items);
  checkAllowed(items);
  return items;
}

/** Semicolons at the end belong to whoever writes several statements. */
function trimSemicolons(items: readonly SqlItem[]): SqlItem[] {
  const end = items.findLastIndex((item) => !isSymbol(item, ';'));
  return items.slice(0, end + 1);
}

const beginnings = new Set(['select', 'with', 'from', 'values']);

/** Whether it is one SELECT, DuckDB decides in the end; here is said what else it could be. */
function checkSelect(items: readonly SqlItem[]): void {
  const first = items.find((item) => !isSymbol(item, '('));
  if (first === undefined) throw invalid('The query is empty.');
  if (first.kind !== 'word' || !beginnings.has(first.value.toLowerCase()))
    throw invalid(`The query begins with ${quote(first.value)}; only a SELECT is run.`);
  if (items.some((item) => isSymbol(item, ';')))
    throw invalid('The query has more than one statement; exactly one SELECT is run.');
}

/** Tables that tell of this machine, under whatever name of a schema. */
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
/** Functions that tell of it, or that run a text as SQL and so escape what is checked here. */
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
/** Statements that DuckDB takes for a table when they stand in brackets. */
const forbiddenStatements = new Set(['show', 'describe', 'desc', 'summarize', 'pragma', 'call']);

function checkAllowed(items: readonly SqlItem[]): void {
  const table = items.find(
    ({ kind, value }) => (kind === 'word' || kind === 'name') && forbiddenTables.has(value.toLowerCase()),
  )?.value;
  const forbidden = table ?? calledFunctions(items).find((name) => forbiddenFunctions.has(name));
  if (forbidden !== undefined) throw invalid(`The query uses ${forbidden}, which is not allowed here.`);
  const place = items.findIndex(
    (item, index) =>
      item.kind === 'word' &&
      forbiddenStatements.has(item.value.toLowerCase()) &&
      (index === 0 ||
        isSymbol(items[index - 1], '(') ||
        isKeywordItem(items[index - 1], 'from') ||
        isKeywordItem(items[index - 1], 'as')),
  );
  // Behind ORDER BY x, DESC is a direction, and before a comma or bracket it is a column.
  const next = items[place + 1];
  if (place >= 0 && next !== undefined && next.kind !== 'sign')
    throw invalid(
      `The query has ${items[place]?.value ?? ''}, which is not allowed here; only a SELECT is run.`,
    );
}

/** Puts values in the place of `:p`, `:r.min` and `:r.max`. */
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

/** Behind a name or bracket without a blank, a colon reaches into JSON or parts a slice. */
function continuesValue(items: readonly SqlItem[], place: number): boolean {
  const before = items[place - 1];
  if (before === undefined || items[place]?.spaceBefore === true) return false;
  return before.kind !== 'sign' || before.value === ')' || before.value === ']' || before.value === ':';
}

function parameterAt(
  items: readonly SqlItem[],
  place: number,
  values: ReadonlyMap<string, ParameterValue>,
): { readonly item: SqlItem; readonly end: number } | undefined {
  const word = items[place + 1];
  if (word?.kind !== 'word' || word.spaceBefore) return undefined;
  const value = values.get(word.value);
  if (value === undefined)
    throw invalid(`The query has the parameter :${word.value}, which the dataset does not declare.`);
  if (value.kind === 'one') return { item: value.item, end: place + 2 };
  const end = items[place + 3]?.value.toLowerCase();
  if (!isSymbol(items[place + 2], '.') || (end !== 'min' && end !== 'max'))
    throw invalid(
      `The parameter :${word.value} is a range; the query must name :${word.value}.min or :${word.value}.max.`,
    );
  return { item: value[end], end: place + 4 };
}

/** `IDENTIFIER(…)` of a text that is known becomes the name; one that names a file becomes the file. */
function resolveIdentifiers(items: readonly SqlItem[]): SqlItem[] {
  const result: SqlItem[] = [];
  for (let index = 0; index < items.length; index += 1) {
    const item = items[index];
    if (item === undefined) continue;
    const close =
      isKeywordItem(item, 'identifier') && isSymbol(items[index + 1], '(')
        ? findClosingBracket(items, index + 1)
        : undefined;
    if (close === undefined) {
      result.push(item);
      continue;
    }
    const text = evaluateConstantText(items, index + 2, close);
    if (text === undefined)
      throw invalid(
        'IDENTIFIER in the query is not made of texts and parameters that are texts, so that it has no name.',
      );
    result.push(
      ...(isFile(text) ? [{ kind: 'text' as const, value: text, spaceBefore: true }] : nameItems(text)),
    );
    index = close;
  }
  return result;
}

function evaluateConstantText(items: readonly SqlItem[], start: number, end: number): string | undefined {
  const [first] = items.slice(start, end);
  if (end - start === 1) return first?.kind === 'text' ? first.value : undefined;
  if (
    !isKeywordItem(first, 'concat') ||
    !isSymbol(items[start + 1], '(') ||
    findClosingBracket(items, start + 1) !== end - 1
  )
    return undefined;
  const parts = splitArguments(items, start + 1, end - 1).map(([from, to]) =>
    evaluateConstantText(items, from, to),
  );
  return parts.includes(undefined) ? undefined : parts.join('');
}

function nameItems(text: string): SqlItem[] {
  const names = text.match(/`(?:[^`]|``)*`|[^.`]+/g) ?? [];
  if (names.length === 0) throw invalid(`IDENTIFIER in the query is given ${quote(text)}, which is no name.`);
  return names.flatMap((name, index): SqlItem[] => [
    ...(index === 0 ? [] : [{ kind: 'sign' as const, value: '.', spaceBefore: false }]),
    {
      kind: 'name',
      value: name.startsWith('`') ? name.slice(1, -1).replaceAll('``', '`') : name.trim(),
      spaceBefore: index === 0,
    },
  ]);
}

function isFile(text: string): boolean {
  return canonicalUri(text).startsWith('managed_fs:');
}

const operators: ReadonlyMap<string, string> = new Map([
  ['<=>', 'IS NOT DISTINCT FROM'],
  ['==', '='],
]);

/** Operators that DuckDB spells otherwise. */
function convertOperators(items: readonly SqlItem[]): SqlItem[] {
  return items.map((item) => {
    const other =
      item.kind === 'sign' ? operators.get(item.value) : isKeywordItem(item, 'div') ? '//' : undefined;
    return other === undefined ? item : { kind: 'code', value: ` ${other} `, spaceBefore: true };
  });
}
