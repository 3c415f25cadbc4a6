/** Stored pipeline updates. The state of an update is that of its task run. */
import { randomUUID } from 'node:crypto';
import { sql, type Kysely, type Transaction } from 'kysely';
import type { NewUpdate, PipelineStore, StoredUpdate } from '../../../engine/ports/pipelines.ts';
import type { LaunchTransaction } from '../../../engine/ports/runs.ts';
import type { Database } from '../schema.ts';

/** Creates the part of the pipeline store that keeps updates. */
export function createUpdateStore(
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

/** Steps of the launch transaction of an update. */
export function pipelineUpdateSteps(
  db: Transaction<Database>,
): Pick<LaunchTransaction, 'lockActiveUpdate' | 'insertUpdate'> {
  return {
    async lockActiveUpdate(pipelineId) {
      // No key update: a concurrent insert of an update references the pipeline and need not wait.
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
    // The engine that resumes a launch inserts the update again.
    .onConflict((conflict) => conflict.column('run_id').doUpdateSet({ run_id: runId }))
    .returning('update_id')
    .executeTakeFirstOrThrow();
  return updateId;
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

export async function findActiveUpdate(
  db: Kysely<Database>,
  pipelineId: string,
): Promise<StoredUpdate | undefined> {
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
