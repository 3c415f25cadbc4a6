/**
 * Reads calls of `read_files(…, format => 'csv')` and replaces them by the function of DuckDB for the format.
 */
import { invalid } from '../errors.ts';
import { quote } from '../validation/messages.ts';
import { findCallEnd, isSymbol, splitArguments, type ItemRange, type SqlItem } from './sql-items.ts';

/** Format of `read_files` -> function of DuckDB. */
export const readers: ReadonlyMap<string, string> = new Map([
  ['csv', 'read_csv'],
  ['tsv', 'read_csv'],
  ['json', 'read_json'],
  ['ndjson', 'read_json'],
  ['parquet', 'read_parquet'],
  ['text', 'read_text'],
]);

/** Option of `read_files` -> option of DuckDB; undefined where DuckDB detects the value by itself. */
const readerOptions: ReadonlyMap<string, string | undefined> = new Map([
  ['sep', 'delim'],
  ['delimiter', 'delim'],
  ['header', 'header'],
  ['quote', 'quote'],
  ['escape', 'escape'],
  ['nullvalue', 'nullstr'],
  ['dateformat', 'dateformat'],
  ['timestampformat', 'timestampformat'],
  ['skiprows', 'skip'],
  ['inferschema', undefined],
  ['infercolumntypes', undefined],
  ['multiline', undefined],
  ['mode', undefined],
  ['encoding', 'encoding'],
  ['samplesize', 'sample_size'],
]);

/** Option of a call: `name => value`. */
export interface ReadFilesOption {
  /** Indices of the items of the option. */
  readonly range: ItemRange;
  readonly isKnown: boolean;
  /** Option of DuckDB; undefined where the option is to be left out, and for an unknown one. */
  readonly duckdbName: string | undefined;
}

export interface ReadFilesCall {
  /** Function of DuckDB that reads the format. */
  readonly reader: string;
  /** Indices of the items of the first argument. */
  readonly file: ItemRange;
  readonly options: readonly ReadFilesOption[];
  /** Index of the closing bracket. */
  readonly close: number;
}

/**
 * Reads a call of `read_files` at an index; undefined for anything else.
 * @throws ServiceError when the call names no file, or its format is unknown
 */
export function parseReadFiles(items: readonly SqlItem[], index: number): ReadFilesCall | undefined {
  const close = findCallEnd(items, index, 'read_files');
  if (close === undefined) return undefined;
  const [file, ...others] = splitArguments(items, index + 1, close);
  if (file === undefined) throw invalid('read_files names no file.');
  let format: string | undefined;
  const options = others.map((range): ReadFilesOption => {
    const [start] = range;
    if (!isSymbol(items[start + 1], '=>'))
      throw invalid(
        `read_files has the argument ${quote(items[start]?.value)}; after the file, arguments are written as name => value.`,
      );
    const name = items[start]?.value.toLowerCase() ?? '';
    const value = items[start + 2];
    if (name === 'format')
      format = value === undefined || value.kind === 'parameter' ? '' : value.value.toLowerCase();
    return {
      range,
      isKnown: name === 'format' || readerOptions.has(name),
      duckdbName: readerOptions.get(name),
    };
  });
  return { reader: findReader(format ?? formatOfFile(items.slice(...file))), file, options, close };
}

/** Returns the format that the extension of a file names. */
function formatOfFile(file: readonly SqlItem[]): string {
  const path = file.find(({ kind }) => kind === 'text')?.value.toLowerCase() ?? '';
  return /\.([a-z]+)$/.exec(path.replace(/\.gz$/, ''))?.[1] ?? '';
}

function findReader(format: string): string {
  const reader = readers.get(format);
  if (reader !== undefined) return reader;
  throw invalid(
    `read_files reads the format ${quote(format)}; it must be one of ${[...readers.keys()].join(', ')}, such as format => 'csv'.`,
  );
}

/**
 * Replaces `read_files(…, format => 'csv')` by `read_csv(…)`.
 * @throws ServiceError as `parseReadFiles`, and for an unknown option
 */
export function rewriteReadFiles(items: readonly SqlItem[]): SqlItem[] {
  const result: SqlItem[] = [];
  for (let index = 0; index < items.length; index += 1) {
    const item = items[index];
    if (item === undefined) continue;
    const call = parseReadFiles(items, index);
    if (call === undefined) {
      result.push(item);
      continue;
    }
    result.push(
      { kind: 'word', value: call.reader, spaceBefore: true },
      sign('('),
      ...items.slice(...call.file),
      ...call.options.flatMap((option) => toDuckdbOption(items, option)),
      sign(')'),
    );
    index = call.close;
  }
  return result;
}

function toDuckdbOption(
  items: readonly SqlItem[],
  { range: [start, end], isKnown, duckdbName }: ReadFilesOption,
): SqlItem[] {
  if (!isKnown)
    throw invalid(
      `read_files has the option ${quote(items[start]?.value)}, which is unknown; known options are format, ${[...readerOptions.keys()].join(', ')}.`,
    );
  if (duckdbName === undefined) return [];
  return [
    sign(','),
    { kind: 'word', value: duckdbName, spaceBefore: true },
    { ...sign('='), spaceBefore: true },
    ...items.slice(start + 2, end),
  ];
}

function sign(value: string): SqlItem {
  return { kind: 'sign', value, spaceBefore: false };
}
