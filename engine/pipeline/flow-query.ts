/** The query of a flow or view: which streams and files it reads, and how it is written for DuckDB. */
import { forDuckdb } from '../sql/duckdb-query.ts';
import { filePlaces, rewriteFileCalls } from '../sql/query-files.ts';
import {
  closingOf,
  duckdbText,
  isSign,
  isWordItem,
  itemsOf,
  written,
  type Item,
} from '../sql/query-items.ts';
import { tokensOf } from '../sql/tokens.ts';
import { messageOf, ServiceError } from '../errors.ts';
import { canonicalUri } from '../validation/aliases.ts';
import { keyOf, type SourceSql } from './definition.ts';
import { literally } from './glob.ts';
import { refusedAt, type Place } from './source-place.ts';

/** Schema in which a query finds what is new in its streams, under the name of each. */
export const streamSchema = '~stream';

/** What a query reads step by step. */
export type StreamSource =
  | { readonly kind: 'dataset'; readonly name: string; readonly place: Place }
  | {
      readonly kind: 'files';
      /** As it is known in the schema of streams. */
      readonly name: string;
      /** File or pattern, as `managed_fs:/…` or `objstore://…`. */
      readonly uri: string;
      readonly place: Place;
      /** The function of DuckDB that reads these files, paths of this machine. */
      reader(paths: readonly string[]): string;
    };

export interface ReadQuery {
  readonly streams: readonly StreamSource[];
  /** Files and patterns that it reads as a whole. */
  readonly files: readonly { readonly uri: string; readonly place: Place }[];
  /** @param filesOf paths of this machine that a file or pattern stands for */
  sql(filesOf: (uri: string) => readonly string[]): string;
  /** Where a name stands in it, for errors; its beginning when the name is not found. */
  placeOf(name: string): Place;
}

/** Under which names the pipeline's own datasets may be called, beside their own. */
export interface Naming {
  /** Keys of tables and views. */
  readonly datasets: ReadonlySet<string>;
  readonly catalog: string | undefined;
  readonly schema: string | undefined;
}

/**
 * @param owner the flow or view that it is of
 * @throws ServiceError that names the place of what is not understood
 */
export function readQuery(owner: string, source: SourceSql, naming: Naming): ReadQuery {
  const original = itemsOf(tokensOf(source.text));
  const placed = ({ at = 0 }: { readonly at?: number | undefined }): Place => ({
    file: source.place.file,
    at: source.place.at + at,
  });
  const streams: StreamSource[] = [];
  const items = translated(source, () =>
    forDuckdb(withRanges(withoutOwnNames(withoutStreams(original, owner, streams, placed), naming))),
  );
  const places = filePlaces(items, isInput);
  for (const place of places) {
    if (startsTable(items[place - 1]))
      throw refusedAt(
        placed(items[place] ?? {}),
        `a file is read with read_files(${duckdbText(items[place]?.value ?? '')}), not by its bare name.`,
      );
  }
  return {
    streams,
    files: places.map((place) => ({ uri: items[place]?.value ?? '', place: placed(items[place] ?? {}) })),
    sql: (filesOf) =>
      written(
        items.map((item, index) =>
          places.includes(index) ? filesItem(item, items[index - 1], filesOf(item.value)) : item,
        ),
      ),
    placeOf: (name) =>
      placed(
        original.find(({ kind, value }) => kind !== 'sign' && value.toLowerCase() === name.toLowerCase()) ??
          {},
      ),
  };
}

/** A condition, for DuckDB. @throws ServiceError that names its place */
export function readCondition(source: SourceSql): string {
  const items = translated(source, () =>
    forDuckdb([{ kind: 'word', value: 'SELECT', spaced: true }, ...itemsOf(tokensOf(source.text))]),
  );
  return written(items.slice(1));
}

function translated(source: SourceSql, translate: () => Item[]): Item[] {
  try {
    return translate();
  } catch (error) {
    if (!(error instanceof ServiceError) || error.message.startsWith(source.place.file.path)) throw error;
    throw refusedAt(source.place, messageOf(error));
  }
}

function isInput(text: string): boolean {
  return /^(managed_fs:|objstore:\/\/)/.test(canonicalUri(text));
}

function startsTable(item: Item | undefined): boolean {
  return isWordItem(item, 'from') || isWordItem(item, 'join');
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
function tablePlaces(items: readonly Item[]): Set<number> {
  const places = new Set<number>();
  const inFrom = [false];
  for (const [index, item] of items.entries()) {
    if (isSign(item, '(')) inFrom.push(false);
    else if (isSign(item, ')')) inFrom.pop();
    else if (startsTable(item)) inFrom[inFrom.length - 1] = true;
    else if (item.kind === 'word' && clauses.has(item.value.toLowerCase())) inFrom[inFrom.length - 1] = false;
    if (startsTable(item) || (isSign(item, ',') && inFrom.at(-1) === true)) places.add(index + 1);
  }
  return places;
}

/** Files as a list, or as more entries of the list in which they are named. */
function filesItem(item: Item, before: Item | undefined, paths: readonly string[]): Item {
  const list = paths.map((path) => duckdbText(literally(path))).join(', ');
  return { ...item, kind: 'code', value: isSign(before, '(') ? `[${list}]` : list };
}

/** Words behind a table, so that one named `stream` before them is a table. */
const behindTables = new Set([
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
function withoutStreams(
  items: readonly Item[],
  owner: string,
  streams: StreamSource[],
  placed: (item: Item) => Place,
): Item[] {
  const result: Item[] = [];
  const tables = tablePlaces(items);
  for (let index = 0; index < items.length; index += 1) {
    const item = items[index];
    if (item === undefined) continue;
    const found =
      tables.has(index) && isStream(items, index) ? streamedAt(items, index, placed(item)) : undefined;
    if (found === undefined) {
      result.push(item);
      continue;
    }
    const stream = found.of(`files ${streams.length + 1} of ${owner}`);
    streams.push(stream);
    const name = (value: string): Item => ({
      kind: 'name',
      value,
      spaced: true,
      ...(item.at !== undefined && { at: item.at }),
    });
    result.push(
      name(streamSchema),
      { kind: 'sign', value: '.', spaced: false },
      { ...name(stream.name), spaced: false },
    );
    index = found.end - 1;
  }
  return result;
}

function isStream(items: readonly Item[], index: number): boolean {
  if (!isWordItem(items[index], 'stream')) return false;
  const next = items[index + 1];
  return (
    isSign(next, '(') ||
    next?.kind === 'name' ||
    (next?.kind === 'word' && !behindTables.has(next.value.toLowerCase()))
  );
}

function streamedAt(
  items: readonly Item[],
  index: number,
  place: Place,
): { readonly end: number; of(name: string): StreamSource } {
  const bracket = isSign(items[index + 1], '(');
  const start = bracket ? index + 2 : index + 1;
  const close = bracket ? closingOf(items, index + 1) : undefined;
  if (bracket && close === undefined) throw refusedAt(place, 'the bracket behind STREAM is not closed.');
  const read = readsFiles(items, start);
  const [of, end] =
    read === undefined
      ? streamedDataset(items, start, place)
      : [streamedFiles(items.slice(start, read + 1), place), read + 1];
  if (close !== undefined && end !== close)
    throw refusedAt(place, 'STREAM takes a table or read_files(…) between its brackets, and nothing else.');
  return { of, end: close === undefined ? end : close + 1 };
}

/**
 * Index of the bracket that closes the call of read_files that begins at `start`; undefined for anything
 * else.
 */
function readsFiles(items: readonly Item[], start: number): number | undefined {
  return isWordItem(items[start], 'read_files') && isSign(items[start + 1], '(')
    ? closingOf(items, start + 1)
    : undefined;
}

function streamedDataset(
  items: readonly Item[],
  start: number,
  place: Place,
): [of: (name: string) => StreamSource, end: number] {
  const names = chainAt(items, start);
  const name = items[start + 2 * (names - 1)]?.value;
  if (names === 0 || name === undefined)
    throw refusedAt(place, 'behind STREAM, a table or read_files(…) was expected.');
  return [() => ({ kind: 'dataset', name, place }), start + 2 * names - 1];
}

function streamedFiles(call: readonly Item[], place: Place): (name: string) => StreamSource {
  const items = rewriteFileCalls(call);
  const [file, ...more] = filePlaces(items, isInput);
  if (file === undefined || more.length > 0)
    throw refusedAt(
      place,
      'STREAM read_files reads one file or pattern of managed_fs or objstore, such as managed_fs:/landing/*.csv.',
    );
  const uri = canonicalUri(items[file]?.value ?? '');
  // Files of one step may have been written with more columns than others.
  const isMerged = !isWordItem(items[0], 'read_text');
  const all = isMerged
    ? [...items.slice(0, -1), { kind: 'code' as const, value: ', union_by_name = true)', spaced: false }]
    : items;
  return (name) => ({
    kind: 'files',
    name,
    uri,
    place,
    reader: (paths) =>
      written(all.map((item, index) => (index === file ? filesItem(item, items[index - 1], paths) : item))),
  });
}

/** How many names stand here with dots between them. */
function chainAt(items: readonly Item[], start: number): number {
  let names = 0;
  for (let index = start; items[index]?.kind === 'word' || items[index]?.kind === 'name'; index += 2) {
    names += 1;
    if (!isSign(items[index + 1], '.')) break;
  }
  return names;
}

/** `live.t`, `schema.t` and `catalog.schema.t` become `t`, where that is a dataset of the pipeline. */
function withoutOwnNames(items: readonly Item[], { datasets, catalog, schema }: Naming): Item[] {
  const own = new Set([
    'live',
    ...(schema === undefined
      ? []
      : [keyOf(schema), ...(catalog === undefined ? [] : [keyOf(`${catalog}.${schema}`)])]),
  ]);
  const result: Item[] = [];
  const tables = tablePlaces(items);
  for (let index = 0; index < items.length; index += 1) {
    const item = items[index];
    if (item === undefined) continue;
    const names = tables.has(index) ? chainAt(items, index) : 0;
    const chain = Array.from({ length: names }, (_, place) => items[index + 2 * place]?.value ?? '');
    const last = items[index + 2 * (names - 1)];
    if (
      names > 1 &&
      last !== undefined &&
      own.has(keyOf(chain.slice(0, -1).join('.'))) &&
      datasets.has(keyOf(last.value))
    ) {
      result.push({ ...last, spaced: true });
      index += 2 * (names - 1);
    } else result.push(item);
  }
  return result;
}

/** `FROM range(…)` has a column `id`, which DuckDB calls otherwise. */
function withRanges(items: readonly Item[]): Item[] {
  const result = [...items];
  const tables = tablePlaces(items);
  for (const [index, item] of items.entries()) {
    const close =
      tables.has(index) && isWordItem(item, 'range') && isSign(items[index + 1], '(')
        ? closingOf(items, index + 1)
        : undefined;
    if (close === undefined) continue;
    result[index] = { ...item, kind: 'code', value: '(SELECT range AS id FROM range' };
    result[close] = { kind: 'code', value: '))', spaced: false };
  }
  return result;
}
