/** Stored pipelines and their updates. */
import { randomUUID } from 'node:crypto';
import { sql, type Kysely, type Selectable, type Transaction } from 'kysely';
import type { Clock } from '../../../engine/clock.ts';
import type {
  NewUpdate,
  PipelineStore,
  StoredPipeline,
  StoredUpdate,
} from '../../../engine/ports/pipelines.ts';
import type { Log } from '../../../engine/ports/log.ts';
import type { LaunchTransaction } from '../../../engine/ports/runs.ts';
import { retryTransient } from '../transient-errors.ts';
import type { PipelineTable } from './pipeline-schema.ts';
import type { Database } from '../schema.ts';

export function createPipelineStore(db: Kysely<Database>): PipelineStore {
  return {
    create: (pipeline, duplicates) =>
      db.transaction().execute(async (transaction) => {
        await lockPipelineNames(transaction);
        if (!duplicates && (await listPipelinesNamed(transaction, pipeline.name)).length > 0) return false;
        const { pipelineId, name, creator, createdTime, modifiedTime, document, specPath = null } = pipeline;
        await transaction
          .insertInto('pipelines')
          .values({
            pipeline_id: pipelineId,
            name,
            creator,
            created_time: createdTime,
            modified_time: modifiedTime,
            document: document === undefined ? null : JSON.stringify(document),
            spec_path: specPath,
          })
          .execute();
        return true;
      }),
    upsertFromSpec: (pipeline) =>
      db.transaction().execute(async (transaction) => {
        const { pipelineId, name, creator, createdTime, modifiedTime, specPath = null } = pipeline;
        const known = await findPipeline(transaction, pipelineId);
        if (known?.name === name) return known;
        await lockPipelineNames(transaction);
        if ((await listPipelinesNamed(transaction, name)).some((other) => other.pipelineId !== pipelineId))
          return 'taken';
        await transaction
          .insertInto('pipelines')
          .values({
            pipeline_id: pipelineId,
            name,
            creator,
            created_time: createdTime,
            modified_time: modifiedTime,
            document: null,
            spec_path: specPath,
          })
          .onConflict((conflict) =>
            conflict.column('pipeline_id').doUpdateSet({ name, modified_time: modifiedTime }),
          )
          .execute();
        const kept = await findPipeline(transaction, pipelineId);
        if (kept === undefined) throw new Error(`Pipeline ${pipelineId} was stored and is not there.`);
        return kept;
      }),
    find: (pipelineId) => findPipeline(db, pipelineId),
    listByName: (name) => listPipelinesNamed(db, name),
    async list({ like, before, limit }) {
      const rows = await db
        .selectFrom('pipelines')
        .selectAll()
        .$if(like !== undefined, (query) => query.where('name', 'like', like ?? ''))
        .$if(before !== undefined, (query) => query.where('number', '<', before ?? 0))
        .orderBy('number', 'desc')
        .limit(limit)
        .execute();
      return rows.map(pipelineOf);
    },
    replace: (pipelineId, name, document, duplicates, now) =>
      db.transaction().execute(async (transaction) => {
        await lockPipelineNames(transaction);
        if (
          !duplicates &&
          (await listPipelinesNamed(transaction, name)).some((other) => other.pipelineId !== pipelineId)
        )
          return 'taken';
        await transaction
          .updateTable('pipelines')
          .set({ name, document: JSON.stringify(document), modified_time: now })
          .where('pipeline_id', '=', pipelineId)
          .execute();
        return 'replaced';
      }),
    remove: (pipelineId) =>
      db.transaction().execute(async (transaction) => {
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
      }),
    ...createUpdateStore(db),
  };
}

function createUpdateStore(
  db: Kysely<Database>,
): Pick<PipelineStore, 'ensureUpdate' | 'claimUpdate' | 'findActiveUpdate' | 'listUpdates' | 'findUpdate'> {
  return {
    ensureUpdate: (update) => insertUpdate(db, update),
    claimUpdate: (pipelineId, updateId, storage) =>
      db.transaction().execute(async (transaction) => {
        await transaction
          .selectFrom('pipelines')
          .select('pipeline_id')
          .where('pipeline_id', '=', pipelineId)
          .forUpdate()
          .executeTakeFirst();
        const own = await transaction
          .selectFrom('pipeline_updates')
          .select('request')
          .where('update_id', '=', updateId)
          .executeTakeFirst();
        const other =
          own?.request.validateOnly === true
            ? undefined
            : await selectUpdates(transaction)
                .where('pipeline_updates.pipeline_id', '=', pipelineId)
                .where('pipeline_updates.update_id', '<>', updateId)
                .where('task_runs.active', '=', true)
                .where('pipeline_updates.storage', 'is not', null)
                .where(sql<boolean>`not (request->>'validateOnly')::boolean`)
                .executeTakeFirst();
        if (other !== undefined) return updateOf(other);
        await transaction
          .updateTable('pipeline_updates')
          .set({ storage })
          .where('update_id', '=', updateId)
          .execute();
        return undefined;
      }),
    findActiveUpdate: (pipelineId) => findActiveUpdate(db, pipelineId),
    async listUpdates(pipelineId, { before, limit }) {
      const rows = await selectUpdates(db)
        .where('pipeline_updates.pipeline_id', '=', pipelineId)
        .$if(before !== undefined, (query) => query.where('pipeline_updates.number', '<', before ?? 0))
        .orderBy('pipeline_updates.number', 'desc')
        .limit(limit)
        .execute();
      return rows.map(updateOf);
    },
    async findUpdate(pipelineId, updateId) {
      const row = await selectUpdates(db)
        .where('pipeline_updates.pipeline_id', '=', pipelineId)
        .where('pipeline_updates.update_id', '=', updateId)
        .executeTakeFirst();
      return row && updateOf(row);
    },
  };
}

/** The steps of a launch that is an update. */
export function pipelineUpdateSteps(
  db: Transaction<Database>,
): Pick<LaunchTransaction, 'lockActiveUpdate' | 'insertUpdate'> {
  return {
    async lockActiveUpdate(pipelineId) {
      // An update that is noted meanwhile refers to the pipeline, which is no reason to wait.
      await db
        .selectFrom('pipelines')
        .select('pipeline_id')
        .where('pipeline_id', '=', pipelineId)
        .forNoKeyUpdate()
        .executeTakeFirst();
      return findActiveUpdate(db, pipelineId);
    },
    insertUpdate: (update) => insertUpdate(db, update),
  };
}

async function insertUpdate(
  db: Kysely<Database>,
  { pipelineId, cause, request, createdTime, runId }: NewUpdate,
): Promise<string> {
  const { update_id: updateId } = await db
    .insertInto('pipeline_updates')
    .values({
      update_id: randomUUID(),
      pipeline_id: pipelineId,
      run_id: runId,
      cause,
      request: JSON.stringify(request),
      created_time: createdTime,
    })
    // The engine that begins an update comes to it once more.
    .onConflict((conflict) => conflict.column('run_id').doUpdateSet({ run_id: runId }))
    .returning('update_id')
    .executeTakeFirstOrThrow();
  return updateId;
}

/** As `createPipelineStore`, for an engine: what an update needs waits while the database is away. */
export function createRetryingPipelineStore(db: Kysely<Database>, clock: Clock, log: Log): PipelineStore {
  const store = createPipelineStore(db);
  const waiting = <Result>(work: () => Promise<Result>): Promise<Result> => retryTransient(clock, log, work);
  return {
    ...store,
    upsertFromSpec: (pipeline) => waiting(() => store.upsertFromSpec(pipeline)),
    find: (pipelineId) => waiting(() => store.find(pipelineId)),
    listByName: (name) => waiting(() => store.listByName(name)),
    ensureUpdate: (update) => waiting(() => store.ensureUpdate(update)),
    claimUpdate: (pipelineId, updateId, storage) =>
      waiting(() => store.claimUpdate(pipelineId, updateId, storage)),
  };
}

/** Whoever gives a name waits for whoever else does. */
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

function selectUpdates(db: Kysely<Database>) {
  return db
    .selectFrom('pipeline_updates')
    .innerJoin('task_runs', 'task_runs.run_id', 'pipeline_updates.run_id')
    .innerJoin('runs', 'runs.run_id', 'task_runs.job_run_id')
    .select([
      'pipeline_updates.update_id',
      'pipeline_updates.number',
      'pipeline_updates.pipeline_id',
      'pipeline_updates.cause',
      'pipeline_updates.request',
      'pipeline_updates.storage',
      'pipeline_updates.created_time',
      'pipeline_updates.run_id',
      'task_runs.job_run_id',
      'runs.job_id',
      'task_runs.state',
      'runs.state as run_state',
      'task_runs.result',
      'task_runs.message',
      'runs.stop_reason',
      'task_runs.end_time',
    ]);
}

function updateOf(
  row: Awaited<ReturnType<ReturnType<typeof selectUpdates>['execute']>>[number],
): StoredUpdate {
  return {
    updateId: row.update_id,
    number: row.number,
    pipelineId: row.pipeline_id,
    cause: row.cause,
    request: row.request,
    storage: row.storage ?? undefined,
    createdTime: row.created_time,
    runId: row.run_id,
    jobRunId: row.job_run_id,
    jobId: row.job_id,
    state: row.run_state === 'QUEUED' ? 'QUEUED' : row.state,
    result: row.result ?? undefined,
    message: row.message,
    stopReason: row.stop_reason ?? undefined,
    endTime: row.end_time ?? undefined,
  };
}

async function findActiveUpdate(db: Kysely<Database>, pipelineId: string): Promise<StoredUpdate | undefined> {
  const row = await selectUpdates(db)
    .where('pipeline_updates.pipeline_id', '=', pipelineId)
    .where('task_runs.active', '=', true)
    .where(sql<boolean>`not (request->>'validateOnly')::boolean`)
    .orderBy(sql`pipeline_updates.storage is null`)
    .orderBy('pipeline_updates.number')
    .limit(1)
    .executeTakeFirst();
  return row && updateOf(row);
}
