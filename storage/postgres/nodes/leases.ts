/** Nodes and what they own: an active run belongs to a node for as long as that node's lease is kept. */
import { sql, type Kysely, type RawBuilder, type Selectable } from 'kysely';
import type { NodeIdentity, NodeLoad } from '../../../engine/ports/nodes.ts';
import type { RunWithTasks } from '../../../engine/run/run.ts';
import type { RunRow } from '../runs/run-rows.ts';
import { withTasks } from '../runs/runs.ts';
import type { Database, NodeTable } from '../schema.ts';

/**
 * How long a lease that has ended is kept for whoever looks for the reason of an adoption, in milliseconds.
 */
const endedLeaseRetentionMs = 24 * 60 * 60 * 1_000;

/** The time by the clock that all nodes share: their own may differ. Epoch ms. */
export async function databaseTime(db: Kysely<Database>): Promise<number> {
  const { rows } = await sql<{
    now: number;
  }>`select (extract(epoch from clock_timestamp()) * 1000)::bigint as now`.execute(db);
  if (rows[0] === undefined) throw new Error('The database does not tell the time.');
  return rows[0].now;
}

/** All nodes that are known, with what they drive; those that joined first come first. */
export async function listNodes(db: Kysely<Database>, now: number): Promise<NodeLoad[]> {
  const rows = await db
    .selectFrom('nodes')
    .selectAll()
    .select((node) => [
      node
        .selectFrom('runs')
        .whereRef('owner', '=', 'nodes.node_id')
        .where('active', '=', true)
        .select((run) => run.fn.countAll<number>().as('count'))
        .as('active_runs'),
      node
        .selectFrom('runs')
        .innerJoin('task_runs', 'task_runs.job_run_id', 'runs.run_id')
        .whereRef('owner', '=', 'nodes.node_id')
        .where('runs.active', '=', true)
        .where('task_runs.active', '=', true)
        .where('task_runs.state', 'in', ['RUNNING', 'TERMINATING'])
        .select((task) => task.fn.countAll<number>().as('count'))
        .as('running_tasks'),
    ])
    .orderBy('joined_time')
    .orderBy('node_id')
    .execute();
  return rows.map((row) => ({
    ...identityOf(row),
    joinedTime: row.joined_time,
    leaseUntil: row.lease_until,
    alive: row.lease_until > now,
    activeRuns: row.active_runs ?? 0,
    runningTasks: row.running_tasks ?? 0,
  }));
}

/**
 * Makes this node known, with a lease until then (epoch ms). Nodes that are gone for more than a day are
 * forgotten.
 */
export async function registerNode(
  db: Kysely<Database>,
  node: NodeIdentity,
  leaseUntil: number,
  now: number,
): Promise<void> {
  await db
    .deleteFrom('nodes')
    .where('lease_until', '<', now - endedLeaseRetentionMs)
    .execute();
  await db
    .insertInto('nodes')
    .values({
      node_id: node.nodeId,
      host: node.host,
      boot_id: node.bootId,
      pid: node.pid,
      process_start: node.processStart,
      directory_id: node.directoryId,
      joined_time: now,
      lease_until: leaseUntil,
    })
    .onConflict((conflict) => conflict.column('node_id').doUpdateSet({ lease_until: leaseUntil }))
    .execute();
}

/**
 * Extends the lease. False when it had ended before: another node may have adopted runs since, and the fences
 * keep this one from writing about those; runs that it starts from now on are its own again.
 */
export async function renewLease(
  db: Kysely<Database>,
  nodeId: string,
  leaseUntil: number,
  now: number,
): Promise<boolean> {
  const { rows } = await sql<{ kept: boolean }>`
    with former as (select lease_until > ${now} as kept from nodes where node_id = ${nodeId} for update)
    update nodes set lease_until = ${leaseUntil} from former where node_id = ${nodeId} returning former.kept`.execute(
    db,
  );
  return rows[0]?.kept ?? false;
}

/** Forgets the node with its lease, so that others may adopt without waiting. */
export async function unregisterNode(db: Kysely<Database>, nodeId: string): Promise<void> {
  await db.deleteFrom('nodes').where('node_id', '=', nodeId).execute();
}

/** Ends the leases of nodes that are known to be gone: their process does not exist any more. */
export async function expireNodes(
  db: Kysely<Database>,
  nodeIds: readonly string[],
  now: number,
): Promise<void> {
  if (nodeIds.length === 0) return;
  await db
    .updateTable('nodes')
    .set({ lease_until: now })
    .where('node_id', 'in', nodeIds)
    .where('lease_until', '>', now)
    .execute();
}

/** Nodes of this machine whose lease has not ended, for the look whether their process still lives. */
export async function listNodesOnHost(
  db: Kysely<Database>,
  host: string,
  now: number,
): Promise<NodeIdentity[]> {
  const rows = await db
    .selectFrom('nodes')
    .selectAll()
    .where('host', '=', host)
    .where('lease_until', '>', now)
    .execute();
  return rows.map(identityOf);
}

function identityOf(row: Selectable<NodeTable>): NodeIdentity {
  return {
    nodeId: row.node_id,
    host: row.host,
    bootId: row.boot_id,
    pid: row.pid,
    processStart: row.process_start,
    directoryId: row.directory_id,
  };
}

/**
 * Takes over active runs whose owner has no lease any more, raising their fences, so that a late write of the
 * former owner is refused. Several nodes may do so at once: each run goes to one of them.
 */
export function adoptRuns(
  db: Kysely<Database>,
  nodeId: string,
  now: number,
  limit: number,
): Promise<RunWithTasks[]> {
  return claimRuns(
    db,
    nodeId,
    sql`owner is null or (owner <> ${nodeId}
    and not exists (select from nodes where nodes.node_id = runs.owner and nodes.lease_until > ${now}))`,
    limit,
  );
}

/**
 * Takes up active runs that this node owns but no longer drives; a write that is still on its way is refused.
 */
export function resumeOwnedRuns(
  db: Kysely<Database>,
  nodeId: string,
  runIds: readonly number[],
): Promise<RunWithTasks[]> {
  return claimRuns(db, nodeId, sql`owner = ${nodeId} and run_id = any(${runIds})`, runIds.length);
}

function claimRuns(
  db: Kysely<Database>,
  nodeId: string,
  which: RawBuilder<unknown>,
  limit: number,
): Promise<RunWithTasks[]> {
  return db.transaction().execute(async (transaction) => {
    const { rows } = await sql<RunRow>`
      update runs set owner = ${nodeId}, fence = fence + 1
      where run_id in (
        select run_id from runs where active and queue_code is null and (${which}) order by run_id limit ${limit} for update skip locked)
      returning *`.execute(transaction);
    if (rows.length === 0) return [];
    await sql`
      update task_runs set fence = runs.fence from runs
      where task_runs.job_run_id = runs.run_id and runs.run_id in (${sql.join(rows.map((row) => row.run_id))})
        and task_runs.active`.execute(transaction);
    return withTasks(transaction, rows);
  });
}
