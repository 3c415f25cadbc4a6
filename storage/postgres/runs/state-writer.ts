/**
 * State writes with group commit: a change waits only while writes are in progress, then goes together with
 * all changes that arrived meanwhile. Each write names the expected state and fence; a row that differs is
 * not changed.
 */
import { sql, type Kysely, type Transaction } from 'kysely';
import type { Log } from '../../../engine/ports/log.ts';
import type { ChangeSet } from '../../../engine/ports/runs.ts';
import type { StateChange } from '../../../engine/run/step.ts';
import { isTerminal } from '../../../engine/run/states.ts';
import type { Clock } from '../../../engine/clock.ts';
import { retryTransient } from '../transient-errors.ts';
import { insertOutboxEvents } from '../outbox/outbox.ts';
import { attemptRow } from './run-rows.ts';
import type { Database } from '../schema.ts';
import { toStorableText, toStorableTexts } from '../storable-text.ts';

export interface StateWriter {
  /**
   * Writes a change set; it is durable when the promise resolves. `refused`: a row was not in the expected
   * state and fence, and nothing of the set was written. Retries while the database is unavailable; rejects
   * for other errors.
   */
  write(changeSet: ChangeSet): Promise<'written' | 'refused'>;
}

interface PendingWrite {
  readonly set: ChangeSet;
  readonly resolve: (answer: 'written' | 'refused') => void;
  readonly reject: (error: unknown) => void;
}

/** Two writers keep the disk busy while one of them waits for the network. */
const writersMax = 2;
const batchMax = 500;

export function createStateWriter(db: Kysely<Database>, clock: Clock, log: Log): StateWriter {
  const queue: PendingWrite[] = [];
  let writers = 0;
  const flush = async (): Promise<void> => {
    writers += 1;
    while (queue.length > 0) await writeBatch(db, queue.splice(0, batchMax), clock, log);
    writers -= 1;
  };
  return {
    write: (set) =>
      new Promise((resolve, reject) => {
        queue.push({ set, resolve, reject });
        if (writers < writersMax) void flush();
      }),
  };
}

/**
 * Writes a batch and settles its promises. A set that is refused or fails does not affect the others: sets
 * that were not written together are written one by one.
 */
async function writeBatch(
  db: Kysely<Database>,
  batch: readonly PendingWrite[],
  clock: Clock,
  log: Log,
): Promise<void> {
  // True after an attempt failed: it may have been committed all the same.
  let mayBeCommitted = false;
  const attempt = (sets: readonly ChangeSet[]) =>
    retryTransient(clock, log, () =>
      writeSets(db, sets).catch((error: unknown) => {
        mayBeCommitted = true;
        throw error;
      }),
    );
  const together = await attempt(batch.map((one) => one.set)).catch(() => new Set<number>());
  for (const [index, one] of batch.entries()) {
    try {
      const written =
        together.has(index) ||
        (await attempt([one.set])).has(0) ||
        (mayBeCommitted && (await retryTransient(clock, log, () => isAlreadyWritten(db, one.set))));
      one.resolve(written ? 'written' : 'refused');
    } catch (error) {
      one.reject(error);
    }
  }
}

/** Writes sets with one commit. Returns the indexes of the written sets. */
async function writeSets(db: Kysely<Database>, sets: readonly ChangeSet[]): Promise<Set<number>> {
  const single = sets.every(
    (set) => set.changes.length === 1 && set.notifications.length === 0 && set.attempts === undefined,
  );
  if (single) return new Set((await applyChanges(db, sets)).keys());
  return (await writeAllOrNone(db, sets)) ? new Set(sets.keys()) : new Set();
}

class RefusedError extends Error {}

/** Writes all sets in one transaction; returns false when one is refused. */
async function writeAllOrNone(db: Kysely<Database>, sets: readonly ChangeSet[]): Promise<boolean> {
  try {
    await db.transaction().execute(async (transaction) => {
      const written = await applyChanges(transaction, sets);
      if (sets.some((set, index) => (written.get(index) ?? 0) < set.changes.length)) throw new RefusedError();
      await insertNotificationsAndAttempts(transaction, sets);
    });
    return true;
  } catch (error) {
    if (error instanceof RefusedError) return false;
    throw error;
  }
}

/** Writes one set inside a larger transaction; on `refused` the caller must roll back. */
export async function writeInTransaction(
  transaction: Transaction<Database>,
  set: ChangeSet,
): Promise<'written' | 'refused'> {
  if (((await applyChanges(transaction, [set])).get(0) ?? 0) < set.changes.length) return 'refused';
  await insertNotificationsAndAttempts(transaction, [set]);
  return 'written';
}

async function insertNotificationsAndAttempts(
  transaction: Transaction<Database>,
  sets: readonly ChangeSet[],
): Promise<void> {
  await insertOutboxEvents(
    transaction,
    sets.flatMap((set) => set.notifications),
  );
  const attempts = sets.flatMap((set) => set.attempts ?? []);
  if (attempts.length > 0)
    await transaction.insertInto('task_runs').values(attempts.map(attemptRow)).execute();
}

/** Applies the changes of all sets. Returns the number of rows written for each set, by index. */
async function applyChanges(db: Kysely<Database>, sets: readonly ChangeSet[]): Promise<Map<number, number>> {
  const written = new Map<number, number>();
  for (const kind of ['run', 'task'] as const) {
    const rows = sets.flatMap((set, index) =>
      set.changes.filter((change) => change.kind === kind).map((change) => toChangeRow(change, index)),
    );
    if (rows.length === 0) continue;
    // A fixed lock order makes deadlocks rare.
    rows.sort((one, other) => one.run_id - other.run_id);
    const result = await (kind === 'run' ? updateRuns : updateTaskRuns)(db, JSON.stringify(rows));
    for (const { set_index: index } of result.rows) written.set(index, (written.get(index) ?? 0) + 1);
  }
  return written;
}

function toChangeRow(change: StateChange, setIndex: number) {
  return {
    set_index: setIndex,
    run_id: change.runId,
    from_state: change.from,
    to_state: change.to,
    to_active: !isTerminal(change.to),
    fence: change.fence,
    at: change.at,
    start_time: change.startTime ?? null,
    running_time: change.runningTime ?? null,
    terminating_time: change.terminatingTime ?? null,
    end_time: change.endTime ?? null,
    warned: change.warned === true,
    result: change.result ?? null,
    message: change.message === undefined ? null : toStorableText(change.message),
    explanation: change.explanation === undefined ? null : toStorableTexts(change.explanation),
    cause_code: change.explanation?.cause_code ?? null,
    cluster_id: change.clusterId ?? null,
    spark_context_id: change.sparkContextId ?? null,
  };
}

const changeRows = (rows: string) => sql`jsonb_to_recordset(${rows}::jsonb) as change (
  set_index int, run_id bigint, from_state text, to_state text, to_active boolean, fence bigint, at bigint,
  start_time bigint, running_time bigint, terminating_time bigint, end_time bigint, warned boolean,
  result text, message text, explanation jsonb, cause_code text, cluster_id text, spark_context_id text)`;

/** The engine computes the times (engine/run/step.ts); a null keeps what the row has. */
const progressAssignments = sql`
  state = to_state, active = to_active,
  result = coalesce(change.result, row.result), message = coalesce(change.message, row.message),
  explanation = coalesce(change.explanation, row.explanation),
  cause_code = coalesce(change.cause_code, row.cause_code),
  start_time = coalesce(change.start_time, row.start_time),
  running_time = coalesce(change.running_time, row.running_time),
  terminating_time = coalesce(change.terminating_time, row.terminating_time),
  end_time = coalesce(change.end_time, row.end_time),
  warned_time = case when warned then coalesce(row.warned_time, at) else row.warned_time end`;

const expectedRow = sql`row.run_id = change.run_id and row.state = change.from_state and row.fence = change.fence`;

const updateRuns = (db: Kysely<Database>, rows: string) =>
  sql<{ set_index: number }>`
  update runs as row set ${progressAssignments}, queue_code = case when to_state = 'QUEUED' then row.queue_code end from ${changeRows(rows)} where ${expectedRow} returning set_index`.execute(
    db,
  );

const updateTaskRuns = (db: Kysely<Database>, rows: string) =>
  sql<{ set_index: number }>`
  update task_runs as row set ${progressAssignments},
    cluster_id = coalesce(change.cluster_id, row.cluster_id),
    spark_context_id = coalesce(change.spark_context_id, row.spark_context_id)
  from ${changeRows(rows)} where ${expectedRow} returning set_index`.execute(db);

async function isAlreadyWritten(db: Kysely<Database>, set: ChangeSet): Promise<boolean> {
  for (const change of set.changes) {
    const row = await db
      .selectFrom(change.kind === 'run' ? 'runs' : 'task_runs')
      .select(['state', 'fence'])
      .where('run_id', '=', change.runId)
      .executeTakeFirst();
    if (row?.state !== change.to || row.fence !== change.fence) return false;
  }
  return true;
}
