/** The query of a flow or view: which streams and files it reads, and how it is written for DuckDB. */
import { toDuckdbItems } from '../sql/duckdb-query.ts';
import { findFileItems, rewriteReadFiles } from '../sql/query-files.ts';
import {
  findClosingBracket,
  quoteDuckdbText,
  isSymbol,
  isKeywordItem,
  toSqlItems,
  renderSql,
  type SqlItem,
} from '../sql/sql-items.ts';
import { tokenize } from '../sql/tokenizer.ts';
import { messageOf, ServiceError } from '../errors.ts';
import { canonicalUri } from '../validation/aliases.ts';
import { datasetKeyOf, type SourceSql } from './definition.ts';
import { escapeGlob } from './glob.ts';
import { invalidAt, type SourceLocation } from './source-location.ts';

/** Schema in which a query finds what is new in its streams, under the name of each. */
export const streamSchema = '~stream';

/** What a query reads step by step. */
export type StreamSource =
  | { readonly kind: 'dataset'; readonly name: string; readonly location: SourceLocation }
  | {
      readonly kind: 'files';
      /** As it is known in the schema of streams. */
      readonly name: string;
      /** File or pattern, as `managed_fs:/…` or `objstore://…`. */
      readonly uri: string;
      readonly location: SourceLocation;
      /** The function of DuckDB that reads these files, paths of this machine. */
      reader(paths: readonly string[]): string;
    };

export interface FlowQuery {
  readonly streams: readonly StreamSource[];
  /** Files and patterns that it reads as a whole. */
  readonly files: readonly { readonly uri: string; readonly location: SourceLocation }[];
  /** @param filesOf paths of this machine that a file or pattern stands for */
  sql(filesOf: (uri: string) => readonly string[]): string;
  /** Where a name stands in it, for errors; its beginning when the name is not found. */
  locationOf(name: string): SourceLocation;
}

/** Under which names the pipeline's own datasets may be called, beside their own. */
export interface DatasetNaming {
  /** Keys of tables and views. */
  readonly datasets: ReadonlySet<string>;
  readonly catalog: string | undefined;
  readonly schema: string | undefined;
}

/**
 * @param owner the flow or view that it is of
 * @throws ServiceError that names the place of what is not understood
 */
export function parseFlowQuery(owner: string, source: SourceSql, naming: DatasetNaming): FlowQuery {
  const original = toSqlItems(tokenize(source.text));
  const placed = ({ offset = 0 }: { readonly offset?: number | undefined }): SourceLocation => ({
    file: source.location.file,
    offset: source.location.offset + offset,
  });
  const streams: StreamSource[] = [];
  const items = translateWithLocation(source, () =>
    toDuckdbItems(
      rewriteRangeCalls(stripOwnQualifiers(extractStreams(original, owner, streams, placed), naming)),
    ),
  );
  const places = findFileItems(items, isInputUri);
  for (const place of places) {
    if (isTableKeyword(items[place - 1]))
      throw invalidAt(
        placed(items[place] ?? {}),
        `a file is read with read_files(${quoteDuckdbText(items[place]?.value ?? '')}), not by its bare name.`,
      );
  }
  return {
    streams,
    files: places.map((place) => ({ uri: items[place]?.value ?? '', location: placed(items[place] ?? {}) })),
    sql: (filesOf) =>
      renderSql(
        items.map((item, index) =>
          places.includes(index) ? toFilesItem(item, items[index - 1], filesOf(item.value)) : item,
        ),
      ),
    locationOf: (name) =>
      placed(
        original.find(({ kind, value }) => kind !== 'sign' && value.toLowerCase() === name.toLowerCase()) ??
          {},
      ),
  };
}

/** A condition, for DuckDB. @throws ServiceError that names its place */
export function parseCondition(source: SourceSql): string {
  const items = translateWithLocation(source, () =>
    toDuckdbItems([
      { kind: 'word', value: 'SELECT', spaceBefore: true },
      ...toSqlItems(tokenize(source.text)),
    ]),
  );
  return renderSql(items.slice(1));
}

function translateWithLocation(source: SourceSql, translate: () => SqlItem[]): SqlItem[] {
  try {
    return translate();
  } catch (error) {
    if (!(error instanceof ServiceError) || error.message.startsWith(source.location.file.path)) throw error;
    throw invalidAt(source.location, messageOf(error));
  }
}

function isInputUri(text: string): boolean {
  return /^(managed_fs:|objstore:\/\/)/.test(canonicalUri(text));
}

function isTableKeyword(item: SqlItem | undefined): boolean {
  return isKeywordItem(item, 'from') || isKeywordItem(item, 'join');
}

const clauses = new Set([
  'select',
  'where',
  'group',
  'having',
  'order',
  'limit',
  'qualify',
  'window',
  'on',
  'union',
  'intersect',
  'except',
  'returning',
]);

/** Indices at which a table may begin: behind FROM and JOIN, and behind a comma between two tables. */
function findTablePositions(items: readonly SqlItem[]): Set<number> {
  const places = new Set<number>();
  const inFrom = [false];
  for (const [index, item] of items.entries()) {
    if (isSymbol(item, '(')) inFrom.push(false);
    else if (isSymbol(item, ')')) inFrom.pop();
    else if (isTableKeyword(item)) inFrom[inFrom.length - 1] = true;
    else if (item.kind === 'word' && clauses.has(item.value.toLowerCase())) inFrom[inFrom.length - 1] = false;
    if (isTableKeyword(item) || (isSymbol(item, ',') && inFrom.at(-1) === true)) places.add(index + 1);
  }
  return places;
}

/** Files as a list, or as more entries of the list in which they are named. */
function toFilesItem(item: SqlItem, before: SqlItem | undefined, paths: readonly string[]): SqlItem {
  const list = paths.map((path) => quoteDuckdbText(escapeGlob(path))).join(', ');
  return { ...item, kind: 'code', value: isSymbol(before, '(') ? `[${list}]` : list };
}

/** Words behind a table, so that one named `stream` before them is a table. */
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
 * Every `STREAM t`, `STREAM(t)` and `STREAM read_files(…)` becomes a table of the schema of streams, and is
 * kept in `streams`.
 */
function extractStreams(
  items: readonly SqlItem[],
  owner: string,
  streams: StreamSource[],
  placed: (item: SqlItem) => SourceLocation,
): SqlItem[] {
  const result: SqlItem[] = [];
  const tables = findTablePositions(items);
  for (let index = 0; index < items.length; index += 1) {
    const item = items[index];
    if (item === undefined) continue;
    const found =
      tables.has(index) && isStreamReference(items, index)
        ? parseStream(items, index, placed(item))
        : undefined;
    if (found === undefined) {
      result.push(item);
      continue;
    }
    const stream = found.of(`files ${streams.length + 1} of ${owner}`);
    streams.push(stream);
    const name = (value: string): SqlItem => ({
      kind: 'name',
      value,
      spaceBefore: true,
      ...(item.offset !== undefined && { offset: item.offset }),
    });
    result.push(
      name(streamSchema),
      { kind: 'sign', value: '.', spaceBefore: false },
      { ...name(stream.name), spaceBefore: false },
    );
    index = found.end - 1;
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

function parseStream(
  items: readonly SqlItem[],
  index: number,
  place: SourceLocation,
): { readonly end: number; of(name: string): StreamSource } {
  const bracket = isSymbol(items[index + 1], '(');
  const start = bracket ? index + 2 : index + 1;
  const close = bracket ? findClosingBracket(items, index + 1) : undefined;
  if (bracket && close === undefined) throw invalidAt(place, 'the bracket behind STREAM is not closed.');
  const read = findReadFilesEnd(items, start);
  const [of, end] =
    read === undefined
      ? parseStreamedDataset(items, start, place)
      : [parseStreamedFiles(items.slice(start, read + 1), place), read + 1];
  if (close !== undefined && end !== close)
    throw invalidAt(place, 'STREAM takes a table or read_files(…) between its brackets, and nothing else.');
  return { of, end: close === undefined ? end : close + 1 };
}

/**
 * Index of the bracket that closes the call of read_files that begins at `start`; undefined for anything
 * else.
 */
function findReadFilesEnd(items: readonly SqlItem[], start: number): number | undefined {
  return isKeywordItem(items[start], 'read_files') && isSymbol(items[start + 1], '(')
    ? findClosingBracket(items, start + 1)
    : undefined;
}

function parseStreamedDataset(
  items: readonly SqlItem[],
  start: number,
  place: SourceLocation,
): [of: (name: string) => StreamSource, end: number] {
  const names = countNameParts(items, start);
  const name = items[start + 2 * (names - 1)]?.value;
  if (names === 0 || name === undefined)
    throw invalidAt(place, 'behind STREAM, a table or read_files(…) was expected.');
  return [() => ({ kind: 'dataset', name, location: place }), start + 2 * names - 1];
}

function parseStreamedFiles(call: readonly SqlItem[], place: SourceLocation): (name: string) => StreamSource {
  const items = rewriteReadFiles(call);
  const [file, ...more] = findFileItems(items, isInputUri);
  if (file === undefined || more.length > 0)
    throw invalidAt(
      place,
      'STREAM read_files reads one file or pattern of managed_fs or objstore, such as managed_fs:/landing/*.csv.',
    );
  const uri = canonicalUri(items[file]?.value ?? '');
  // Files of one step may have been written with more columns than others.
  const isMerged = !isKeywordItem(items[0], 'read_text');
  const all = isMerged
    ? [...items.slice(0, -1), { kind: 'code' as const, value: ', union_by_name = true)', spaceBefore: false }]
    : items;
  return (name) => ({
    kind: 'files',
    name,
    uri,
    location: place,
    reader: (paths) =>
      renderSql(
        all.map((item, index) => (index === file ? toFilesItem(item, items[index - 1], paths) : item)),
      ),
  });
}

/** How many names stand here with dots between them. */
function countNameParts(items: readonly SqlItem[], start: number): number {
  let names = 0;
  for (let index = start; items[index]?.kind === 'word' || items[index]?.kind === 'name'; index += 2) {
    names += 1;
    if (!isSymbol(items[index + 1], '.')) break;
  }
  return names;
}

/** `live.t`, `schema.t` and `catalog.schema.t` become `t`, where that is a dataset of the pipeline. */
function stripOwnQualifiers(
  items: readonly SqlItem[],
  { datasets, catalog, schema }: DatasetNaming,
): SqlItem[] {
  const own = new Set([
    'live',
    ...(schema === undefined
      ? []
      : [datasetKeyOf(schema), ...(catalog === undefined ? [] : [datasetKeyOf(`${catalog}.${schema}`)])]),
  ]);
  const result: SqlItem[] = [];
  const tables = findTablePositions(items);
  for (let index = 0; index < items.length; index += 1) {
    const item = items[index];
    if (item === undefined) continue;
    const names = tables.has(index) ? countNameParts(items, index) : 0;
    const chain = Array.from({ length: names }, (_, place) => items[index + 2 * place]?.value ?? '');
    const last = items[index + 2 * (names - 1)];
    if (
      names > 1 &&
      last !== undefined &&
      own.has(datasetKeyOf(chain.slice(0, -1).join('.'))) &&
      datasets.has(datasetKeyOf(last.value))
    ) {
      result.push({ ...last, spaceBefore: true });
      index += 2 * (names - 1);
    } else result.push(item);
  }
  return result;
}

/** `FROM range(…)` has a column `id`, which DuckDB calls otherwise. */
function rewriteRangeCalls(items: readonly SqlItem[]): SqlItem[] {
  const result = [...items];
  const tables = findTablePositions(items);
  for (const [index, item] of items.entries()) {
    const close =
      tables.has(index) && isKeywordItem(item, 'range') && isSymbol(items[index + 1], '(')
        ? findClosingBracket(items, index + 1)
        : undefined;
    if (close === undefined) continue;
    result[index] = { ...item, kind: 'code', value: '(SELECT range AS id FROM range' };
    result[close] = { kind: 'code', value: '))', spaceBefore: false };
  }
  return result;
}
