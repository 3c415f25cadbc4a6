/** Cluster libraries: the status of each library, and the environments of clusters. */
import type { Kysely, Selectable, Transaction } from 'kysely';
import { sql } from 'kysely';
import { Type } from 'typebox';
import { Check } from 'typebox/value';
import type { Clock } from '../../../engine/clock.ts';
import { libraryKey } from '../../../engine/cluster/libraries.ts';
import type { Library } from '../../../engine/job/cluster.ts';
import type {
  ClusterLibraries,
  LibraryCluster,
  LibraryReader,
  LibraryState,
  LibraryStore,
} from '../../../engine/ports/libraries.ts';
import type { Log } from '../../../engine/ports/log.ts';
import { retryTransient } from '../transient-errors.ts';
import type { ClusterLibraryTable } from './library-schema.ts';
import { bindDatabase } from '../bind-database.ts';
import type { Database } from '../schema.ts';

/** Creates the store of libraries. Every call retries while the database is unavailable. */
export function createLibraryStore(db: Kysely<Database>, clock: Clock, log: Log): LibraryStore {
  const withRetry = <Result>(work: () => Promise<Result>): Promise<Result> =>
    retryTransient(clock, log, work);
  return {
    getClusterLibraries: (cluster) => withRetry(() => getClusterLibraries(db, cluster)),
    add: (cluster, libraries, requested, now) =>
      withRetry(() => addLibraries(db, cluster, libraries, requested, now)),
    setStatus: (clusterId, libraries, status, messages, now) =>
      withRetry(async () => {
        if (libraries.length === 0) return;
        await db
          .updateTable('cluster_libraries')
          .set({ status, messages: [...messages], changed_time: now })
          .where('cluster_id', '=', clusterId)
          .where('library_key', 'in', libraries.map(libraryKey))
          .execute();
      }),
    saveEnvironment: (...order) => withRetry(() => saveEnvironment(db, ...order)),
    remove: (...order) => withRetry(() => removeLibraries(db, ...order)),
  };
}

function saveEnvironment(
  db: Kysely<Database>,
  ...[cluster, environment, since, now]: Parameters<LibraryStore['saveEnvironment']>
): ReturnType<LibraryStore['saveEnvironment']> {
  return db.transaction().execute(async (transaction) => {
    const { clusterId, sparkContextId } = cluster;
    const row = {
      spark_context_id: sparkContextId,
      installed: JSON.stringify(environment.installed),
      paths: JSON.stringify(environment.paths),
    };
    const written =
      since === 0
        ? await transaction
            .insertInto('cluster_environments')
            .values({ cluster_id: clusterId, version: 1, ...row })
            .onConflict((conflict) => conflict.doNothing())
            .returning('version')
            .executeTakeFirst()
        : await transaction
            .updateTable('cluster_environments')
            .set({ version: since + 1, ...row })
            .where('cluster_id', '=', clusterId)
            .where('version', '=', since)
            .returning('version')
            .executeTakeFirst();
    if (written === undefined) return false;
    await transaction
      .updateTable('cluster_libraries')
      .set({ status: 'INSTALLED', messages: [], changed_time: now })
      .where('cluster_id', '=', clusterId)
      .where(
        'library_key',
        'in',
        environment.installed.map(({ library }) => libraryKey(library)),
      )
      .where('status', 'not in', ['INSTALLED', 'UNINSTALL_ON_RESTART'])
      .execute();
    return true;
  });
}

function removeLibraries(
  db: Kysely<Database>,
  ...[clusterId, libraries, now]: Parameters<LibraryStore['remove']>
): ReturnType<LibraryStore['remove']> {
  return db.transaction().execute(async (transaction) => {
    if (libraries.length === 0) return;
    const keys = libraries.map(libraryKey);
    await transaction
      .deleteFrom('cluster_libraries')
      .where('cluster_id', '=', clusterId)
      .where('library_key', 'in', keys)
      .where('status', 'not in', ['INSTALLED', 'UNINSTALL_ON_RESTART'])
      .execute();
    await transaction
      .updateTable('cluster_libraries')
      .set({ status: 'UNINSTALL_ON_RESTART', requested: false, changed_time: now })
      .where('cluster_id', '=', clusterId)
      .where('library_key', 'in', keys)
      .execute();
  });
}

const EnvironmentVariables = Type.Record(Type.String(), Type.String());

/** Creates the reader of cluster libraries for the API. */
export function createLibraryReader(db: Kysely<Database>): LibraryReader {
  const clusterOf: LibraryReader['findCluster'] = async (clusterId) => {
    const row = await db
      .selectFrom('clusters')
      .select(['kind', 'state', 'spark_context_id'])
      .where('cluster_id', '=', clusterId)
      .executeTakeFirst();
    return (
      row && {
        clusterId,
        sparkContextId: row.spark_context_id ?? '',
        isAllPurpose: row.kind === 'ALL_PURPOSE',
        isRunning: row.state === 'RUNNING',
      }
    );
  };
  return {
    findCluster: clusterOf,
    async getClusterVariables(clusterId) {
      const row = await db
        .selectFrom('clusters')
        .select('spec')
        .where('cluster_id', '=', clusterId)
        .executeTakeFirst();
      const given = row?.spec['spark_env_vars'];
      return Check(EnvironmentVariables, given) ? given : {};
    },
    async findStates(clusterId) {
      if ((await clusterOf(clusterId)) === undefined) return undefined;
      return (await listLibraryRows(db, clusterId)).map(stateOf);
    },
    async listStates() {
      const rows = await db
        .selectFrom('cluster_libraries')
        .innerJoin('clusters', 'clusters.cluster_id', 'cluster_libraries.cluster_id')
        .where('clusters.state', '<>', 'TERMINATED')
        .selectAll('cluster_libraries')
        .orderBy('cluster_libraries.position')
        .execute();
      return [...Map.groupBy(rows, (row) => row.cluster_id)].map(([clusterId, own]) => ({
        clusterId,
        states: own.map(stateOf),
      }));
    },
    ...bindDatabase(db, { listClustersToInstall: listClustersToInstall }),
  };
}

async function listClustersToInstall(
  db: Kysely<Database>,
): ReturnType<LibraryReader['listClustersToInstall']> {
  const rows = await db
    .selectFrom('clusters')
    .select(['cluster_id', 'spark_context_id'])
    .where('state', '=', 'RUNNING')
    .where('kind', '=', 'ALL_PURPOSE')
    .where(
      'cluster_id',
      'in',
      db
        .selectFrom('cluster_libraries')
        .select('cluster_id')
        .where('requested', '=', true)
        .where('status', 'in', ['PENDING', 'RESOLVING', 'INSTALLING']),
    )
    .execute();
  return rows.map((row) => ({ clusterId: row.cluster_id, sparkContextId: row.spark_context_id ?? '' }));
}

/** Lists the library paths of all clusters that are not terminated. */
export async function listLibraryPathsInUse(db: Kysely<Database>): Promise<string[]> {
  const rows = await db
    .selectFrom('cluster_environments')
    .innerJoin('clusters', 'clusters.cluster_id', 'cluster_environments.cluster_id')
    .where('clusters.state', '<>', 'TERMINATED')
    .select(['installed', 'paths'])
    .execute();
  return rows.flatMap(({ installed, paths }) => [
    ...installed.flatMap(({ files }) => files),
    ...paths.classPath,
    ...paths.pythonPath,
    ...paths.binPath,
    ...(paths.rPath ?? []),
  ]);
}

const noLibraries: ClusterLibraries = { states: [], environment: undefined, version: 0 };

async function getClusterLibraries(db: Kysely<Database>, cluster: LibraryCluster): Promise<ClusterLibraries> {
  const { clusterId, sparkContextId } = cluster;
  const rows = await listLibraryRows(db, clusterId);
  if (rows.length === 0) return noLibraries;
  if (rows.some((row) => row.spark_context_id !== sparkContextId)) {
    await db.transaction().execute((transaction) => resetForNewContext(transaction, cluster));
    return { ...noLibraries, states: (await listLibraryRows(db, clusterId)).map(stateOf) };
  }
  const environment = await db
    .selectFrom('cluster_environments')
    .selectAll()
    .where('cluster_id', '=', clusterId)
    .executeTakeFirst();
  return {
    states: rows.map(stateOf),
    version: environment?.version ?? 0,
    environment: environment && { installed: environment.installed, paths: environment.paths },
  };
}

/** Resets the libraries after a restart: the requested ones are installed again, the others are removed. */
async function resetForNewContext(
  transaction: Transaction<Database>,
  { clusterId, sparkContextId }: LibraryCluster,
): Promise<void> {
  await transaction
    .deleteFrom('cluster_environments')
    .where('cluster_id', '=', clusterId)
    .where('spark_context_id', '<>', sparkContextId)
    .execute();
  await transaction
    .deleteFrom('cluster_libraries')
    .where('cluster_id', '=', clusterId)
    .where('spark_context_id', '<>', sparkContextId)
    .where('requested', '=', false)
    .execute();
  await transaction
    .updateTable('cluster_libraries')
    .set({ status: 'PENDING', messages: [], spark_context_id: sparkContextId })
    .where('cluster_id', '=', clusterId)
    .where('spark_context_id', '<>', sparkContextId)
    .execute();
}

async function addLibraries(
  db: Kysely<Database>,
  { clusterId, sparkContextId }: LibraryCluster,
  libraries: readonly Library[],
  requested: boolean,
  now: number,
): Promise<void> {
  // ON CONFLICT rejects a statement that names a row twice.
  const once = new Map(libraries.map((library) => [libraryKey(library), library]));
  if (once.size === 0) return;
  await db
    .insertInto('cluster_libraries')
    .values(
      [...once].map(([key, library]) => ({
        cluster_id: clusterId,
        library_key: key,
        library: JSON.stringify(library),
        status: 'PENDING' as const,
        messages: [],
        requested,
        spark_context_id: sparkContextId,
        changed_time: now,
      })),
    )
    .onConflict((conflict) =>
      conflict.columns(['cluster_id', 'library_key']).doUpdateSet((row) => ({
        requested: sql<boolean>`cluster_libraries.requested or ${row.ref('excluded.requested')}`,
        status: sql`case when cluster_libraries.status in ('FAILED', 'SKIPPED') or (excluded.requested and cluster_libraries.status = 'UNINSTALL_ON_RESTART')
      then 'PENDING' else cluster_libraries.status end`,
        changed_time: now,
      })),
    )
    .execute();
}

async function listLibraryRows(
  db: Kysely<Database>,
  clusterId: string,
): Promise<Selectable<ClusterLibraryTable>[]> {
  return db
    .selectFrom('cluster_libraries')
    .selectAll()
    .where('cluster_id', '=', clusterId)
    .orderBy('position')
    .execute();
}

function stateOf(row: Selectable<ClusterLibraryTable>): LibraryState {
  return { library: row.library, status: row.status, messages: row.messages, requested: row.requested };
}
