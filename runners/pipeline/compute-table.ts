/** Computes one table: a materialized view anew, a streaming table by what is new for each of its flows. */
import { mkdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { datasetKeyOf } from '../../engine/pipeline/definition.ts';
import type { LinkedFlow, LinkedTable } from '../../engine/pipeline/graph.ts';
import type { FlowProgress, PublishedColumn, PublishedDataset } from '../../engine/pipeline/manifest.ts';
import { columnsOf, parquetRows, saidByDatabase } from './database.ts';
import type { EventLog } from './event-log.ts';
import { fittedQuery, type WantedColumn } from './fitted-query.ts';
import type { InputFile } from './inputs.ts';
import { keepPart } from './versions.ts';
import { bindDataset, layOut, sqlOf, type Work, type WorkingDataset } from './working-state.ts';
import { ExpectationFailed, writePart } from './write-part.ts';

export interface Computing {
  readonly work: Work;
  readonly log: EventLog;
  /** Directory of the version that is being made. */
  readonly draft: string;
  readonly version: number;
  /** Files that flows have read for the first time. */
  readonly fresh: InputFile[];
}

/** A flow failed; the message names it and is fit for the run's state. */
export class FlowFailed extends Error {}

/** @param before what was published of it, unless it begins anew. @throws FlowFailed */
export async function computeTable(
  computing: Computing,
  table: LinkedTable,
  before: WorkingDataset | undefined,
  generation: number,
): Promise<void> {
  const { work, draft, version } = computing;
  const key = datasetKeyOf(table.name);
  const directory = join(draft, key);
  await mkdir(directory, { recursive: true, mode: 0o700 });
  const kept = table.kind === 'STREAMING_TABLE' ? before : undefined;
  const parts: PublishedDataset['parts'] = [...(kept?.published.parts ?? [])];
  const paths = [...(kept?.paths ?? [])].map((path) => ({
    from: path,
    to: join(directory, path.slice(path.lastIndexOf('/') + 1)),
  }));
  for (const { from, to } of paths) await keepPart(from, to);
  const written = paths.map(({ to }) => to);
  const flows: Record<string, FlowProgress> = { ...kept?.published.flows };
  let columns: readonly PublishedColumn[] = kept?.published.columns ?? [];
  for (const [index, flow] of table.flows.entries()) {
    const file = `${String(version).padStart(8, '0')}-${index}.parquet`;
    const path = join(directory, file);
    const wanted = columns.length > 0 ? columns : table.columns;
    const done = await runFlow(computing, table, flow, {
      before: flows[datasetKeyOf(flow.name)],
      wanted,
      path,
    });
    flows[datasetKeyOf(flow.name)] = done.progress;
    if (done.rows === 0 && table.kind === 'STREAMING_TABLE') await rm(path, { force: true });
    else {
      parts.push({ file, rows: done.rows });
      written.push(path);
    }
    if (columns.length === 0)
      columns = written.length > 0 ? await columnsOf(work.connection, parquetRows([path], [])) : done.columns;
  }
  const comments = new Map(table.columns.map(({ name, comment }) => [name.toLowerCase(), comment]));
  const commented = columns.map(({ name, type }) => {
    const comment = comments.get(name.toLowerCase());
    return { name, type, ...(comment !== undefined && { comment }) };
  });
  await bindDataset(work, key, {
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

interface FlowDone {
  readonly rows: number;
  readonly progress: FlowProgress;
  readonly columns: readonly PublishedColumn[];
}

interface FlowPlan {
  readonly before: FlowProgress | undefined;
  readonly wanted: readonly WantedColumn[];
  readonly path: string;
}

async function runFlow(
  { work, log, fresh }: Computing,
  table: LinkedTable,
  flow: LinkedFlow,
  { before, wanted, path }: FlowPlan,
): Promise<FlowDone> {
  const about = { flow: flow.name, dataset: table.name, event_type: 'flow_progress' as const };
  log.write({
    ...about,
    level: 'INFO',
    message: `Flow ${flow.name} is running.`,
    details: { flow_progress: { status: 'RUNNING' } },
  });
  try {
    const step = await layOut(work, flow, before);
    fresh.push(...step.fresh);
    const query =
      step.absent.length > 0
        ? undefined
        : await fittedQuery(
            work.connection,
            flow,
            sqlOf(work, flow),
            wanted,
            work.columns.get(datasetKeyOf(flow.name)),
          );
    const part =
      query === undefined || step.idle
        ? { rows: 0, quality: { dropped_records: 0, expectations: [] } }
        : await writePart(work.connection, flow, query, table.expectations, path);
    const { rows, quality } = part;
    const dropped =
      quality.dropped_records === 0 ? '' : `, ${quality.dropped_records} were dropped by expectations`;
    log.write({
      ...about,
      level: 'INFO',
      message: step.idle
        ? `Flow ${flow.name} found nothing new.`
        : `Flow ${flow.name} is complete: ${rows} rows were written${dropped}.`,
      details: {
        flow_progress: { status: 'COMPLETED', metrics: { num_output_rows: rows }, data_quality: quality },
      },
    });
    return {
      rows,
      progress: step.progress,
      columns: query?.columns ?? wanted.map(({ name, type = 'VARCHAR' }) => ({ name, type })),
    };
  } catch (error) {
    const said = saidByDatabase(error);
    const message = said.startsWith(`Flow ${flow.name}`) ? said : `Flow ${flow.name} failed: ${said}`;
    const quality = error instanceof ExpectationFailed ? { data_quality: error.quality } : {};
    log.write({
      ...about,
      level: 'ERROR',
      message,
      error: said,
      details: { flow_progress: { status: 'FAILED', ...quality } },
    });
    throw new FlowFailed(message, { cause: error });
  }
}
