/** Computes one table: a materialized view completely, a streaming table from the new input of its flows. */
import { mkdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { datasetKeyOf } from '../../engine/pipeline/definition.ts';
import type { LinkedFlow, LinkedTable } from '../../engine/pipeline/pipeline-graph.ts';
import type { FlowProgress, PublishedColumn, PublishedDataset } from '../../engine/pipeline/manifest.ts';
import { columnsOf, toParquetSql, describeDatabaseError } from './database.ts';
import type { EventLog } from './event-log.ts';
import { createCastQuery, type TargetColumn } from './cast-query.ts';
import type { InputFile } from './input-files.ts';
import { linkPart } from './versions.ts';
import { bindDataset, bindInputs, sqlOf, type UpdateContext, type LocalDataset } from './update-context.ts';
import { ExpectationError, writePart } from './write-part.ts';

export interface ComputeContext {
  readonly context: UpdateContext;
  readonly log: EventLog;
  /** Directory of the draft version. */
  readonly draftDirectory: string;
  readonly version: number;
  /** Files that flows read for the first time. */
  readonly newFiles: InputFile[];
}

/** A flow failed. The message names it and becomes the state message. */
export class FlowError extends Error {
  /** Set for a violated expectation. */
  readonly rowsQuery: string | undefined;
  /** File of the flow, in the workspace. */
  readonly file: string | undefined;

  constructor(message: string, cause: unknown, file: string | undefined) {
    super(message, { cause });
    this.rowsQuery = cause instanceof ExpectationError ? cause.rowsQuery : undefined;
    this.file = file;
  }
}

/** @param before published data of the table, unless it is reset. @throws FlowError */
export async function computeTable(
  computing: ComputeContext,
  table: LinkedTable,
  before: LocalDataset | undefined,
  generation: number,
): Promise<void> {
  const { context, draftDirectory, version } = computing;
  const key = datasetKeyOf(table.name);
  const directory = join(draftDirectory, key);
  await mkdir(directory, { recursive: true, mode: 0o700 });
  const kept = table.kind === 'STREAMING_TABLE' ? before : undefined;
  const parts: PublishedDataset['parts'] = [...(kept?.published.parts ?? [])];
  const paths = [...(kept?.paths ?? [])].map((path) => ({
    from: path,
    to: join(directory, path.slice(path.lastIndexOf('/') + 1)),
  }));
  for (const { from, to } of paths) await linkPart(from, to);
  const written = paths.map(({ to }) => to);
  const flows: Record<string, FlowProgress> = { ...kept?.published.flows };
  let columns: readonly PublishedColumn[] = kept?.published.columns ?? [];
  for (const [index, flow] of table.flows.entries()) {
    const file = `${String(version).padStart(8, '0')}-${index}.parquet`;
    const path = join(directory, file);
    const wanted = columns.length > 0 ? columns : table.columns;
    const done = await runFlow(computing, table, flow, {
      previous: flows[datasetKeyOf(flow.name)],
      targetColumns: wanted,
      path,
    });
    flows[datasetKeyOf(flow.name)] = done.progress;
    if (done.rows === 0 && table.kind === 'STREAMING_TABLE') await rm(path, { force: true });
    else {
      parts.push({ file, rows: done.rows });
      written.push(path);
    }
    if (columns.length === 0)
      columns =
        written.length > 0 ? await columnsOf(context.connection, toParquetSql([path], [])) : done.columns;
  }
  const comments = new Map(table.columns.map(({ name, comment }) => [name.toLowerCase(), comment]));
  const commented = columns.map(({ name, type }) => {
    const comment = comments.get(name.toLowerCase());
    return { name, type, ...(comment !== undefined && { comment }) };
  });
  await bindDataset(context, key, {
    paths: written,
    published: {
      name: table.name,
      kind: table.kind,
      ...(table.comment !== undefined && { comment: table.comment }),
      properties: table.properties,
      partitioned_by: [...table.partitionedBy],
      columns: commented,
      generation,
      parts,
      flows,
    },
  });
}

interface FlowResult {
  readonly rows: number;
  readonly progress: FlowProgress;
  readonly columns: readonly PublishedColumn[];
}

interface FlowInput {
  readonly previous: FlowProgress | undefined;
  readonly targetColumns: readonly TargetColumn[];
  readonly path: string;
}

async function runFlow(
  { context, log, newFiles }: ComputeContext,
  table: LinkedTable,
  flow: LinkedFlow,
  { previous, targetColumns, path }: FlowInput,
): Promise<FlowResult> {
  const event = { flow: flow.name, dataset: table.name, event_type: 'flow_progress' as const };
  log.write({
    ...event,
    level: 'INFO',
    message: `Flow ${flow.name} is running.`,
    details: { flow_progress: { status: 'RUNNING' } },
  });
  try {
    const step = await bindInputs(context, flow, previous);
    newFiles.push(...step.newFiles);
    const query =
      step.missingSources.length > 0
        ? undefined
        : await createCastQuery(
            context.connection,
            flow,
            sqlOf(context, flow),
            targetColumns,
            context.queryColumns.get(datasetKeyOf(flow.name)),
          );
    const part =
      query === undefined || step.hasNoNewData
        ? { rows: 0, quality: { dropped_records: 0, expectations: [] } }
        : await writePart(context.connection, flow, query, table.expectations, path);
    const { rows, quality } = part;
    log.write({
      ...event,
      level: 'INFO',
      message: step.hasNoNewData
        ? `Flow ${flow.name} found no new input.`
        : describeCompletedFlow(flow, rows, quality.dropped_records),
      details: {
        flow_progress: { status: 'COMPLETED', metrics: { num_output_rows: rows }, data_quality: quality },
      },
    });
    return {
      rows,
      progress: step.progress,
      columns: query?.columns ?? targetColumns.map(({ name, type = 'VARCHAR' }) => ({ name, type })),
    };
  } catch (error) {
    const reason = describeDatabaseError(error);
    const message = reason.startsWith(`Flow ${flow.name}`) ? reason : `Flow ${flow.name} failed: ${reason}`;
    const quality = error instanceof ExpectationError ? { data_quality: error.quality } : {};
    log.write({
      ...event,
      level: 'ERROR',
      message,
      error: reason,
      details: { flow_progress: { status: 'FAILED', ...quality } },
    });
    throw new FlowError(message, error, flow.query.locationOf(flow.target).file.path);
  }
}

function describeCompletedFlow({ name }: LinkedFlow, rows: number, dropped: number): string {
  const suffix = dropped === 0 ? '' : `, ${dropped} were dropped by expectations`;
  return `Flow ${name} is complete: ${rows} rows were written${suffix}.`;
}
