/** Finds the streams of a query: tables and files that a flow reads incrementally. */
import { findFileItems } from '../sql/query-files.ts';
import { rewriteReadFiles } from '../sql/read-files.ts';
import {
  findCallEnd,
  findClosingBracket,
  isKeywordItem,
  isSymbol,
  quoteDuckdbText,
  renderSql,
  type SqlItem,
} from '../sql/sql-items.ts';
import { canonicalUri } from '../validation/aliases.ts';
import { escapeGlob } from './glob.ts';
import { invalidAt, type SourceLocation } from './source-location.ts';
import { countNameParts, findTablePositions } from './table-positions.ts';

/** Schema that holds the new rows of each stream, as a table with the name of the stream. */
export const streamSchema = '~stream';

/** Source that a query reads incrementally. */
export type StreamSource =
  | { readonly kind: 'dataset'; readonly name: string; readonly location: SourceLocation }
  | {
      readonly kind: 'files';
      /** Name in the schema of streams. */
      readonly name: string;
      /** File or pattern, as `managed_fs:/…` or `objstore://…`. */
      readonly uri: string;
      readonly location: SourceLocation;
      /** Returns the call of the DuckDB function that reads these files. @param paths paths on this host */
      reader(paths: readonly string[]): string;
    };

/** Tells whether an item names a file that a pipeline can read. */
export function isInputFile({ kind, value }: SqlItem): boolean {
  return kind === 'text' && /^(managed_fs:|objstore:\/\/)/.test(canonicalUri(value));
}

/** Returns files as a list, or as further entries of the list in which they are named. */
export function toFilesItem(item: SqlItem, before: SqlItem | undefined, paths: readonly string[]): SqlItem {
  const list = paths.map((path) => quoteDuckdbText(escapeGlob(path))).join(', ');
  return { ...item, kind: 'code', value: isSymbol(before, '(') ? `[${list}]` : list };
}

/** Keywords that may follow a table; `stream` before one of them is the name of a table. */
const keywordsAfterTable = new Set([
  'as',
  'where',
  'join',
  'inner',
  'left',
  'right',
  'full',
  'cross',
  'natural',
  'on',
  'using',
  'group',
  'order',
  'having',
  'limit',
  'union',
  'intersect',
  'except',
  'window',
  'qualify',
  'lateral',
  'tablesample',
  'asof',
  'semi',
  'anti',
  'positional',
]);

/**
 * Replaces each `STREAM t`, `STREAM(t)` and `STREAM read_files(…)` by a table of the schema of streams, and
 * adds it to `streams`.
 */
export function extractStreams(
  items: readonly SqlItem[],
  owner: string,
  streams: StreamSource[],
  locate: (item: SqlItem) => SourceLocation,
): SqlItem[] {
  const result: SqlItem[] = [];
  const tables = findTablePositions(items);
  for (let index = 0; index < items.length; index += 1) {
    const item = items[index];
    if (item === undefined) continue;
    if (!tables.has(index) || !isStreamReference(items, index)) {
      result.push(item);
      continue;
    }
    const { end, toStream } = parseStream(items, index, locate(item));
    const stream = toStream(`files ${streams.length + 1} of ${owner}`);
    streams.push(stream);
    result.push(
      { ...item, kind: 'name', value: streamSchema, spaceBefore: true },
      { kind: 'sign', value: '.', spaceBefore: false },
      { ...item, kind: 'name', value: stream.name, spaceBefore: false },
    );
    index = end - 1;
  }
  return result;
}

function isStreamReference(items: readonly SqlItem[], index: number): boolean {
  if (!isKeywordItem(items[index], 'stream')) return false;
  const next = items[index + 1];
  return (
    isSymbol(next, '(') ||
    next?.kind === 'name' ||
    (next?.kind === 'word' && !keywordsAfterTable.has(next.value.toLowerCase()))
  );
}

interface ParsedStream {
  /** Index after the last item of the stream. */
  readonly end: number;
  /** Returns the stream. @param name name of a stream of files */
  toStream(name: string): StreamSource;
}

function parseStream(items: readonly SqlItem[], index: number, location: SourceLocation): ParsedStream {
  const hasBracket = isSymbol(items[index + 1], '(');
  const start = hasBracket ? index + 2 : index + 1;
  const close = hasBracket ? findClosingBracket(items, index + 1) : undefined;
  if (hasBracket && close === undefined) throw invalidAt(location, 'the bracket after STREAM is not closed.');
  const callEnd = findCallEnd(items, start, 'read_files');
  const parsed =
    callEnd === undefined
      ? parseStreamedDataset(items, start, location)
      : { toStream: parseStreamedFiles(items.slice(start, callEnd + 1), location), end: callEnd + 1 };
  if (close === undefined) return parsed;
  if (parsed.end !== close)
    throw invalidAt(
      location,
      'STREAM takes a table or read_files(…) between its brackets, and nothing else.',
    );
  return { ...parsed, end: close + 1 };
}

function parseStreamedDataset(
  items: readonly SqlItem[],
  start: number,
  location: SourceLocation,
): ParsedStream {
  const parts = countNameParts(items, start);
  const name = items[start + 2 * (parts - 1)]?.value;
  if (parts === 0 || name === undefined)
    throw invalidAt(location, 'a table or read_files(…) was expected after STREAM.');
  return { toStream: () => ({ kind: 'dataset', name, location }), end: start + 2 * parts - 1 };
}

function parseStreamedFiles(call: readonly SqlItem[], location: SourceLocation): ParsedStream['toStream'] {
  const items = rewriteReadFiles(call);
  const [file, ...others] = findFileItems(items, isInputFile);
  if (file === undefined || others.length > 0)
    throw invalidAt(
      location,
      'STREAM read_files reads one file or pattern of managed_fs or objstore, such as managed_fs:/landing/*.csv.',
    );
  const uri = canonicalUri(items[file]?.value ?? '');
  // The files of one step may differ in their columns.
  const isMerged = !isKeywordItem(items[0], 'read_text');
  const readerItems: SqlItem[] = isMerged
    ? [...items.slice(0, -1), { kind: 'code', value: ', union_by_name = true)', spaceBefore: false }]
    : items;
  return (name) => ({
    kind: 'files',
    name,
    uri,
    location,
    reader: (paths) =>
      renderSql(
        readerItems.map((item, index) =>
          index === file ? toFilesItem(item, items[index - 1], paths) : item,
        ),
      ),
  });
}
