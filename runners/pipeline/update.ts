/** Update of a pipeline, from its plan to the version that it publishes. */
import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import type { Clock } from '../../engine/clock.ts';
import { invalid, ServiceError } from '../../engine/errors.ts';
import { quoteDuckdbName } from '../../engine/sql/sql-items.ts';
import { datasetKeyOf, type PipelineDefinition } from '../../engine/pipeline/definition.ts';
import { parseFlowQuery } from '../../engine/pipeline/flow-query.ts';
import {
  checkNames,
  buildGraph,
  type PipelineGraph,
  type LinkedFlow,
  type LinkedQuery,
  type LinkedTable,
} from '../../engine/pipeline/pipeline-graph.ts';
import type { Manifest, PublishedColumn } from '../../engine/pipeline/manifest.ts';
import { parseDefinition } from '../../engine/pipeline/parse-definition.ts';
import { selectTables, type TableSelection } from '../../engine/pipeline/select-tables.ts';
import { invalidAt } from '../../engine/pipeline/source-location.ts';
import type { UpdatePlan } from '../../engine/pipeline/update-plan.ts';
import { computeTable, type ComputeContext } from './compute-table.ts';
import { toEmptyRowsSql, openDatabase, describeDatabaseError, type UpdateDatabase } from './database.ts';
import type { EventLog } from './event-log.ts';
import { createCastQuery } from './cast-query.ts';
import { linkQuery } from './link-query.ts';
import {
  createDraft,
  linkPart,
  newestVersion,
  publishVersion,
  finishPublish,
  type Version,
} from './versions.ts';
import { checkInputsUnchanged, warnAboutChangedInputs } from './changed-inputs.ts';
import {
  bindDataset,
  bindInputs,
  createNoFilesError,
  toLocalDataset,
  sqlOf,
  type UpdateContext,
} from './update-context.ts';
import { checkStorageEngine } from './spark/storage-owner.ts';
import { checkPartQuery } from './write-part.ts';

/**
 * Runs an update. If it throws, nothing was published.
 * @param scratch temporary directory of the update
 * @throws Error whose message becomes the state message
 */
export async function runUpdate(
  order: UpdatePlan,
  scratch: string,
  log: EventLog,
  clock: Pick<Clock, 'now'>,
): Promise<void> {
  const progress = (
    state: 'INITIALIZING' | 'SETTING_UP_TABLES' | 'RUNNING' | 'COMPLETED',
    message: string,
  ): void =>
    log.write({
      level: 'INFO',
      event_type: 'update_progress',
      message,
      details: { update_progress: { state } },
    });
  progress(
    'INITIALIZING',
    `Update ${order.updateId} of pipeline ${order.pipelineName} reads its definition.`,
  );
  const definition = parseDefinition(order.sources, order.configuration);
  checkNames(definition);
  checkFormats(definition);
  await checkStorageEngine(order, 'duckdb');
  const database = await openDatabase(order, join(scratch, 'spill'));
  try {
    const graph = await createGraph(database, definition, order);
    const before = await newestVersion(order.storage.directory);
    checkOwner(before, order);
    const selection = selectTables(graph, order.request, before?.manifest);
    const work: UpdateContext = {
      order,
      graph,
      connection: database.connection,
      datasets: new Map(),
      inputFiles: new Map(),
      queryColumns: new Map(),
    };
    await bindPublished(work, before);
    progress(
      'SETTING_UP_TABLES',
      `Tables in the order in which they are computed: ${selection.tables.map(({ name }) => name).join(', ')}.`,
    );
    await checkFlows(work, selection, before);
    if (order.request.validateOnly)
      return progress('COMPLETED', 'The pipeline is valid; nothing was computed.');
    progress('RUNNING', `Update ${order.updateId} is running.`);
    const manifest = await computeTables(work, selection, before, log, clock);
    progress('COMPLETED', `Version ${manifest.version} was published.`);
  } finally {
    database.close();
  }
}

/** @throws ServiceError for a table in a format that only Spark writes */
function checkFormats({ tables }: PipelineDefinition): void {
  const other = tables.find(({ format = 'parquet' }) => format !== 'parquet');
  if (other !== undefined)
    throw invalidAt(
      other.location,
      `tables are written as PARQUET; USING ${other.format?.toUpperCase()} needs a pipeline on Spark.`,
    );
}

async function createGraph(
  { connection }: UpdateDatabase,
  definition: PipelineDefinition,
  { catalog, schema }: UpdatePlan,
): Promise<PipelineGraph> {
  const naming = {
    datasets: new Set([...definition.tables, ...definition.views].map(({ name }) => datasetKeyOf(name))),
    catalog,
    schema,
  };
  const queries = new Map<object, LinkedQuery>();
  for (const each of [...definition.flows, ...definition.views])
    queries.set(each, await linkQuery(connection, parseFlowQuery(each.name, each.query, naming)));
  return buildGraph(definition, (each) => {
    const query = queries.get(each);
    if (query === undefined) throw new Error(`${each.name} has no query.`);
    return query;
  });
}

function checkOwner(before: Version | undefined, { storage, pipelineId }: UpdatePlan): void {
  const owner = before?.manifest.pipeline_id;
  if (owner === undefined || owner === pipelineId) return;
  throw invalid(
    `The storage ${storage.uri} contains the tables of another pipeline (${owner}). Use another storage, or delete that directory.`,
  );
}

async function bindPublished(work: UpdateContext, before: Version | undefined): Promise<void> {
  for (const [key, dataset] of Object.entries(before?.manifest.datasets ?? {})) {
    await bindDataset(work, key, toLocalDataset(dataset, before?.directory ?? '', key));
  }
}

/** Validates every flow before anything runs, to find unknown columns, functions and files. */
async function checkFlows(
  work: UpdateContext,
  { tables, reset }: TableSelection,
  before: Version | undefined,
): Promise<void> {
  for (const table of tables) {
    const key = datasetKeyOf(table.name);
    const published = reset.has(key) ? undefined : before?.manifest.datasets[key];
    const isStreaming = table.kind === 'STREAMING_TABLE';
    let columns: readonly PublishedColumn[] = isStreaming ? (published?.columns ?? []) : [];
    checkDeclaredColumns(table, columns);
    for (const flow of table.flows) {
      const fitted = await checkFlow(flow, async () => {
        const step = await bindInputs(
          work,
          flow,
          isStreaming ? published?.flows[datasetKeyOf(flow.name)] : undefined,
          'check',
        );
        const declared = columns.length > 0 ? columns : table.columns;
        const isTyped = declared.length > 0 && declared.every(({ type }) => type !== undefined);
        if (step.hasNoNewData && isTyped) return declared.map(({ name, type = '' }) => ({ name, type }));
        if (step.missingSources.length > 0) throw createNoFilesError(flow, step.missingSources);
        const query = await createCastQuery(work.connection, flow, sqlOf(work, flow), declared);
        await checkPartQuery(work.connection, query, table.expectations);
        if (step.hasManyFiles) work.queryColumns.set(datasetKeyOf(flow.name), query.sourceColumns);
        return query.columns;
      });
      if (columns.length === 0) columns = fitted;
    }
    if (published !== undefined && isStreaming) continue;
    // Until the table is computed, it has its columns and no rows.
    const empty = {
      name: table.name,
      kind: table.kind,
      properties: {},
      partitioned_by: [],
      columns: [...columns],
      generation: before?.manifest.datasets[key]?.generation ?? 0,
      parts: [],
      flows: {},
    };
    work.datasets.set(key, { published: empty, paths: [] });
    await work.connection.run(`CREATE OR REPLACE VIEW ${quoteDuckdbName(key)} AS ${toEmptyRowsSql(columns)}`);
  }
}

/** @throws ServiceError when the declared and the published columns of a table differ */
function checkDeclaredColumns(
  { name, location, columns: declared }: LinkedTable,
  published: readonly PublishedColumn[],
): void {
  const [now, before] = [declared, published].map((columns) =>
    columns
      .map((column) => column.name.toLowerCase())
      .toSorted()
      .join(', '),
  );
  if (declared.length > 0 && published.length > 0 && now !== before)
    throw invalidAt(
      location,
      `${name} is declared with the columns ${now}, but was published with ${before}; a full refresh uses the new columns.`,
    );
}

/** Adds the location in the files of the pipeline to errors of DuckDB. */
async function checkFlow<Result>(flow: LinkedFlow, check: () => Promise<Result>): Promise<Result> {
  try {
    return await check();
  } catch (error) {
    if (error instanceof ServiceError) throw error;
    const said = describeDatabaseError(error);
    const named = /"([^"]+)"|Function with name (\w+)|name (\w+) does not exist/.exec(said);
    throw invalidAt(
      flow.query.locationOf(named?.[1] ?? named?.[2] ?? named?.[3] ?? ''),
      `flow ${flow.name} cannot run: ${said}`,
    );
  }
}

async function computeTables(
  work: UpdateContext,
  selection: TableSelection,
  before: Version | undefined,
  log: EventLog,
  clock: Pick<Clock, 'now'>,
): Promise<Manifest> {
  const { order } = work;
  const storage = order.storage.directory;
  const version = (before?.manifest.version ?? 0) + 1;
  const draft = await createDraft(storage, order.updateId);
  // An update that was killed after its publication may not have done this.
  await finishPublish(storage);
  warnAboutChangedInputs(work, before, log);
  const computing: ComputeContext = { context: work, log, draftDirectory: draft, version, newFiles: [] };
  for (const table of selection.tables) {
    const key = datasetKeyOf(table.name);
    const published = before?.manifest.datasets[key];
    const isReset = selection.reset.has(key);
    const kept =
      published === undefined || isReset
        ? undefined
        : toLocalDataset(published, before?.directory ?? '', key);
    await computeTable(
      computing,
      table,
      kept,
      (published?.generation ?? 0) + (isReset || published === undefined ? 1 : 0),
    );
  }
  const computed = new Set(selection.tables.map(({ name }) => datasetKeyOf(name)));
  for (const [key, dataset] of Object.entries(before?.manifest.datasets ?? {})) {
    if (!computed.has(key))
      await linkDataset(
        join(before?.directory ?? '', key),
        join(draft, key),
        dataset.parts.map(({ file }) => file),
      );
  }
  await checkInputsUnchanged(computing.newFiles);
  const datasets = Object.fromEntries([...work.datasets].map(([key, { published }]) => [key, published]));
  const manifest: Manifest = {
    format: 1,
    version,
    pipeline_id: order.pipelineId,
    update_id: order.updateId,
    time: clock.now(),
    datasets,
  };
  await publishVersion(storage, draft, manifest);
  return manifest;
}

async function linkDataset(from: string, to: string, files: readonly string[]): Promise<void> {
  await mkdir(to, { recursive: true, mode: 0o700 });
  for (const file of files) await linkPart(join(from, file), join(to, file));
}
