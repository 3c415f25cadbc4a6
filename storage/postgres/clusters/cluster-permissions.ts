/** Access control lists of all-purpose clusters. */
import { sql, type Kysely, type Transaction } from 'kysely';
import {
  defaultClusterGrants,
  type ClusterGrant,
  type ClusterPermissionLevel,
} from '../../../engine/cluster/cluster-permissions.ts';
import type { Grantee } from '../../../engine/job/permissions.ts';
import type { ClusterPermissionStore } from '../../../engine/ports/cluster-permissions.ts';
import { bindDatabase } from '../bind-database.ts';
import { everyoneGroup, listPrincipalIds, requirePrincipalId } from '../people/grantees.ts';
import type { Database } from '../schema.ts';

export function createClusterPermissionStore(db: Kysely<Database>): ClusterPermissionStore {
  return bindDatabase(db, { findLevels, listGrants: listClusterGrants, update: updateGrants });
}

async function findLevels(
  db: Kysely<Database>,
  clusterIds: readonly string[],
  userName: string,
): Promise<ReadonlyMap<string, readonly ClusterPermissionLevel[]>> {
  if (clusterIds.length === 0) return new Map();
  const rows = await db
    .selectFrom('cluster_permissions')
    .leftJoin('principals', 'principals.principal_id', 'cluster_permissions.principal_id')
    .select(['cluster_id', 'level'])
    .where(sql<boolean>`cluster_id = any(${clusterIds}::text[])`)
    .where((row) => row.or([row('group_name', '=', everyoneGroup), row('user_name', '=', userName)]))
    .execute();
  const byCluster = Map.groupBy(rows, (row) => row.cluster_id);
  return new Map([...byCluster].map(([clusterId, own]) => [clusterId, own.map((row) => row.level)]));
}

async function listClusterGrants(
  db: Kysely<Database>,
  clusterId: string,
): Promise<ClusterGrant[] | undefined> {
  const cluster = await selectCluster(db, clusterId).executeTakeFirst();
  return cluster === undefined ? undefined : grantsOn(db, clusterId, cluster);
}

function updateGrants(
  db: Kysely<Database>,
  clusterId: string,
  change: (current: readonly ClusterGrant[]) => readonly ClusterGrant[],
): Promise<ClusterGrant[] | undefined> {
  return db.transaction().execute(async (transaction) => {
    const cluster = await selectCluster(transaction, clusterId).forUpdate().executeTakeFirst();
    if (cluster === undefined) return undefined;
    await replaceGrants(transaction, clusterId, change(await grantsOn(transaction, clusterId, cluster)));
    return grantsOn(transaction, clusterId, { ...cluster, permissions_set: true });
  });
}

function selectCluster(db: Kysely<Database>, clusterId: string) {
  return db
    .selectFrom('clusters')
    .select(['creator', 'permissions_set'])
    .where('cluster_id', '=', clusterId)
    .where('kind', '=', 'ALL_PURPOSE');
}

async function grantsOn(
  db: Kysely<Database>,
  clusterId: string,
  { creator, permissions_set: isSet }: { readonly creator: string | null; readonly permissions_set: boolean },
): Promise<ClusterGrant[]> {
  if (!isSet) return defaultClusterGrants(creator === null ? undefined : await findCreator(db, creator));
  const rows = await db
    .selectFrom('cluster_permissions')
    .leftJoin('principals', 'principals.principal_id', 'cluster_permissions.principal_id')
    .select(['user_name', 'kind', 'group_name', 'level'])
    .where('cluster_id', '=', clusterId)
    .orderBy('user_name', (by) => by.asc().nullsLast())
    .orderBy('group_name')
    .execute();
  return rows.map(({ user_name: user, kind, group_name: group, level }) => ({
    // A CHECK of the table guarantees that one of the two is set.
    grantee: group === null ? { kind: kind ?? 'user', name: user ?? '' } : { kind: 'group', name: group },
    level,
  }));
}

async function findCreator(db: Kysely<Database>, creator: string): Promise<Grantee | undefined> {
  const person = await db
    .selectFrom('principals')
    .select(['kind', 'user_name'])
    .where('user_name', '=', creator)
    .where('deleted_time', 'is', null)
    .executeTakeFirst();
  return person === undefined ? undefined : { kind: person.kind, name: person.user_name };
}

async function replaceGrants(
  db: Transaction<Database>,
  clusterId: string,
  grants: readonly ClusterGrant[],
): Promise<void> {
  await db.deleteFrom('cluster_permissions').where('cluster_id', '=', clusterId).execute();
  await db
    .updateTable('clusters')
    .set({ permissions_set: true })
    .where('cluster_id', '=', clusterId)
    .execute();
  if (grants.length === 0) return;
  const principals = await listPrincipalIds(
    db,
    grants.map(({ grantee }) => grantee),
  );
  await db
    .insertInto('cluster_permissions')
    .values(
      grants.map(({ grantee, level }) => ({
        cluster_id: clusterId,
        level,
        principal_id: grantee.kind === 'group' ? null : requirePrincipalId(principals, grantee),
        group_name: grantee.kind === 'group' ? grantee.name : null,
      })),
    )
    .execute();
}
