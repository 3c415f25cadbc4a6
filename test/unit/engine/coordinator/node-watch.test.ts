/** The watch of a node: its lease, what it adopts, and that every run it owns is driven. */
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest';
import { startOwnershipLoop, type OwnershipLoop } from '../../../../engine/coordinator/ownership-loop.ts';
import type { Coordinator } from '../../../../engine/coordinator/coordinator.ts';
import type { RunStore } from '../../../../engine/ports/runs.ts';
import type { Heartbeat } from '../../../../engine/ports/nodes.ts';
import { renewLease } from '../../../../storage/postgres/nodes/leases.ts';
import { createNodeStore } from '../../../../storage/postgres/stores.ts';
import { eventually } from '../../../harness/eventually.ts';
import { createTestDatabase, type TestDatabase } from '../../../harness/test-database.ts';
import { createCoordinatorHarness, describeRun, type CoordinatorHarness } from './coordinator-harness.ts';

let database: TestDatabase;
let harness: CoordinatorHarness;
let watch: OwnershipLoop | undefined;

beforeAll(async () => {
  database = await createTestDatabase();
});
afterAll(() => database.drop());
beforeEach(() => {
  harness = createCoordinatorHarness(database);
});
afterEach(async () => {
  await watch?.close();
  watch = undefined;
  await harness.close();
  await database.db.deleteFrom('nodes').execute();
});

const leaseMs = 3_000;
const graph = {
  name: 'watched',
  tasks: [{ task_key: 'a', existing_cluster_id: 'c', notebook_task: { notebook_path: '/n' } }],
};

async function watched(coordinator: Coordinator, runs: RunStore = harness.runs): Promise<OwnershipLoop> {
  watch = await startOwnershipLoop({
    nodes: createNodeStore(database.db, async () => harness.clock.now()),
    runs,
    coordinator,
    queue: { wake: () => undefined },
    clock: harness.clock,
    leaseMs,
    log: { info: () => undefined, warn: () => undefined, error: () => undefined },
    node: { nodeId: 'node-1', host: 'nowhere', bootId: 'b', pid: 1, processStart: '1', directoryId: 'd' },
    heartbeat: beating,
    sweepOrphans: async () => {
      swept += 1;
    },
  });
  return watch;
}

let swept = 0;
/** Keeps the lease as the thread does, by the clock of the test: together with each beat, and before it. */
function beating(onLost: () => void): Heartbeat {
  return {
    reportAlive() {
      const now = harness.clock.now();
      // One after the other, as the thread does it.
      renewing = renewing.then(() => renew(now, onLost));
    },
    close: async () => renewing,
  };
}
let renewing = Promise.resolve();
async function renew(now: number, onLost: () => void): Promise<void> {
  if (!(await renewLease(database.db, 'node-1', now + leaseMs, now))) onLost();
}

const leaseOf = async (): Promise<number | undefined> =>
  (
    await database.db
      .selectFrom('nodes')
      .select('lease_until')
      .where('node_id', '=', 'node-1')
      .executeTakeFirst()
  )?.lease_until;

/**
 * One beat of the watch, to its end: the lease is its first step, so the next thing that it waits for is its
 * timer.
 */
async function beat(): Promise<void> {
  const timers = harness.clock.pendingCount();
  harness.clock.advance(leaseMs / 3);
  await eventually(() => expect(harness.clock.pendingCount()).toBe(timers));
  await renewing;
}

test('renews its lease three times in its span', async () => {
  await watched(harness.startCoordinator());
  const first = await leaseOf();
  await beat();
  expect(await leaseOf()).toBe((first ?? 0) + leaseMs / 3);
});

test('joins again when nobody knows it any more', async () => {
  await watched(harness.startCoordinator());
  await database.db.deleteFrom('nodes').execute();
  await beat();
  await eventually(async () => expect(await leaseOf()).toBe(harness.clock.now() + leaseMs));
});

test('lets go of runs that others have adopted while its lease was lost, and looks for processes that are left', async () => {
  const coordinator = harness.startCoordinator();
  await watched(coordinator);
  const [taken, kept] = [
    await harness.launchRun(coordinator, graph),
    await harness.launchRun(coordinator, graph),
  ];
  await eventually(() => expect(harness.pool.assignments).toHaveLength(2));
  await database.db
    .updateTable('runs')
    .set({ owner: 'node-2', fence: 9 })
    .where('run_id', '=', taken)
    .execute();
  await database.db.updateTable('nodes').set({ lease_until: 0 }).execute();
  const other = {
    nodeId: 'node-2',
    host: 'elsewhere',
    bootId: 'b',
    pid: 2,
    processStart: '1',
    directoryId: 'd',
  };
  await createNodeStore(database.db).join(other, harness.clock.now() + 60_000, harness.clock.now());
  swept = 0;
  await beat();
  await eventually(() =>
    expect([coordinator.isDriving(taken), coordinator.isDriving(kept), swept]).toEqual([false, true, 1]),
  );
});

test('finds timeouts that another node has changed', async () => {
  const coordinator = harness.startCoordinator();
  await watched(coordinator);
  const runId = await harness.launchRun(coordinator, graph);
  await harness.waitForRunningTasks('a');
  await database.db
    .updateTable('runs')
    .set({ timeout_revision: 1, settings: JSON.stringify({ ...graph, timeout_seconds: 1 }) })
    .where('run_id', '=', runId)
    .execute();
  harness.clock.advance(leaseMs / 3);
  // The timeout is past by then: it strikes at once.
  expect(describeRun(await harness.waitForRunEnd(runId))).toEqual([
    'run TERMINATED/TIMEDOUT',
    'a TERMINATED/TIMEDOUT',
  ]);
});

test('passes on a stop that was noted elsewhere', async () => {
  const coordinator = harness.startCoordinator();
  await watched(coordinator);
  const runId = await harness.launchRun(coordinator, graph);
  await harness.waitForRunningTasks('a');
  await harness.runs.requestStop(runId, 'cancel');
  await beat();
  expect(describeRun(await harness.waitForRunEnd(runId))).toEqual([
    'run TERMINATED/CANCELED',
    'a TERMINATED/CANCELED',
  ]);
});

test('takes up a run of its own that was let go of after a write had failed for good, and only once', async () => {
  let failing = true;
  const runs: RunStore = {
    ...harness.runs,
    write: async (changeSet) => {
      if (failing) throw new Error('This write fails for good.');
      return harness.runs.write(changeSet);
    },
  };
  const coordinator = harness.startCoordinator({ runs });
  await watched(coordinator);
  const runId = await harness.launchRun(coordinator, graph);
  await eventually(() => expect(coordinator.isDriving(runId)).toBe(false));
  failing = false;
  // Idle for one round it may be a run that is being accepted this very moment.
  await beat();
  expect(coordinator.isDriving(runId)).toBe(false);
  await beat();
  await harness.waitForRunningTasks('a');
  await beat();
  harness.pool.endTask('a');
  const ended = await harness.waitForRunEnd(runId);
  expect(describeRun(ended)).toEqual(['run TERMINATED/SUCCESS', 'a TERMINATED/SUCCESS']);
  expect(ended.run.fence).toBe(2);
});
