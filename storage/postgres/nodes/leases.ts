/**
 * Nodes, their leases and ownership: an active run belongs to a node while the lease of the node is valid.
 */
import { sql, type Kysely, type RawBuilder, type Selectable } from 'kysely';
import type { NodeIdentity, NodeLoad } from '../../../engine/ports/nodes.ts';
import type { RunWithTasks } from '../../../engine/run/run.ts';
import { returnedRunColumns, type RunRow } from '../runs/run-rows.ts';
import { activeRunIds, withTasks } from '../runs/runs.ts';
import type { Database, NodeTable } from '../schema.ts';

/** Retention of ended leases in ms; they explain adoptions. */
const endedLeaseRetentionMs = 24 * 60 * 60 * 1_000;

/** Returns the time of the database (epoch ms), the clock that all nodes share. */
export async function databaseTime(db: Kysely<Database>): Promise<number> {
  const { rows } = await sql<{
    now: number;
  }>`select (extract(epoch from clock_timestamp()) * 1000)::bigint as now`.execute(db);
  if (rows[0] === undefined) throw new Error('The database returned no time.');
  return rows[0].now;
}

/** Lists the registered nodes with their load, in the order of joining. */
export async function listNodes(db: Kysely<Database>, now: number): Promise<NodeLoad[]> {
  const rows = await db
    .selectFrom('nodes')
    .selectAll()
    .select((node) => [
      node
        .selectFrom('runs')
        .whereRef('owner', '=', 'nodes.node_id')
        .where('run_id', 'in', activeRunIds(db))
        .select((run) => run.fn.countAll<number>().as('count'))
        .as('active_runs'),
      node
        .selectFrom('runs')
        .innerJoin('task_runs', 'task_runs.job_run_id', 'runs.run_id')
        .whereRef('owner', '=', 'nodes.node_id')
        .where('runs.run_id', 'in', activeRunIds(db))
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
 * Registers a node with a lease until `leaseUntil` (epoch ms). Removes nodes that are gone for more than a
 * day.
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
      reads_shared_settings: true,
    })
    .onConflict((conflict) => conflict.column('node_id').doUpdateSet({ lease_until: leaseUntil }))
    .execute();
}

/**
 * Extends the lease. Returns false when it had ended: another node may have adopted runs, whose fences refuse
 * writes of this one. Runs that the node starts from now on belong to it again.
 */
export async function renewLease(
  db: Kysely<Database>,
  nodeId: string,
  leaseUntil: number,
  now: number,
): Promise<boolean> {
  const { rows } = await sql<{ kept: boolean }>`
    with previous as (select lease_until > ${now} as kept from nodes where node_id = ${nodeId} for update)
    update nodes set lease_until = ${leaseUntil} from previous where node_id = ${nodeId} returning previous.kept`.execute(
    db,
  );
  return rows[0]?.kept ?? false;
}

/** Removes a node with its lease, so that others adopt its runs at once. */
export async function unregisterNode(db: Kysely<Database>, nodeId: string): Promise<void> {
  await db.deleteFrom('nodes').where('node_id', '=', nodeId).execute();
}

/** Ends the leases of nodes whose process does not exist any more. */
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

/** Lists nodes of a host with a valid lease, for the check of their processes. */
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
 * Adopts active runs whose owner has no valid lease, and raises their fences, so that late writes of the
 * previous owner are refused. Concurrent calls adopt different runs.
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
 * Resumes active runs that this node owns but no longer drives. Their fences are raised, so that pending
 * writes are refused.
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
  condition: RawBuilder<unknown>,
  limit: number,
): Promise<RunWithTasks[]> {
  return db.transaction().execute(async (transaction) => {
    const { rows } = await sql<RunRow>`
      update runs set owner = ${nodeId}, fence = fence + 1
      where run_id in (
        select run_id from runs where run_id in (select run_id from active_runs where not is_queued) and (${condition})
        order by run_id limit ${limit} for update skip locked)
      returning ${returnedRunColumns}`.execute(transaction);
    if (rows.length === 0) return [];
    await sql`
      update task_runs set fence = runs.fence from runs
      where task_runs.job_run_id = runs.run_id and runs.run_id in (${sql.join(rows.map((row) => row.run_id))})
        and task_runs.active`.execute(transaction);
    return withTasks(transaction, rows);
  });
}
