/** Definition of a pipeline in SQL, as the process of an update on Spark reads it. */
import { invalid } from '../errors.ts';
import { findCallEnd, isKeywordItem, isSymbol, splitArguments, toSqlItems } from '../sql/sql-items.ts';
import type { SqlItem } from '../sql/sql-items.ts';
import { tokenize } from '../sql/tokenizer.ts';
import { canonicalUri } from '../validation/aliases.ts';
import { quote } from '../validation/messages.ts';
import type { PipelineDefinition, SourceSql, TableDefinition, ViolationAction } from './definition.ts';
import { invalidAt } from './source-location.ts';
import { findTablePositions } from './table-positions.ts';

/** Files that a query reads with `read_files`; a temporary view stands for them. */
export interface FilesView {
  readonly name: string;
  readonly uri: string;
  readonly format: string;
  /** Options of Spark's reader. */
  readonly options: Readonly<Record<string, string>>;
  /** True for a stream, which reads each file once. */
  readonly stream: boolean;
}

export interface SparkTable {
  readonly kind: TableDefinition['kind'];
  readonly name: string;
  /** Arguments of the function that declares the table. */
  readonly options: Readonly<Record<string, unknown>>;
  readonly expectations: readonly {
    readonly name: string;
    readonly condition: string;
    readonly action: ViolationAction;
  }[];
}

export interface SparkDefinition {
  readonly tables: readonly SparkTable[];
  readonly views: readonly { readonly name: string; readonly sql: string }[];
  readonly flows: readonly { readonly name: string; readonly target: string; readonly sql: string }[];
  readonly files: readonly FilesView[];
}

/** @throws ServiceError with the location of what Spark does not support */
export function toSparkDefinition({ tables, views, flows }: PipelineDefinition): SparkDefinition {
  const files: FilesView[] = [];
  const unnamed = flows.find(({ name, target, byName }) => name !== target && !byName);
  if (unnamed !== undefined)
    throw invalidAt(
      unnamed.location,
      `flow ${unnamed.name} inserts by position, which Spark does not support; write INSERT INTO ${unnamed.target} BY NAME.`,
    );
  return {
    tables: tables.map(toSparkTable),
    views: views.map(({ name, query }) => ({ name, sql: toSparkQuery(query, files) })),
    flows: flows.map(({ name, target, query }) => ({ name, target, sql: toSparkQuery(query, files) })),
    files,
  };
}

/** Type of the definition, which is DuckDB's -> type of Spark. */
const sparkTypes: Readonly<Record<string, string>> = { VARCHAR: 'STRING', BLOB: 'BINARY', REAL: 'FLOAT' };

function toSparkTable({
  kind,
  name,
  columns,
  comment,
  properties,
  partitionedBy,
  format,
  expectations,
}: TableDefinition): SparkTable {
  const isTyped = columns.length > 0 && columns.every(({ type }) => type !== undefined);
  const schema = columns.map((column) => `\`${column.name}\` ${toSparkType(column.type ?? '')}`).join(', ');
  return {
    kind,
    name,
    options: {
      ...(comment !== undefined && { comment }),
      ...(Object.keys(properties).length > 0 && { table_properties: properties }),
      ...(partitionedBy.length > 0 && { partition_cols: partitionedBy }),
      ...(isTyped && { schema }),
      ...(format !== undefined && { format }),
    },
    expectations: expectations.map((each) => ({
      name: each.name,
      condition: each.condition.text,
      action: each.onViolation,
    })),
  };
}

function toSparkType(type: string): string {
  return type.replace(/^[A-Z]+/, (name) => sparkTypes[name] ?? name);
}

/** Returns the query with `live.t` as `t` and each `read_files(…)` as a view, which is added to `files`. */
function toSparkQuery({ text, location }: SourceSql, files: FilesView[]): string {
  const items = toSqlItems(tokenize(text));
  const tables = findTablePositions(items);
  const edits: { readonly from: number; readonly to: number; readonly text: string }[] = [];
  const start = (item: SqlItem | undefined): number => item?.token?.offset ?? text.length;
  for (const [index, item] of items.entries()) {
    if (isKeywordItem(item, 'live') && isSymbol(items[index + 1], '.'))
      edits.push({ from: start(item), to: start(items[index + 2]), text: '' });
    const close = findCallEnd(items, index, 'read_files');
    if (close === undefined) continue;
    const before = items[index - 1];
    const isStream = isKeywordItem(isSymbol(before, '(') ? items[index - 2] : before, 'stream');
    if (!isStream && !tables.has(index)) continue;
    const place = { file: location.file, offset: location.offset + start(item) };
    const view = readFilesView(items, index, close, `runyard_files_${files.length + 1}`, isStream);
    if (view === undefined)
      throw invalidAt(place, 'read_files must name its files first, as a text: managed_fs:/dir/*.csv.');
    files.push(view);
    edits.push({ from: start(item), to: start(items[close]) + 1, text: view.name });
  }
  return edits.reduceRight(
    (query, { from, to, text: added }) => query.slice(0, from) + added + query.slice(to),
    text,
  );
}

/** Options of a reader when the call does not set them. */
const defaultOptions: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  csv: { header: 'true', inferSchema: 'true' },
};

function readFilesView(
  items: readonly SqlItem[],
  index: number,
  close: number,
  name: string,
  stream: boolean,
): FilesView | undefined {
  const [file, ...others] = splitArguments(items, index + 1, close);
  const uri = file === undefined ? undefined : items[file[0]];
  if (uri?.kind !== 'text') return undefined;
  const given = others.map(([from]) => {
    if (!isSymbol(items[from + 1], '=>'))
      throw invalid(
        `read_files has the argument ${quote(items[from]?.value)}; after the file, arguments are written as name => value.`,
      );
    return [items[from]?.value ?? '', items[from + 2]?.value ?? ''] as const;
  });
  const formats = given.filter(([option]) => option.toLowerCase() === 'format');
  const format = formats.at(-1)?.[1].toLowerCase() ?? /\.(\w+)$/.exec(uri.value)?.[1]?.toLowerCase() ?? '';
  const options = given.filter(([option]) => !/^(?:format|inferColumnTypes)$/i.test(option));
  return {
    name,
    uri: canonicalUri(uri.value),
    format: format === 'ndjson' ? 'json' : format,
    options: { ...defaultOptions[format], ...Object.fromEntries(options) },
    stream,
  };
}
