/** Stored dashboards: classic ones, and those of the newer format. */
import { sql, type Kysely, type Selectable } from 'kysely';
import type {
  ClassicDashboardStore,
  Dashboard,
  DashboardStore,
  StoredClassicDashboard,
} from '../../../engine/ports/dashboards.ts';
import type { ClassicDashboardTable, DashboardTable } from './dashboard-schema.ts';
import type { Database } from '../schema.ts';

export function createClassicDashboardStore(db: Kysely<Database>): ClassicDashboardStore {
  return {
    async add({ document, creator, createdTime }) {
      const added = await db
        .insertInto('classic_dashboards')
        .values({
          dashboard_id: document.id,
          name: document.name,
          creator,
          created_time: createdTime,
          document: JSON.stringify(document),
        })
        .onConflict((conflict) => conflict.column('dashboard_id').doNothing())
        .returning('dashboard_id')
        .executeTakeFirst();
      return added !== undefined;
    },
    async find(id) {
      const row = await db
        .selectFrom('classic_dashboards')
        .selectAll()
        .where('dashboard_id', '=', id)
        .executeTakeFirst();
      return row && classicOf(row);
    },
    async list({ name, offset, limit }) {
      const matching = db
        .selectFrom('classic_dashboards')
        .$if(name !== undefined, (query) =>
          query.where(sql<boolean>`strpos(lower(name), lower(${name ?? ''})) > 0`),
        );
      const { count } = await matching
        .select((row) => row.fn.countAll<number>().as('count'))
        .executeTakeFirstOrThrow();
      const rows = await matching.selectAll().orderBy('number', 'desc').offset(offset).limit(limit).execute();
      return { count, dashboards: rows.map(classicOf) };
    },
    async remove(id) {
      const { numDeletedRows } = await db
        .deleteFrom('classic_dashboards')
        .where('dashboard_id', '=', id)
        .executeTakeFirst();
      return numDeletedRows > 0n;
    },
  };
}

function classicOf({
  document,
  creator,
  created_time,
}: Selectable<ClassicDashboardTable>): StoredClassicDashboard {
  return { document, creator, createdTime: created_time };
}

export function createDashboardStore(db: Kysely<Database>): DashboardStore {
  return {
    async add(dashboard) {
      const added = await db
        .insertInto('dashboards')
        .values({
          dashboard_id: dashboard.dashboardId,
          source_dashboard_id: dashboard.sourceDashboardId,
          display_name: dashboard.displayName,
          parent_path: dashboard.parentPath,
          warehouse_id: dashboard.warehouseId,
          creator: dashboard.creator,
          etag: dashboard.etag,
          created_time: dashboard.createdTime,
          updated_time: dashboard.updatedTime,
          trashed: dashboard.trashed,
          serialized: dashboard.serialized,
          warnings: JSON.stringify(dashboard.warnings),
        })
        .onConflict((conflict) =>
          conflict.columns(['parent_path', 'display_name']).where('trashed', '=', false).doNothing(),
        )
        .returning('dashboard_id')
        .executeTakeFirst();
      return added !== undefined;
    },
    async find(dashboardId) {
      const row = await db
        .selectFrom('dashboards')
        .selectAll()
        .where('dashboard_id', '=', dashboardId)
        .executeTakeFirst();
      return row && { ...toListedDashboard(row), serialized: row.serialized, warnings: row.warnings };
    },
    async list({ trashed, before, limit }) {
      const rows = await db
        .selectFrom('dashboards')
        .select(listedColumns)
        .$if(!trashed, (query) => query.where('trashed', '=', false))
        .$if(before !== undefined, (query) => query.where('number', '<', before ?? 0))
        .orderBy('number', 'desc')
        .limit(limit)
        .execute();
      return rows.map((row) => ({ ...toListedDashboard(row), number: row.number }));
    },
    trash: (dashboardId, now) => trashDashboard(db, dashboardId, now),
  };
}

async function trashDashboard(db: Kysely<Database>, dashboardId: string, now: number): Promise<boolean> {
  const { numUpdatedRows } = await db
    .updateTable('dashboards')
    .set({ trashed: true, etag: sql`etag + 1`, updated_time: sql`greatest(updated_time, ${now}::bigint)` })
    .where('dashboard_id', '=', dashboardId)
    .where('trashed', '=', false)
    .executeTakeFirst();
  if (numUpdatedRows > 0n) return true;
  return (
    (await db
      .selectFrom('dashboards')
      .select('dashboard_id')
      .where('dashboard_id', '=', dashboardId)
      .executeTakeFirst()) !== undefined
  );
}

/** All columns except the serialized document, which may be large, and the warnings. */
const listedColumns = [
  'dashboard_id',
  'number',
  'source_dashboard_id',
  'display_name',
  'parent_path',
  'warehouse_id',
  'creator',
  'etag',
  'created_time',
  'updated_time',
  'trashed',
] as const;

function toListedDashboard(
  row: Pick<Selectable<DashboardTable>, (typeof listedColumns)[number]>,
): Omit<Dashboard, 'serialized' | 'warnings'> {
  return {
    dashboardId: row.dashboard_id,
    sourceDashboardId: row.source_dashboard_id,
    displayName: row.display_name,
    parentPath: row.parent_path,
    warehouseId: row.warehouse_id,
    creator: row.creator,
    etag: row.etag,
    createdTime: row.created_time,
    updatedTime: row.updated_time,
    trashed: row.trashed,
  };
}
