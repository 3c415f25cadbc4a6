/**
 * Allocation of the nodes of a pool: concurrent requests never get more nodes than the pool has, and each is
 * served.
 */
import { pino } from 'pino';
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import { systemClock } from '../../../engine/clock.ts';
import type { NewClusterRow } from '../../../engine/cluster/cluster.ts';
import { createAllPurposeStore } from '../../../storage/postgres/clusters/all-purpose-clusters.ts';
import { createClusterReader } from '../../../storage/postgres/clusters/cluster-reader.ts';
import { createClusterStore } from '../../../storage/postgres/clusters/clusters.ts';
import { openDatabase, type OpenDatabase } from '../../../storage/postgres/database.ts';
import { createTestDatabase, type TestDatabase } from '../../harness/test-database.ts';

const log = pino({ level: 'silent' });
const rules = { limited: true, capacityOf: (poolId: string) => (poolId === 'p' ? 6 : undefined) };

let database: TestDatabase;
/** Database connections of a second engine. */
let other: OpenDatabase;
beforeAll(async () => {
  database = await createTestDatabase();
  other = openDatabase(database.address, log);
});
afterEach(async () => {
  await database.db.deleteFrom('clusters').execute();
});
afterAll(async () => {
  await other.close();
  await database.drop();
});

const cluster = (clusterId: string, workers: number, poolId = 'p'): NewClusterRow => ({
  clusterId,
  kind: 'ALL_PURPOSE',
  name: clusterId,
  jobRunId: undefined,
  key: undefined,
  spec: {},
  creator: 'ann',
  createdTime: 1,
  poolId,
  workers,
  wantedNodes: workers + 1,
});
const stores = () =>
  [
    createClusterStore(database.db, systemClock, log, rules),
    createClusterStore(other.db, systemClock, log, rules),
  ] as const;
const makers = () =>
  [createAllPurposeStore(database.db, rules), createAllPurposeStore(other.db, rules)] as const;
const held = async (): Promise<number> =>
  (await database.db.selectFrom('clusters').select('granted_nodes').execute()).reduce(
    (sum, row) => sum + row.granted_nodes,
    0,
  );

test('40 clusters of two engines, each terminated once it has nodes, all get nodes of a pool of 6, and at most 6 at a time', async () => {
  const [one, two] = stores();
  const made = makers();
  await Promise.all(
    Array.from({ length: 40 }, (_, index) =>
      made[index % 2 === 0 ? 0 : 1].createAllPurpose(cluster(`c${index}`, index % 3), 'n'),
    ),
  );
  for (let left = 40; left > 0;) {
    expect(await held()).toBeLessThanOrEqual(6);
    const holding = await database.db
      .selectFrom('clusters')
      .select('cluster_id')
      .where('granted_nodes', '>', 0)
      .execute();
    expect(holding.length).toBeGreaterThan(0);
    await Promise.all(
      holding.map(({ cluster_id: id }, index) =>
        (index % 2 === 0 ? one : two).terminate([id], { code: 'USER_REQUEST' }, 5),
      ),
    );
    left -= holding.length;
  }
  expect(await held()).toBe(0);
});

test('a second termination of a cluster releases no nodes again and keeps the first reason', async () => {
  const [store] = stores();
  const [made] = makers();
  await made.createAllPurpose(cluster('a', 2), 'n');
  await store.terminate(['a'], { code: 'INACTIVITY' }, 5);
  await store.terminate(['a'], { code: 'USER_REQUEST' }, 6);
  expect(await store.find('a')).toMatchObject({
    state: 'TERMINATED',
    nodes: 0,
    terminatedTime: 5,
    termination: { code: 'INACTIVITY' },
  });
  expect(await store.markRunning('a', '1', 7)).toBe(false);
  const { events } = await createClusterReader(database.db).listEvents({
    clusterId: 'a',
    from: undefined,
    to: undefined,
    types: undefined,
    newestFirst: false,
    offset: 0,
    limit: 9,
  });
  expect(events.map(({ type, time }) => [type, time])).toEqual([
    ['CREATING', 1],
    ['TERMINATING', 5],
  ]);
});

test('a resized cluster waits behind earlier requests, and new capacity of a pool is allocated', async () => {
  const [store] = stores();
  const [made] = makers();
  for (const [id, workers] of [
    ['a', 1],
    ['b', 1],
    ['c', 3],
  ] as const)
    await made.createAllPurpose(cluster(id, workers), 'n');
  await store.markRunning('a', '1', 2);
  await made.resize('a', { num_workers: 3 }, 3, 'ann');
  const nodes = async () =>
    Object.fromEntries(
      (await database.db.selectFrom('clusters').select(['cluster_id', 'granted_nodes']).execute()).map(
        (row) => [row.cluster_id, row.granted_nodes],
      ),
    );
  expect(await nodes()).toEqual({ a: 2, b: 2, c: 0 });
  await store.terminate(['b'], { code: 'USER_REQUEST' }, 4);
  expect(await nodes()).toEqual({ a: 2, b: 0, c: 4 });
  await createAllPurposeStore(database.db, { limited: true, capacityOf: () => 8 }).allocateFreeNodes(5);
  expect(await nodes()).toEqual({ a: 4, b: 0, c: 4 });
});

test('one engine adopts the start of a cluster whose node has no lease', async () => {
  const [made, elsewhere] = makers();
  await made.createAllPurpose(cluster('a', 0), 'gone');
  await database.db
    .insertInto('nodes')
    .values({
      node_id: 'alive',
      host: 'h',
      boot_id: 'b',
      pid: 1,
      process_start: '1',
      directory_id: 'd',
      joined_time: 1,
      lease_until: 100,
    })
    .execute();
  await made.createAllPurpose(cluster('b', 0), 'alive');
  const adopted = await Promise.all([made.adoptStarts('one', 50), elsewhere.adoptStarts('two', 50)]);
  expect(
    adopted
      .flat()
      .map(({ clusterId }) => clusterId)
      .filter((id) => id === 'b'),
  ).toEqual([]);
  expect(adopted.flat().length).toBeGreaterThan(0);
  await database.db.deleteFrom('nodes').execute();
});
