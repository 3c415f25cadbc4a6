/**
 * Registry of the advisory locks. PostgreSQL keeps locks with one bigint key and locks with two integer keys
 * apart; every number occurs once all the same. A released number keeps its meaning, because two versions of
 * the engine share a database during an upgrade.
 */
import { sql, type Transaction } from 'kysely';
import type { Database } from './schema.ts';

export const advisoryLocks = {
  /** Serializes migrations at start. */
  migrations: 7_019,
  /** Serializes job creation, so that the hourly quota is exact. */
  jobCreation: 7_021,
  /** Serializes the dispatch of outbox events, so that deliveries keep their order. */
  outboxDispatch: 7_022,
  /** Serializes the creation of destinations, so that the quota is exact. */
  destinationCreation: 7_023,
  /** First of two keys; the second is a slot of the capacity check of launches. */
  launchCapacity: 7_024,
  /** First of two keys; the second is a hash of the instance pool id. */
  instancePool: 7_401_115,
  /** First of two keys; the second is a hash of the cluster id. */
  logDelivery: 7_401_116,
  /** First of two keys; the second is a hash of the policy id. */
  clusterPolicy: 7_401_117,
} as const;

/**
 * Takes an advisory lock until the transaction ends, waiting for the transaction that holds it.
 * @param key locks one object, such as a cluster; undefined locks the whole subject
 */
export async function lockUntilCommit(
  transaction: Transaction<Database>,
  lock: keyof typeof advisoryLocks,
  key?: string,
): Promise<void> {
  const number = advisoryLocks[lock];
  const keys = key === undefined ? sql`${number}` : sql`${number}, hashtext(${key})`;
  await sql`select pg_advisory_xact_lock(${keys})`.execute(transaction);
}
