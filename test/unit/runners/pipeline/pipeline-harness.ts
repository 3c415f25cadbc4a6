/** Harness of pipeline tests: a pipeline in a temporary directory, updated in the process of the test. */
import { randomUUID } from 'node:crypto';
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { DuckDBInstance } from '@duckdb/node-api';
import { systemClock } from '../../../../engine/clock.ts';
import type { EventDraft } from '../../../../engine/pipeline/events.ts';
import type { Manifest } from '../../../../engine/pipeline/manifest.ts';
import type { UpdateRequest } from '../../../../engine/pipeline/select-tables.ts';
import type { UpdatePlan } from '../../../../engine/pipeline/update-plan.ts';
import { runUpdate } from '../../../../runners/pipeline/update.ts';

export type Row = Readonly<Record<string, unknown>>;

/** Stream of the CSV files in managed_fs:/in. */
export const csvStream = "STREAM read_files('managed_fs:/in/*.csv', format => 'csv')";

export function materializedView(name: string, query: string): string {
  return `CREATE MATERIALIZED VIEW ${name} AS ${query};\n`;
}

export function streamingTable(name: string, query: string, clauses = ''): string {
  return `CREATE STREAMING TABLE ${name} ${clauses} AS ${query};\n`;
}

export interface PipelineHarness {
  readonly directory: string;
  /** Directory of its tables. */
  readonly storage: string;
  /** Returns the plan that the process of an update gets. */
  createUpdatePlan(
    sources: Readonly<Record<string, string>> | string,
    request?: Partial<UpdateRequest>,
    more?: Partial<UpdatePlan>,
  ): UpdatePlan;
  /** Runs an update. @returns its events */
  runUpdate(
    sources: Readonly<Record<string, string>> | string,
    request?: Partial<UpdateRequest>,
    more?: Partial<UpdatePlan>,
  ): Promise<EventDraft[]>;
  /** Writes a file of managed_fs. */
  putFile(path: string, text: string): Promise<void>;
  readManifest(): Promise<Manifest>;
  /** Returns the rows of a published table, read from its files. */
  readRows(table: string, sql?: string): Promise<Row[]>;
  /** Returns the column `id` of a published table. */
  readIds(table: string): Promise<number[]>;
  remove(): Promise<void>;
}

export async function createPipelineHarness(): Promise<PipelineHarness> {
  const directory = await mkdtemp(join(tmpdir(), 'runyard-pipeline-'));
  const managedFs = join(directory, 'managed_fs');
  const storage = join(managedFs, 'pipelines', 'p');
  await mkdir(storage, { recursive: true });
  const createUpdatePlan: PipelineHarness['createUpdatePlan'] = (sources, request, more) => ({
    updateId: randomUUID(),
    pipelineId: '00000000-0000-4000-8000-000000000001',
    pipelineName: 'p',
    storage: { directory: storage, uri: 'managed_fs:/pipelines/p' },
    managedFs,
    objstore: join(directory, 'objstore'),
    configuration: {},
    sources: Object.entries(typeof sources === 'string' ? { '/p/a.sql': sources } : sources).map(
      ([path, text]) => ({ path, text }),
    ),
    request: {
      fullRefresh: false,
      validateOnly: false,
      ...request,
      fullRefreshSelection: [...(request?.fullRefreshSelection ?? [])],
      refreshSelection: [...(request?.refreshSelection ?? [])],
    },
    limits: { megabytes: 512, threads: 2 },
    ...more,
  });
  const readRows: PipelineHarness['readRows'] = (table, sql = 'SELECT * FROM t ORDER BY ALL') =>
    readParquetRows(join(storage, 'current', table), sql);
  return {
    directory,
    storage,
    createUpdatePlan,
    async runUpdate(sources, request, more) {
      const events: EventDraft[] = [];
      await runUpdate(
        createUpdatePlan(sources, request, more),
        join(directory, 'scratch'),
        { write: (event) => events.push(event), close: () => undefined },
        systemClock,
      );
      return events;
    },
    async putFile(path, text) {
      await mkdir(dirname(join(managedFs, path)), { recursive: true });
      await writeFile(join(managedFs, path), text);
    },
    readManifest: async () => JSON.parse(await readFile(join(storage, 'current', 'manifest.json'), 'utf8')),
    readRows,
    readIds: async (table) => (await readRows(table)).map(({ id }) => Number(id)),
    remove: () => rm(directory, { recursive: true, force: true }),
  };
}

/** @param sql query of `t`, the files of the directory */
export async function readParquetRows(directory: string, sql: string): Promise<Row[]> {
  const instance = await DuckDBInstance.create(':memory:');
  const connection = await instance.connect();
  try {
    await connection.run(`CREATE VIEW t AS SELECT * FROM read_parquet('${directory}/*.parquet')`);
    return (await connection.runAndReadAll(sql)).getRowObjectsJson();
  } finally {
    connection.closeSync();
    instance.closeSync();
  }
}
