/** Translates the query of a flow or view for DuckDB, and finds the streams and files that it reads. */
import { messageOf, ServiceError } from '../errors.ts';
import { toDuckdbItems } from '../sql/duckdb-query.ts';
import { findFileItems } from '../sql/query-files.ts';
import { findCallEnd, quoteDuckdbText, renderSql, toSqlItems, type SqlItem } from '../sql/sql-items.ts';
import { tokenize } from '../sql/tokenizer.ts';
import { datasetKeyOf, type SourceSql } from './definition.ts';
import { extractStreams, isInputFile, toFilesItem, type StreamSource } from './flow-streams.ts';
import { invalidAt, type SourceLocation } from './source-location.ts';
import { countNameParts, findTablePositions, isTableKeyword } from './table-positions.ts';

export interface FlowQuery {
  readonly streams: readonly StreamSource[];
  /** Files and patterns that the query reads as a whole. */
  readonly files: readonly { readonly uri: string; readonly location: SourceLocation }[];
  /** Returns the query for DuckDB. @param filesOf returns the paths on this host of a file or pattern */
  sql(filesOf: (uri: string) => readonly string[]): string;
  /** Returns the location of a name, for errors; the start of the query when the name is not found. */
  locationOf(name: string): SourceLocation;
}

/** Qualified names of the pipeline's own datasets. */
export interface DatasetNaming {
  /** Keys of tables and views. */
  readonly datasets: ReadonlySet<string>;
  readonly catalog: string | undefined;
  readonly schema: string | undefined;
}

/**
 * Reads the query of a flow or view.
 * @param owner name of the flow or view
 * @throws ServiceError with the location of what is not supported
 */
export function parseFlowQuery(owner: string, source: SourceSql, naming: DatasetNaming): FlowQuery {
  const original = toSqlItems(tokenize(source.text));
  const locate = (item: SqlItem | undefined): SourceLocation => ({
    file: source.location.file,
    offset: source.location.offset + (item?.token?.offset ?? 0),
  });
  const streams: StreamSource[] = [];
  const items = translateWithLocation(source, () =>
    toDuckdbItems(
      rewriteRangeCalls(stripOwnQualifiers(extractStreams(original, owner, streams, locate), naming)),
    ),
  );
  const fileIndices = findFileItems(items, isInputFile);
  const bareFile = fileIndices.find((index) => isTableKeyword(items[index - 1]));
  if (bareFile !== undefined)
    throw invalidAt(
      locate(items[bareFile]),
      `a file is read with read_files(${quoteDuckdbText(items[bareFile]?.value ?? '')}), not by its bare name.`,
    );
  return {
    streams,
    files: fileIndices.map((index) => ({ uri: items[index]?.value ?? '', location: locate(items[index]) })),
    sql: (filesOf) =>
      renderSql(
        items.map((item, index) =>
          fileIndices.includes(index) ? toFilesItem(item, items[index - 1], filesOf(item.value)) : item,
        ),
      ),
    locationOf: (name) =>
      locate(
        original.find(({ kind, value }) => kind !== 'sign' && value.toLowerCase() === name.toLowerCase()),
      ),
  };
}

/** Translates a condition for DuckDB. @throws ServiceError with its location */
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

/** Replaces `live.t`, `schema.t` and `catalog.schema.t` by `t` where that is a dataset of the pipeline. */
function stripOwnQualifiers(
  items: readonly SqlItem[],
  { datasets, catalog, schema }: DatasetNaming,
): SqlItem[] {
  const ownQualifiers = new Set([
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
    const parts = tables.has(index) ? countNameParts(items, index) : 0;
    const names = Array.from({ length: parts }, (_, part) => items[index + 2 * part]?.value ?? '');
    const last = items[index + 2 * (parts - 1)];
    if (
      parts > 1 &&
      last !== undefined &&
      ownQualifiers.has(datasetKeyOf(names.slice(0, -1).join('.'))) &&
      datasets.has(datasetKeyOf(last.value))
    ) {
      result.push({ ...last, spaceBefore: true });
      index += 2 * (parts - 1);
    } else result.push(item);
  }
  return result;
}

/** Rewrites `FROM range(…)`: its column is `id`, which DuckDB names differently. */
function rewriteRangeCalls(items: readonly SqlItem[]): SqlItem[] {
  const result = [...items];
  const tables = findTablePositions(items);
  for (const [index, item] of items.entries()) {
    const close = tables.has(index) ? findCallEnd(items, index, 'range') : undefined;
    if (close === undefined) continue;
    result[index] = { ...item, kind: 'code', value: '(SELECT range AS id FROM range' };
    result[close] = { kind: 'code', value: '))', spaceBefore: false };
  }
  return result;
}
