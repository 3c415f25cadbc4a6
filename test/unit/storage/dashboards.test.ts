/** Stored dashboards: order of keys, names that are taken, the trash, and what the CHECKs refuse. */
import { sql } from 'kysely';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Dashboard } from '../../../engine/ports/dashboards.ts';
import {
  createClassicDashboardStore,
  createDashboardStore,
} from '../../../storage/postgres/dashboards/dashboards.ts';
import { createTestDatabase, type TestDatabase } from '../../harness/test-database.ts';

let database: TestDatabase;
beforeAll(async () => {
  database = await createTestDatabase();
});
afterAll(() => database.drop());

const uuid = (index: number): string => `00000000-0000-4000-8000-${String(index).padStart(12, '0')}`;

const dashboard = (index: number, fields: Partial<Dashboard> = {}): Dashboard => ({
  dashboardId: String(index).padStart(32, '0'),
  sourceDashboardId: uuid(1),
  displayName: 'Sales',
  parentPath: '/Users/ann',
  warehouseId: '',
  creator: 'ann',
  etag: 1,
  createdTime: 10,
  updatedTime: 10,
  trashed: false,
  serialized: '{}\n',
  warnings: ['One.'],
  ...fields,
});

describe('classic dashboards', () => {
  test('are returned as they were stored, with the same order of keys', async () => {
    const store = createClassicDashboardStore(database.db);
    const document = {
      id: uuid(1),
      name: 'Sales',
      widgets: [{ options: { columnMapping: { zebra: 'y', a: 'y', longer: 'x' } } }],
    };
    expect(await store.add({ document, creator: 'ann', createdTime: 10 })).toBe(true);
    const found = await store.find(uuid(1));
    expect(found).toEqual({ document, creator: 'ann', createdTime: 10 });
    expect(JSON.stringify(found?.document)).toBe(JSON.stringify(document));
  });

  test('an id is stored once, also by concurrent creates', async () => {
    const store = createClassicDashboardStore(database.db);
    const added = await Promise.all(
      [1, 2, 3].map(() =>
        store.add({ document: { id: uuid(2), name: 'Twice' }, creator: 'ann', createdTime: 10 }),
      ),
    );
    expect(added.filter(Boolean)).toHaveLength(1);
  });

  test('are listed newest first, in pages, filtered by part of the name', async () => {
    const store = createClassicDashboardStore(database.db);
    for (const index of [3, 4, 5])
      await store.add({
        document: { id: uuid(index), name: `Page %_ ${index}` },
        creator: 'ann',
        createdTime: 10,
      });
    const page = await store.list({ name: 'page %_', offset: 1, limit: 1 });
    expect(page).toMatchObject({ count: 3, dashboards: [{ document: { name: 'Page %_ 4' } }] });
    expect((await store.list({ name: undefined, offset: 0, limit: 100 })).count).toBe(5);
  });

  test('are deleted once', async () => {
    const store = createClassicDashboardStore(database.db);
    expect([await store.remove(uuid(5)), await store.remove(uuid(5)), await store.find(uuid(5))]).toEqual([
      true,
      false,
      undefined,
    ]);
  });
});

describe('dashboards of the newer format', () => {
  test('a name is unique in its folder until its dashboard is in the trash', async () => {
    const store = createDashboardStore(database.db);
    const added = await Promise.all([1, 2, 3].map((index) => store.add(dashboard(index))));
    expect(added.filter(Boolean)).toHaveLength(1);
    expect(await store.add(dashboard(4, { parentPath: '/' }))).toBe(true);
    const [taken = ''] = (await store.list({ trashed: false, before: undefined, limit: 10 }))
      .filter(({ parentPath }) => parentPath !== '/')
      .map(({ dashboardId }) => dashboardId);
    expect(await store.trash(taken, 20)).toBe(true);
    expect(await store.add(dashboard(5))).toBe(true);
    expect(await store.find(taken)).toMatchObject({
      trashed: true,
      etag: 2,
      updatedTime: 20,
      createdTime: 10,
      warnings: ['One.'],
      serialized: '{}\n',
    });
    expect(await store.trash(taken, 30)).toBe(true);
    expect(await store.find(taken)).toMatchObject({ etag: 2, updatedTime: 20 });
    expect(await store.trash('f'.repeat(32), 30)).toBe(false);
  });

  test('are listed newest first, those in the trash on request', async () => {
    const store = createDashboardStore(database.db);
    const active = await store.list({ trashed: false, before: undefined, limit: 10 });
    const all = await store.list({ trashed: true, before: undefined, limit: 10 });
    expect([active.length, all.length]).toEqual([2, 3]);
    expect(active[0]).toMatchObject({ dashboardId: dashboard(5).dashboardId });
    expect(await store.list({ trashed: true, before: all[0]?.number, limit: 1 })).toEqual([all[1]]);
  });
});

const checks: [string, string][] = [
  ['classic_dashboards_name_given', "classic_dashboards set name = ''"],
  ['dashboards_id_is_hex', "dashboards set dashboard_id = 'x'"],
  ['dashboards_name_given', "dashboards set display_name = ''"],
  ['dashboards_parent_absolute', "dashboards set parent_path = 'Users'"],
  ['dashboards_etag_positive', 'dashboards set etag = 0'],
  ['dashboards_times_in_order', 'dashboards set updated_time = 9'],
];

test.each(checks)('%s refuses: update %s', async (constraint, change) => {
  await expect(sql.raw(`update ${change}`).execute(database.db)).rejects.toMatchObject({ constraint });
});

test('every CHECK constraint of these tables has a test', async () => {
  const { rows } = await sql<{ name: string }>`select conname as name from pg_constraint
    where contype = 'c' and conrelid::regclass::text in ('classic_dashboards', 'dashboards')`.execute(
    database.db,
  );
  expect(checks.map(([name]) => name).toSorted()).toEqual(rows.map(({ name }) => name).toSorted());
});
