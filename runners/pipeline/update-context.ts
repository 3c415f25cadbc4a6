/** State of an update: its datasets with their Parquet files, and the views that flows read. */
import { join } from 'node:path';
import type { DuckDBConnection } from '@duckdb/node-api';
import { quoteDuckdbName } from '../../engine/sql/sql-items.ts';
import { invalid, type ServiceError } from '../../engine/errors.ts';
import { datasetKeyOf } from '../../engine/pipeline/definition.ts';
import { streamSchema, type StreamSource } from '../../engine/pipeline/flow-streams.ts';
import type { PipelineGraph, LinkedFlow, LinkedView } from '../../engine/pipeline/pipeline-graph.ts';
import type { FlowProgress, PublishedColumn, PublishedDataset } from '../../engine/pipeline/manifest.ts';
import type { UpdatePlan } from '../../engine/pipeline/update-plan.ts';
import { columnsOf, toEmptyRowsSql, toParquetSql } from './database.ts';
import { listInputFiles, type InputFile } from './input-files.ts';

/** Dataset with its local files, in the order of its parts. */
export interface LocalDataset {
  readonly published: PublishedDataset;
  readonly paths: readonly string[];
}

export interface UpdateContext {
  readonly order: UpdatePlan;
  readonly graph: PipelineGraph;
  readonly connection: DuckDBConnection;
  /** By key: published tables, and tables computed so far. */
  readonly datasets: Map<string, LocalDataset>;
  /** Files by URI or pattern, listed once per update, so that every flow sees the same files. */
  readonly inputFiles: Map<string, readonly InputFile[]>;
  /** Columns by flow, for flows with many files, because each file must be opened to find the columns. */
  readonly queryColumns: Map<string, readonly PublishedColumn[]>;
}

/** Number of new files from which on the columns of the query are cached. */
const manyFilesMin = 50;

/** Input of a flow in this update. */
export interface FlowInputs {
  readonly progress: FlowProgress;
  /** Files that the flow reads for the first time. */
  readonly newFiles: readonly InputFile[];
  /** True when the streams have no new data. */
  readonly hasNoNewData: boolean;
  /** True when the columns of the query should be cached. */
  readonly hasManyFiles: boolean;
  /** Streams without any file so far, whose columns are therefore unknown. */
  readonly missingSources: readonly string[];
}

/** Returns the files of a name or pattern, listed once per update. */
async function inputsOf(
  { inputFiles, order }: Pick<UpdateContext, 'inputFiles' | 'order'>,
  uri: string,
): Promise<readonly InputFile[]> {
  const known = inputFiles.get(uri) ?? (await listInputFiles(uri, order));
  inputFiles.set(uri, known);
  return known;
}

/** Creates the view under which queries read a dataset. */
export async function bindDataset(
  { connection, datasets }: UpdateContext,
  key: string,
  dataset: LocalDataset,
): Promise<void> {
  datasets.set(key, dataset);
  if (dataset.published.columns.length === 0) return;
  await connection.run(
    `CREATE OR REPLACE VIEW ${quoteDuckdbName(key)} AS ${toParquetSql(dataset.paths, dataset.published.columns)}`,
  );
}

/** Returns the query of a flow for DuckDB. Its files must have been listed. */
export function sqlOf(
  { inputFiles }: Pick<UpdateContext, 'inputFiles'>,
  { query }: Pick<LinkedFlow | LinkedView, 'query'>,
): string {
  return query.sql((uri) => (inputFiles.get(uri) ?? []).map(({ path }) => path));
}

/** Returns a flow and the views that it reads, innermost first. */
function listReaders(graph: PipelineGraph, flow: LinkedFlow): (LinkedFlow | LinkedView)[] {
  const wanted = new Set([...flow.reads, ...flow.streams]);
  for (const view of graph.views.toReversed())
    if (wanted.has(datasetKeyOf(view.name)))
      [...view.reads, ...view.streams].forEach((key) => wanted.add(key));
  return [...graph.views.filter(({ name }) => wanted.has(datasetKeyOf(name))), flow];
}

/**
 * Creates the views that a flow reads: its streams have the data since `before`.
 * @param check only validates: views of files have columns and no rows
 * @throws ServiceError for missing files, and for files in two streams of the flow
 */
export async function bindInputs(
  work: UpdateContext,
  flow: LinkedFlow,
  before: FlowProgress | undefined,
  check?: 'check',
): Promise<FlowInputs> {
  const progress: FlowProgress = { inputs: { ...before?.inputs }, tables: { ...before?.tables } };
  const fresh: InputFile[] = [];
  const absent: string[] = [];
  let idle = flow.query.streams.length > 0;
  for (const reader of listReaders(work.graph, flow)) {
    for (const { uri, location } of reader.query.files) {
      if ((await inputsOf(work, uri)).length === 0)
        throw invalid(
          `Flow ${flow.name}: no file matches ${uri}, which ${reader.name} reads (${location.file.path}). Upload one with POST /api/2.0/managed_fs/put.`,
        );
    }
    for (const stream of reader.query.streams) {
      if (stream.kind === 'files' && (await inputsOf(work, stream.uri)).length === 0) absent.push(stream.uri);
      else if (
        stream.kind === 'files'
          ? await bindFileStream(work, flow, stream, { before, fresh, check })
          : await bindDatasetStream(work, flow, stream, before, progress)
      )
        idle = false;
    }
    // A view cannot be created while columns are unknown.
    if (reader !== flow && absent.length === 0)
      await work.connection.run(
        `CREATE OR REPLACE VIEW ${quoteDuckdbName(datasetKeyOf(reader.name))} AS ${sqlOf(work, reader)}`,
      );
  }
  if (absent.length > 0 && !idle) throw createNoFilesError(flow, absent);
  for (const { uri, fingerprint } of fresh) progress.inputs[uri] = fingerprint;
  return {
    progress,
    newFiles: fresh,
    hasNoNewData: idle,
    missingSources: absent,
    hasManyFiles: fresh.length >= manyFilesMin,
  };
}

/** Creates the error of a flow with unknown columns. */
export function createNoFilesError({ name, target }: LinkedFlow, absent: readonly string[]): ServiceError {
  return invalid(
    `Flow ${name}: no file exists yet for ${absent.join(', ')}, so the columns of ${target} are unknown. Upload one, or declare the columns with their types.`,
  );
}

async function bindFileStream(
  work: UpdateContext,
  flow: LinkedFlow,
  stream: Extract<StreamSource, { kind: 'files' }>,
  {
    before,
    fresh,
    check,
  }: {
    readonly before: FlowProgress | undefined;
    readonly fresh: InputFile[];
    readonly check: 'check' | undefined;
  },
): Promise<boolean> {
  const files = await inputsOf(work, stream.uri);
  const added = files.filter(({ uri }) => before?.inputs[uri] === undefined);
  const common = added.find(({ uri }) => fresh.some((other) => other.uri === uri));
  if (common !== undefined)
    throw invalid(
      `Flow ${flow.name} reads ${common.uri} in two of its streams; a flow reads a file only once.`,
    );
  fresh.push(...added);
  // Without a new file, an old one provides the columns.
  const read = added.length > 0 ? added : files.slice(0, 1);
  const rows = `SELECT * FROM ${stream.reader(read.map(({ path }) => path))}${added.length > 0 ? '' : ' LIMIT 0'}`;
  const columns = check === undefined ? [] : await columnsOf(work.connection, rows);
  await work.connection.run(
    `CREATE OR REPLACE VIEW ${quoteDuckdbName(streamSchema)}.${quoteDuckdbName(stream.name)} AS ${columns.length === 0 ? rows : toEmptyRowsSql(columns)}`,
  );
  return added.length > 0;
}

async function bindDatasetStream(
  work: UpdateContext,
  flow: LinkedFlow,
  { name }: StreamSource,
  before: FlowProgress | undefined,
  progress: FlowProgress,
): Promise<boolean> {
  const key = datasetKeyOf(name);
  const view = `${quoteDuckdbName(streamSchema)}.${quoteDuckdbName(name)}`;
  const source = work.datasets.get(key);
  if (source === undefined) {
    // A view; its own streams have been bound before and are counted there.
    await work.connection.run(`CREATE OR REPLACE VIEW ${view} AS SELECT * FROM main.${quoteDuckdbName(key)}`);
    return false;
  }
  const { generation, columns } = source.published;
  const read = before?.tables[key];
  if (read !== undefined && read.generation !== generation) {
    throw invalid(
      `Flow ${flow.name} reads the stream of ${name}, which was reset; run a full refresh of ${flow.target}.`,
    );
  }
  const paths = source.paths.slice(read?.parts ?? 0);
  await work.connection.run(`CREATE OR REPLACE VIEW ${view} AS ${toParquetSql(paths, columns)}`);
  progress.tables[key] = { generation, parts: source.paths.length };
  return paths.length > 0;
}

/** Returns a published dataset with its local files. */
export function toLocalDataset(published: PublishedDataset, directory: string, key: string): LocalDataset {
  return { published, paths: published.parts.map(({ file }) => join(directory, key, file)) };
}
