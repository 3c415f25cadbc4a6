/** Stored pipelines. */
import { sql, type Kysely, type Selectable, type Transaction } from 'kysely';
import type { Clock } from '../../../engine/clock.ts';
import type { NewPipeline, PipelineStore, StoredPipeline } from '../../../engine/ports/pipelines.ts';
import type { Log } from '../../../engine/ports/log.ts';
import { bindDatabase } from '../bind-database.ts';
import { retryTransient } from '../transient-errors.ts';
import type { PipelineTable } from './pipeline-schema.ts';
import { createUpdateStore, findActiveUpdate } from './pipeline-updates.ts';
import type { Database } from '../schema.ts';

export function createPipelineStore(db: Kysely<Database>): PipelineStore {
  return {
    ...bindDatabase(db, {
      create: createPipeline,
      upsertFromSpec,
      find: findPipeline,
      listByName: listPipelinesNamed,
      list: listPipelines,
      replace: replacePipeline,
      remove: removePipeline,
    }),
    ...createUpdateStore(db),
  };
}

function createPipeline(db: Kysely<Database>, pipeline: NewPipeline, duplicates: boolean): Promise<boolean> {
  return db.transaction().execute(async (transaction) => {
    await lockPipelineNames(transaction);
    if (!duplicates && (await listPipelinesNamed(transaction, pipeline.name)).length > 0) return false;
    await transaction.insertInto('pipelines').values(rowOf(pipeline)).execute();
    return true;
  });
}

function upsertFromSpec(db: Kysely<Database>, pipeline: NewPipeline): Promise<StoredPipeline | 'taken'> {
  return db.transaction().execute(async (transaction) => {
    const { pipelineId, name, modifiedTime } = pipeline;
    const known = await findPipeline(transaction, pipelineId);
    if (known?.name === name) return known;
    await lockPipelineNames(transaction);
    if (await isNameTaken(transaction, name, pipelineId)) return 'taken';
    await transaction
      .insertInto('pipelines')
      .values({ ...rowOf(pipeline), document: null })
      .onConflict((conflict) =>
        conflict.column('pipeline_id').doUpdateSet({ name, modified_time: modifiedTime }),
      )
      .execute();
    const stored = await findPipeline(transaction, pipelineId);
    if (stored === undefined) throw new Error(`Pipeline ${pipelineId} was inserted and cannot be found.`);
    return stored;
  });
}

function rowOf(pipeline: NewPipeline) {
  const { pipelineId, name, creator, createdTime, modifiedTime, document, specPath = null } = pipeline;
  return {
    pipeline_id: pipelineId,
    name,
    creator,
    created_time: createdTime,
    modified_time: modifiedTime,
    document: document === undefined ? null : JSON.stringify(document),
    spec_path: specPath,
  };
}

async function isNameTaken(
  transaction: Transaction<Database>,
  name: string,
  pipelineId: string,
): Promise<boolean> {
  const pipelines = await listPipelinesNamed(transaction, name);
  return pipelines.some((other) => other.pipelineId !== pipelineId);
}

async function listPipelines(
  db: Kysely<Database>,
  { like, before, limit }: Parameters<PipelineStore['list']>[0],
): Promise<StoredPipeline[]> {
  const rows = await db
    .selectFrom('pipelines')
    .selectAll()
    .$if(like !== undefined, (query) => query.where('name', 'like', like ?? ''))
    .$if(before !== undefined, (query) => query.where('number', '<', before ?? 0))
    .orderBy('number', 'desc')
    .limit(limit)
    .execute();
  return rows.map(pipelineOf);
}

function replacePipeline(
  db: Kysely<Database>,
  ...[pipelineId, name, document, duplicates, now]: Parameters<PipelineStore['replace']>
): ReturnType<PipelineStore['replace']> {
  return db.transaction().execute(async (transaction) => {
    await lockPipelineNames(transaction);
    if (!duplicates && (await isNameTaken(transaction, name, pipelineId))) return 'taken';
    await transaction
      .updateTable('pipelines')
      .set({ name, document: JSON.stringify(document), modified_time: now })
      .where('pipeline_id', '=', pipelineId)
      .execute();
    return 'replaced';
  });
}

function removePipeline(db: Kysely<Database>, pipelineId: string): ReturnType<PipelineStore['remove']> {
  return db.transaction().execute(async (transaction) => {
    const locked = await transaction
      .selectFrom('pipelines')
      .select('pipeline_id')
      .where('pipeline_id', '=', pipelineId)
      .forUpdate()
      .executeTakeFirst();
    if (locked === undefined) return 'gone';
    if ((await findActiveUpdate(transaction, pipelineId)) !== undefined) return 'active';
    await transaction.deleteFrom('pipelines').where('pipeline_id', '=', pipelineId).execute();
    return 'removed';
  });
}

/** Creates the store for an engine: the calls of an update retry while the database is unavailable. */
export function createRetryingPipelineStore(db: Kysely<Database>, clock: Clock, log: Log): PipelineStore {
  const store = createPipelineStore(db);
  const withRetry = <Result>(work: () => Promise<Result>): Promise<Result> =>
    retryTransient(clock, log, work);
  return {
    ...store,
    upsertFromSpec: (pipeline) => withRetry(() => store.upsertFromSpec(pipeline)),
    find: (pipelineId) => withRetry(() => store.find(pipelineId)),
    listByName: (name) => withRetry(() => store.listByName(name)),
    ensureUpdate: (update) => withRetry(() => store.ensureUpdate(update)),
    claimUpdate: (pipelineId, updateId, storage) =>
      withRetry(() => store.claimUpdate(pipelineId, updateId, storage)),
  };
}

/** Serializes transactions that set the name of a pipeline, so that names stay unique. */
async function lockPipelineNames(transaction: Transaction<Database>): Promise<void> {
  await sql`lock table pipelines in share row exclusive mode`.execute(transaction);
}

async function findPipeline(db: Kysely<Database>, pipelineId: string): Promise<StoredPipeline | undefined> {
  const row = await db
    .selectFrom('pipelines')
    .selectAll()
    .where('pipeline_id', '=', pipelineId)
    .executeTakeFirst();
  return row && pipelineOf(row);
}

async function listPipelinesNamed(db: Kysely<Database>, name: string): Promise<StoredPipeline[]> {
  return (
    await db.selectFrom('pipelines').selectAll().where('name', '=', name).orderBy('number').limit(2).execute()
  ).map(pipelineOf);
}

function pipelineOf(row: Selectable<PipelineTable>): StoredPipeline {
  return {
    pipelineId: row.pipeline_id,
    number: row.number,
    name: row.name,
    creator: row.creator,
    createdTime: row.created_time,
    modifiedTime: row.modified_time,
    document: row.document ?? undefined,
    specPath: row.spec_path ?? undefined,
  };
}
