/**
 * Files in a query: where they are named, and `read_files` as the function that DuckDB has for the format.
 */
import { invalid } from '../errors.ts';
import { canonicalUri } from '../validation/aliases.ts';
import { quote } from '../validation/messages.ts';
import { splitArguments, findClosingBracket, isSymbol, isKeywordItem, type SqlItem } from './sql-items.ts';

/** Format of `read_files` -> the function of DuckDB. */
export const readers: Readonly<Record<string, string>> = {
  csv: 'read_csv',
  tsv: 'read_csv',
  json: 'read_json',
  ndjson: 'read_json',
  parquet: 'read_parquet',
  text: 'read_text',
};

/** Functions of DuckDB whose first argument is a file, a pattern, or a list of them. */
const fileFunctions = new Set([
  'read_csv',
  'read_csv_auto',
  'sniff_csv',
  'read_json',
  'read_json_auto',
  'read_json_objects',
  'read_ndjson',
  'read_ndjson_auto',
  'read_ndjson_objects',
  'read_parquet',
  'parquet_scan',
  'parquet_schema',
  'parquet_metadata',
  'read_text',
  'read_blob',
  'glob',
]);

const tableWords = new Set(['from', 'join']);

/**
 * Indices of the texts that name a file where a file is expected: such a text elsewhere is a value. @param
 * isFile what names one
 */
export function findFileItems(items: readonly SqlItem[], isFile = isManaged): number[] {
  const places: number[] = [];
  const take = (place: number): void => {
    const item = items[place];
    if (item?.kind === 'text' && isFile(item.value)) places.push(place);
  };
  for (const [index, item] of items.entries()) {
    if (item.kind !== 'word') continue;
    const name = item.value.toLowerCase();
    if (tableWords.has(name)) take(index + 1);
    if (!fileFunctions.has(name) || !isSymbol(items[index + 1], '(')) continue;
    const [first] = splitArguments(items, index + 1, findClosingBracket(items, index + 1) ?? items.length);
    if (first !== undefined) for (let place = first[0]; place < first[1]; place += 1) take(place);
  }
  return places;
}

function isManaged(text: string): boolean {
  return canonicalUri(text).startsWith('managed_fs:');
}

/**
 * `read_files(…, format => 'csv')` becomes `read_csv(…)`, and csv.`managed_fs:/x` becomes
 * `read_csv('managed_fs:/x')`.
 */
export function rewriteReadFiles(items: readonly SqlItem[]): SqlItem[] {
  const result: SqlItem[] = [];
  for (let index = 0; index < items.length; index += 1) {
    const item = items[index];
    if (item === undefined) continue;
    const close =
      isKeywordItem(item, 'read_files') && isSymbol(items[index + 1], '(')
        ? findClosingBracket(items, index + 1)
        : undefined;
    if (close !== undefined) {
      result.push(...rewriteReadFilesCall(items, index + 1, close));
      index = close;
      continue;
    }
    const [dot, name] = [items[index + 1], items[index + 2]];
    const reader =
      item.kind === 'word' && isSymbol(dot, '.') && name?.kind === 'name' && isManaged(name.value)
        ? readers[item.value.toLowerCase()]
        : undefined;
    if (reader === undefined || name === undefined) result.push(item);
    else {
      result.push(
        word(reader),
        sign('('),
        { kind: 'text', value: name.value, spaceBefore: false },
        sign(')'),
      );
      index += 2;
    }
  }
  return result;
}

/** Name of an option -> that of DuckDB; undefined: DuckDB finds out by itself. */
export const readerOptions: Readonly<Record<string, string | undefined>> = {
  sep: 'delim',
  delimiter: 'delim',
  header: 'header',
  quote: 'quote',
  escape: 'escape',
  nullvalue: 'nullstr',
  dateformat: 'dateformat',
  timestampformat: 'timestampformat',
  skiprows: 'skip',
  inferschema: undefined,
  infercolumntypes: undefined,
  multiline: undefined,
  mode: undefined,
  encoding: 'encoding',
  samplesize: 'sample_size',
};

function rewriteReadFilesCall(items: readonly SqlItem[], open: number, close: number): SqlItem[] {
  const [path, ...more] = splitArguments(items, open, close);
  if (path === undefined) throw invalid('read_files in the query names no file.');
  let format: string | undefined;
  const kept: SqlItem[][] = [];
  for (const [from, to] of more) {
    const name = items[from]?.value.toLowerCase() ?? '';
    const value = items.slice(from + 2, to);
    if (!isSymbol(items[from + 1], '=>'))
      throw invalid(
        `read_files in the query has the argument ${quote(items[from]?.value)}; behind the file, arguments are written as name => value.`,
      );
    if (name === 'format') format = value[0]?.value.toLowerCase() ?? '';
    else if (!Object.hasOwn(readerOptions, name))
      throw invalid(
        `read_files in the query has the option ${quote(items[from]?.value)}, which is not known here; known are format, ${Object.keys(readerOptions).join(', ')}.`,
      );
    else if (readerOptions[name] !== undefined)
      kept.push([sign(','), word(readerOptions[name]), { ...sign('='), spaceBefore: true }, ...value]);
  }
  const file = items.slice(...path);
  const named = file
    .find(({ kind }) => kind === 'text')
    ?.value.toLowerCase()
    .replace(/\.gz$/, '');
  const chosen = format ?? /\.([a-z]+)$/.exec(named ?? '')?.[1] ?? '';
  const reader = Object.hasOwn(readers, chosen) ? readers[chosen] : undefined;
  if (reader === undefined)
    throw invalid(
      `read_files in the query reads the format ${quote(chosen)}; it must be one of ${Object.keys(readers).join(', ')}, such as format => 'csv'.`,
    );
  return [word(reader), sign('('), ...file, ...kept.flat(), sign(')')];
}

function word(value: string): SqlItem {
  return { kind: 'word', value, spaceBefore: true };
}

function sign(value: string): SqlItem {
  return { kind: 'sign', value, spaceBefore: false };
}
