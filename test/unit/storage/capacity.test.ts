/** Limits of active task runs under concurrent launches of several engines (spec 8). */
import { pino } from 'pino';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { systemClock } from '../../../engine/clock.ts';
import { defaultLimits } from '../../../engine/limits.ts';
import { openDatabase, type OpenDatabase } from '../../../storage/postgres/database.ts';
import { createPendingLauncher } from '../../../storage/postgres/runs/pending-launches.ts';
import { createTestDatabase, type TestDatabase } from '../../harness/test-database.ts';
import {
  graphSettings,
  createLaunchPorts,
  launchRunOfJob,
  createTestRunStore,
  singleTaskSettings,
  createStoredJob,
} from './run-fixtures.ts';

const log = pino({ level: 'silent' });
let database: TestDatabase;
let engines: readonly OpenDatabase[];
/**
 * By their number of tasks. Launches of one job wait for each other: these are enough for all connections of
 * all engines.
 */
const jobs = new Map<number, number[]>();

beforeAll(async () => {
  database = await createTestDatabase();
  engines = Array.from({ length: 3 }, () => openDatabase(database.address, log));
  for (const size of [1, 2, 5, 10, 40]) {
    const settings =
      size === 1
        ? singleTaskSettings
        : graphSettings(...Array.from({ length: size }, (_, task) => `t${task}`));
    const ids = await Promise.all(
      Array.from({ length: 30 }, () =>
        createStoredJob(database.db, { ...settings, max_concurrent_runs: 1000 }),
      ),
    );
    jobs.set(size, ids);
  }
});
afterAll(async () => {
  for (const engine of engines) await engine.close();
  await database.drop();
});

async function active(): Promise<number> {
  const { count } = await database.db
    .selectFrom('task_runs')
    .select((row) => row.fn.countAll<number>().as('count'))
    .where('active', '=', true)
    .executeTakeFirstOrThrow();
  return count;
}

/** Launches runs of these sizes concurrently from all engines, and returns the number of accepted runs. */
async function launchAll(sizes: readonly number[], concurrentTaskRuns: number): Promise<number> {
  const stores = engines.map((engine) => createTestRunStore(engine.db));
  // Launches in one round trip compete with launch transactions.
  const launchers = engines.map((engine, index) =>
    createPendingLauncher(engine.db, {
      clock: systemClock,
      log,
      nodeId: `node-${index}`,
      maxTaskRuns: concurrentTaskRuns,
    }),
  );
  const launches = await Promise.allSettled(
    sizes.map((size, index) => {
      const ports = {
        ...createLaunchPorts(stores[index % stores.length] ?? createTestRunStore(database.db)),
        limits: { ...defaultLimits, concurrentTaskRuns },
        pendingLauncher: index % 2 === 0 ? launchers[index % launchers.length] : undefined,
      };
      const own = jobs.get(size) ?? [];
      return launchRunOfJob(ports, own[index % own.length] ?? 0);
    }),
  );
  for (const launch of launches) {
    if (launch.status === 'rejected') expect(launch.reason).toMatchObject({ code: 'REQUEST_LIMIT_EXCEEDED' });
  }
  return launches.filter(({ status }) => status === 'fulfilled').length;
}

describe('spec 8: task runs that are active at once', () => {
  test.each<[string, number, readonly number[]]>([
    ['a low limit, one launch after the other', 20, Array.from({ length: 60 }, () => 1)],
    ['a limit that is passed side by side, then alone', 220, Array.from({ length: 300 }, () => 1)],
    [
      'small and large runs together',
      300,
      Array.from({ length: 90 }, (_, index) => [1, 10, 2, 40, 5][index % 5] ?? 1),
    ],
  ])('never exceed %s', async (_name, limit, sizes) => {
    await database.db.deleteFrom('runs').execute();
    await launchAll(sizes, limit);
    const count = await active();
    expect(count).toBeLessThanOrEqual(limit);
    expect(count).toBeGreaterThan(limit - Math.max(...sizes));
  });

  test('reach the limit exactly', async () => {
    await database.db.deleteFrom('runs').execute();
    expect(
      await launchAll(
        Array.from({ length: 250 }, () => 1),
        200,
      ),
    ).toBe(200);
    expect(await active()).toBe(200);
  });

  test('do not count when they wait in the queue, or are over', async () => {
    await database.db.deleteFrom('runs').execute();
    await launchAll([1, 1, 1], 3);
    const ids = await database.db.selectFrom('runs').select('run_id').orderBy('run_id').execute();
    const [queued, over] = ids.map((row) => row.run_id);
    await database.db
      .updateTable('runs')
      .set({ state: 'QUEUED', queue_code: 'MAX_CONCURRENT_RUNS_REACHED' })
      .where('run_id', '=', queued ?? 0)
      .execute();
    for (const table of ['runs', 'task_runs'] as const) {
      await database.db
        .updateTable(table)
        .set({ state: 'SKIPPED', active: false, end_time: 9_999_999_999_999 })
        .where('run_id', '=', over ?? 0)
        .execute();
    }
    expect(await launchAll([1, 1, 1], 3)).toBe(2);
  });
});
