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
import { codeOf } from '../../../engine/errors.ts';
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

/** Writes sets with one commit. Returns the indexes of the written sets: all, or none when one is refused. */
async function writeSets(db: Kysely<Database>, sets: readonly ChangeSet[]): Promise<Set<number>> {
  try {
    if (sets.every(isPlain)) await applyChanges(db, sets);
    else
      await db.transaction().execute(async (transaction) => {
        await applyChanges(transaction, sets);
        await insertNotificationsAndAttempts(transaction, sets);
      });
    return new Set(sets.keys());
  } catch (error) {
    if (isRefusal(error)) return new Set();
    throw error;
  }
}

/** Returns whether a set has only state changes, which are one statement. */
function isPlain({ notifications, attempts }: ChangeSet): boolean {
  return notifications.length === 0 && attempts === undefined;
}

/** Writes one set inside a larger transaction; on `refused` the caller must roll back. */
export async function writeInTransaction(
  transaction: Transaction<Database>,
  set: ChangeSet,
): Promise<'written' | 'refused'> {
  try {
    await applyChanges(transaction, [set]);
  } catch (error) {
    if (isRefusal(error)) return 'refused';
    throw error;
  }
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

/**
 * Applies the changes of all sets in one statement. Changes of one row that follow one another are one update; no other
 * transaction could see the state between them.
 * @throws an error that `isRefusal` recognizes when a row is not in its expected state; nothing is changed then
 */
async function applyChanges(db: Kysely<Database>, sets: readonly ChangeSet[]): Promise<void> {
  const calls = splitByRow(joinSteps(sets.flatMap((set) => set.changes))).map(
    (changes) =>
      sql`write_state_changes_1(${toRows(changes, 'run')}::jsonb, ${toRows(changes, 'task')}::jsonb)`,
  );
  await sql`select ${sql.join(calls)}`.execute(db);
}

/** Joins each change with the one that continues it: the end of a task and its cleanup. */
function joinSteps(changes: readonly StateChange[]): StateChange[] {
  const joined = new Map<string, StateChange>();
  const finished: StateChange[] = [];
  for (const change of changes) {
    const row = `${change.kind} ${change.runId}`;
    const before = joined.get(row);
    if (before?.to === change.from && before.fence === change.fence)
      joined.set(row, { ...before, ...withoutUndefined(change), from: before.from });
    else {
      // Two changes that do not follow one another are refused in their order.
      if (before !== undefined) finished.push(before);
      joined.set(row, change);
    }
  }
  return [...finished, ...joined.values()];
}

/** Fields that a change leaves undefined keep the values of the change before. */
function withoutUndefined(change: StateChange): StateChange {
  const entries = Object.entries(change).filter(([, value]) => value !== undefined);
  return Object.fromEntries(entries) as unknown as StateChange;
}

/** Splits changes into lists without two changes of one row: the first changes of all rows, then the second ones. */
function splitByRow(changes: readonly StateChange[]): StateChange[][] {
  const earlier = new Map<string, number>();
  const lists: StateChange[][] = [];
  for (const change of changes) {
    const row = `${change.kind} ${change.runId}`;
    const index = earlier.get(row) ?? 0;
    earlier.set(row, index + 1);
    (lists[index] ??= []).push(change);
  }
  return lists;
}

function toRows(changes: readonly StateChange[], kind: StateChange['kind']): string {
  return JSON.stringify(
    changes
      .filter((change) => change.kind === kind)
      .map(toChangeRow)
      // A fixed lock order makes deadlocks rare.
      .sort((one, other) => one.run_id - other.run_id),
  );
}

/** SQLSTATE of storage/migrations/0005-hot-path.ts: a row is not in the expected state and fence. */
const refusedSqlState = 'RY001';

function isRefusal(error: unknown): boolean {
  return codeOf(error) === refusedSqlState;
}

/** Fields that are undefined are left out: the row keeps what it has. */
function toChangeRow(change: StateChange) {
  return {
    run_id: change.runId,
    from_state: change.from,
    to_state: change.to,
    to_active: !isTerminal(change.to),
    fence: change.fence,
    at: change.at,
    start_time: change.startTime,
    running_time: change.runningTime,
    terminating_time: change.terminatingTime,
    end_time: change.endTime,
    warned: change.warned === true,
    result: change.result,
    message: change.message === undefined ? undefined : toStorableText(change.message),
    explanation: change.explanation === undefined ? undefined : toStorableTexts(change.explanation),
    cause_code: change.explanation?.cause_code,
    cluster_id: change.clusterId,
    spark_context_id: change.sparkContextId,
  };
}

async function isAlreadyWritten(db: Kysely<Database>, { changes }: ChangeSet): Promise<boolean> {
  // The last change of a row tells in which state it is.
  for (const change of splitByRow(changes.toReversed())[0] ?? []) {
    const row = await db
      .selectFrom(change.kind === 'run' ? 'runs' : 'task_runs')
      .select(['state', 'fence'])
      .where('run_id', '=', change.runId)
      .executeTakeFirst();
    if (row?.state !== change.to || row.fence !== change.fence) return false;
  }
  return true;
}
