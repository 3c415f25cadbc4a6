/** What an update has so far: the datasets as they will be published, and where their Parquet files are. */
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

/** A dataset with its files on this machine, in the order of its parts. */
export interface LocalDataset {
  readonly published: PublishedDataset;
  readonly paths: readonly string[];
}

export interface UpdateContext {
  readonly order: UpdatePlan;
  readonly graph: PipelineGraph;
  readonly connection: DuckDBConnection;
  /** By key: tables that were published before, or are computed by now. */
  readonly datasets: Map<string, LocalDataset>;
  /** Files by URI or pattern as they were when the update began: every flow sees the same ones. */
  readonly inputFiles: Map<string, readonly InputFile[]>;
  /**
   * By flow: the columns of its query. Only of those that read many files, each of which must be opened to
   * know them.
   */
  readonly queryColumns: Map<string, readonly PublishedColumn[]>;
}

/** New files of a stream, from which on they are opened as seldom as can be. */
const manyFilesMin = 50;

/** What a flow reads in this step. */
export interface FlowInputs {
  readonly progress: FlowProgress;
  /** Files that it reads for the first time. */
  readonly newFiles: readonly InputFile[];
  /** Whether there is nothing new to read. */
  readonly hasNoNewData: boolean;
  /** Whether so many files are new that the columns of its query should be kept. */
  readonly hasManyFiles: boolean;
  /** What it is to read as a stream, and where no file has ever been: its columns are not known. */
  readonly missingSources: readonly string[];
}

/** The files that a name or pattern stands for, looked up once in an update. */
export async function inputsOf(
  { inputFiles, order }: Pick<UpdateContext, 'inputFiles' | 'order'>,
  uri: string,
): Promise<readonly InputFile[]> {
  const known = inputFiles.get(uri) ?? (await listInputFiles(uri, order));
  inputFiles.set(uri, known);
  return known;
}

/** Makes a dataset known to queries under its name. */
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

/** The query of a flow for DuckDB. The files that it reads as a whole must be known. */
export function sqlOf(
  { inputFiles }: Pick<UpdateContext, 'inputFiles'>,
  { query }: Pick<LinkedFlow | LinkedView, 'query'>,
): string {
  return query.sql((uri) => (inputFiles.get(uri) ?? []).map(({ path }) => path));
}

/** A flow or view and the views that it reads, innermost first. */
function listReaders(graph: PipelineGraph, flow: LinkedFlow): (LinkedFlow | LinkedView)[] {
  const wanted = new Set([...flow.reads, ...flow.streams]);
  for (const view of graph.views.toReversed())
    if (wanted.has(datasetKeyOf(view.name)))
      [...view.reads, ...view.streams].forEach((key) => wanted.add(key));
  return [...graph.views.filter(({ name }) => wanted.has(datasetKeyOf(name))), flow];
}

/**
 * Lays out what a flow reads: its streams hold what is new since `before`, the views between are made anew
 * for it.
 * @param check nothing is computed yet: of files, the columns are enough
 * @throws ServiceError for files that are not there, or that two streams of the flow have in common
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
          `Flow ${flow.name}: no file matches ${uri}, which ${reader.name} reads (${location.file.path}). Put one there with POST /api/2.0/managed_fs/put.`,
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
    // Without all of its columns, a view cannot be made.
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

/** The refusal of a flow whose columns nothing tells. */
export function createNoFilesError({ name, target }: LinkedFlow, absent: readonly string[]): ServiceError {
  return invalid(
    `Flow ${name}: no file is there yet for ${absent.join(', ')}, so that the columns of ${target} are not known. Put one there, or declare the columns with their types.`,
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
      `Flow ${flow.name} reads ${common.uri} by two of its streams; a file goes into a flow once.`,
    );
  fresh.push(...added);
  // Without a new file, an old one says what the columns are.
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
    // A view, whose own streams were laid out before it; they are counted themselves.
    await work.connection.run(`CREATE OR REPLACE VIEW ${view} AS SELECT * FROM main.${quoteDuckdbName(key)}`);
    return false;
  }
  const { generation, columns } = source.published;
  const read = before?.tables[key];
  if (read !== undefined && read.generation !== generation) {
    throw invalid(
      `Flow ${flow.name} reads the stream of ${name}, which began anew since; refresh ${flow.target} fully.`,
    );
  }
  const paths = source.paths.slice(read?.parts ?? 0);
  await work.connection.run(`CREATE OR REPLACE VIEW ${view} AS ${toParquetSql(paths, columns)}`);
  progress.tables[key] = { generation, parts: source.paths.length };
  return paths.length > 0;
}

/** A dataset as it is published, with its files. */
export function toLocalDataset(published: PublishedDataset, directory: string, key: string): LocalDataset {
  return { published, paths: published.parts.map(({ file }) => join(directory, key, file)) };
}
