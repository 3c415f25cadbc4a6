/** Ownership loop of a node: lease, adoption, and driving of every owned run. */
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
let loop: OwnershipLoop | undefined;

beforeAll(async () => {
  database = await createTestDatabase();
});
afterAll(() => database.drop());
beforeEach(() => {
  harness = createCoordinatorHarness(database);
});
afterEach(async () => {
  await loop?.close();
  loop = undefined;
  await harness.close();
  await database.db.deleteFrom('nodes').execute();
});

const leaseMs = 3_000;
const graph = {
  name: 'watched',
  tasks: [{ task_key: 'a', existing_cluster_id: 'c', notebook_task: { notebook_path: '/n' } }],
};

async function startLoop(coordinator: Coordinator, runs: RunStore = harness.runs): Promise<OwnershipLoop> {
  loop = await startOwnershipLoop({
    nodes: createNodeStore(database.db, async () => harness.clock.now()),
    runs,
    coordinator,
    queue: { wake: () => undefined },
    clock: harness.clock,
    leaseMs,
    log: { info: () => undefined, warn: () => undefined, error: () => undefined },
    node: { nodeId: 'node-1', host: 'nowhere', bootId: 'b', pid: 1, processStart: '1', directoryId: 'd' },
    heartbeat: createTestHeartbeat,
    sweepOrphans: async () => {
      sweepCount += 1;
    },
  });
  return loop;
}

let sweepCount = 0;
/** Creates a heartbeat that renews the lease by the clock of the test, as the heartbeat thread does. */
function createTestHeartbeat(onLost: () => void): Heartbeat {
  return {
    reportAlive() {
      const now = harness.clock.now();
      // Renewals run one after another, as in the thread.
      renewing = renewing.then(() => renew(now, onLost));
    },
    close: async () => renewing,
  };
}
let renewing = Promise.resolve();
async function renew(now: number, onLost: () => void): Promise<void> {
  if (!(await renewLease(database.db, 'node-1', now + leaseMs, now))) onLost();
}

const getLease = async (): Promise<number | undefined> =>
  (
    await database.db
      .selectFrom('nodes')
      .select('lease_until')
      .where('node_id', '=', 'node-1')
      .executeTakeFirst()
  )?.lease_until;

/** Runs one round of the loop to its end; the loop then waits for its timer. */
async function runRound(): Promise<void> {
  const timers = harness.clock.pendingCount();
  harness.clock.advance(leaseMs / 3);
  await eventually(() => expect(harness.clock.pendingCount()).toBe(timers));
  await renewing;
}

test('renews its lease three times per lease duration', async () => {
  await startLoop(harness.startCoordinator());
  const first = await getLease();
  await runRound();
  expect(await getLease()).toBe((first ?? 0) + leaseMs / 3);
});

test('joins again when its row is gone', async () => {
  await startLoop(harness.startCoordinator());
  await database.db.deleteFrom('nodes').execute();
  await runRound();
  await eventually(async () => expect(await getLease()).toBe(harness.clock.now() + leaseMs));
});

test('releases runs that others adopted while its lease was lost, and sweeps orphans', async () => {
  const coordinator = harness.startCoordinator();
  await startLoop(coordinator);
  const [adopted, kept] = [
    await harness.launchRun(coordinator, graph),
    await harness.launchRun(coordinator, graph),
  ];
  await eventually(() => expect(harness.pool.assignments).toHaveLength(2));
  await database.db
    .updateTable('runs')
    .set({ owner: 'node-2', fence: 9 })
    .where('run_id', '=', adopted)
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
  sweepCount = 0;
  await runRound();
  await eventually(() =>
    expect([coordinator.isDriving(adopted), coordinator.isDriving(kept), sweepCount]).toEqual([
      false,
      true,
      1,
    ]),
  );
});

test('applies timeouts that another node has changed', async () => {
  const coordinator = harness.startCoordinator();
  await startLoop(coordinator);
  const runId = await harness.launchRun(coordinator, graph);
  await harness.waitForRunningTasks('a');
  await database.db
    .updateTable('runs')
    .set({ timeout_revision: 1, settings: JSON.stringify({ ...graph, timeout_seconds: 1 }) })
    .where('run_id', '=', runId)
    .execute();
  harness.clock.advance(leaseMs / 3);
  // The timeout has passed, so it expires at once.
  expect(describeRun(await harness.waitForRunEnd(runId))).toEqual([
    'run TERMINATED/TIMEDOUT',
    'a TERMINATED/TIMEDOUT',
  ]);
});

test('applies a stop that another node has requested', async () => {
  const coordinator = harness.startCoordinator();
  await startLoop(coordinator);
  const runId = await harness.launchRun(coordinator, graph);
  await harness.waitForRunningTasks('a');
  await harness.runs.requestStop(runId, 'cancel');
  await runRound();
  expect(describeRun(await harness.waitForRunEnd(runId))).toEqual([
    'run TERMINATED/CANCELED',
    'a TERMINATED/CANCELED',
  ]);
});

test('resumes its own run that was released after a failed write, and only once', async () => {
  let failing = true;
  const runs: RunStore = {
    ...harness.runs,
    write: async (changeSet) => {
      if (failing) throw new Error('This write fails for good.');
      return harness.runs.write(changeSet);
    },
  };
  const coordinator = harness.startCoordinator({ runs });
  await startLoop(coordinator);
  const runId = await harness.launchRun(coordinator, graph);
  await eventually(() => expect(coordinator.isDriving(runId)).toBe(false));
  failing = false;
  // A run that is idle for one round may be a run that is being accepted.
  await runRound();
  expect(coordinator.isDriving(runId)).toBe(false);
  await runRound();
  await harness.waitForRunningTasks('a');
  await runRound();
  harness.pool.endTask('a');
  const ended = await harness.waitForRunEnd(runId);
  expect(describeRun(ended)).toEqual(['run TERMINATED/SUCCESS', 'a TERMINATED/SUCCESS']);
  expect(ended.run.fence).toBe(2);
});
