/** Nodes and their leases, and the adoption of the runs of nodes without a lease. */
import { afterAll, beforeEach, beforeAll, describe, expect, test } from 'vitest';
import type { NodeIdentity } from '../../../engine/ports/nodes.ts';
import type { RunStore } from '../../../engine/ports/runs.ts';
import { stepOf } from '../../../engine/run/step.ts';
import type { RunWithTasks } from '../../../engine/run/run.ts';
import {
  adoptRuns,
  expireNodes,
  registerNode,
  unregisterNode,
  listNodesOnHost,
  resumeOwnedRuns,
  renewLease,
} from '../../../storage/postgres/nodes/leases.ts';
import { requestStop, listOwnedRuns } from '../../../storage/postgres/runs/runs.ts';
import { createTestDatabase, type TestDatabase } from '../../harness/test-database.ts';
import {
  graphSettings,
  createTestRunStore,
  createSubmittedRun,
  createSubmittedRuns,
} from './run-fixtures.ts';

let database: TestDatabase;
let runs: RunStore;

beforeAll(async () => {
  database = await createTestDatabase();
  runs = createTestRunStore(database.db);
});
afterAll(() => database.drop());

const now = 10_000;

function node(nodeId: string, host = 'here'): NodeIdentity {
  return { nodeId, host, bootId: 'boot', pid: 7, processStart: '1', directoryId: 'd' };
}

/** Removes the nodes and runs of earlier tests. */
beforeEach(async () => {
  await database.db.deleteFrom('nodes').execute();
  await database.db.deleteFrom('runs').execute();
  await registerNode(database.db, node('me'), now + 100, now);
});

const adopt = (nodeId = 'me', limit = 200): Promise<RunWithTasks[]> =>
  adoptRuns(database.db, nodeId, now, limit);
const idsOf = (adopted: readonly RunWithTasks[]): number[] =>
  adopted.map(({ run }) => run.runId).toSorted((one, other) => one - other);

/** Moves the first task of a stored run to its end. */
async function endFirstTask(stored: RunWithTasks): Promise<void> {
  const [task] = stored.tasks;
  if (task === undefined) throw new Error('The run has no task.');
  await runs.write({ changes: [stepOf({ kind: 'task', ...task }, 'skip', now).change], notifications: [] });
}

async function endRun({ run }: RunWithTasks): Promise<void> {
  await runs.write({ changes: [stepOf({ kind: 'run', ...run }, 'break', now).change], notifications: [] });
}

describe('adoption of runs', () => {
  test.each<[string, string | null, () => Promise<void>, boolean]>([
    [
      'of a node whose lease has ended',
      'gone',
      () => registerNode(database.db, node('gone'), now - 1, 0),
      true,
    ],
    [
      'of a node whose lease ends at this moment',
      'gone',
      () => registerNode(database.db, node('gone'), now, 0),
      true,
    ],
    [
      'of a node that left',
      'left',
      async () => {
        await registerNode(database.db, node('left'), now + 100, 0);
        await unregisterNode(database.db, 'left');
      },
      true,
    ],
    [
      'of a node known to be dead',
      'dead',
      async () => {
        await registerNode(database.db, node('dead'), now + 100, 0);
        await expireNodes(database.db, ['dead'], now);
      },
      true,
    ],
    ['of an unknown node', 'unknown', async () => undefined, true],
    ['without an owner', null, async () => undefined, true],
    [
      'of a node that keeps its lease',
      'alive',
      () => registerNode(database.db, node('alive'), now + 1, 0),
      false,
    ],
    ['of the node itself', 'me', async () => undefined, false],
    [
      'of the node itself, whose own lease has ended',
      'me',
      () => expireNodes(database.db, ['me'], now),
      false,
    ],
    ['of the node itself, when it has left', 'me', () => unregisterNode(database.db, 'me'), false],
  ])('%s (%s)', async (_name, owner, prepare, adopted) => {
    const stored = await createSubmittedRun(runs, graphSettings('a'));
    await database.db.updateTable('runs').set({ owner }).where('run_id', '=', stored.run.runId).execute();
    await prepare();
    expect(idsOf(await adopt())).toEqual(adopted ? [stored.run.runId] : []);
  });

  test('leaves out ended runs', async () => {
    const stored = await createSubmittedRun(runs, graphSettings('a'), 'gone');
    await endRun(stored);
    expect(await adopt()).toEqual([]);
  });

  test('adopts at most the requested number of runs, oldest first, and the others at the next call', async () => {
    const stored = [];
    for (let count = 0; count < 5; count += 1)
      stored.push(await createSubmittedRun(runs, graphSettings('a'), 'gone'));
    const ids = idsOf(stored);
    expect(idsOf(await adopt('me', 2))).toEqual(ids.slice(0, 2));
    expect(idsOf(await adopt('me', 9))).toEqual(ids.slice(2));
    expect(await adopt('me', 9)).toEqual([]);
  });
});

describe('an adopted run', () => {
  test('has the new owner and raised fences, except for its ended tasks, and equals the stored run', async () => {
    const stored = await createSubmittedRun(runs, graphSettings('a', 'b'), 'gone');
    await endFirstTask(stored);
    const [adopted] = await adopt();
    expect(adopted?.run).toEqual({ ...stored.run, owner: 'me', fence: 2 });
    expect(adopted?.tasks.map(({ taskKey, fence }) => `${taskKey} ${fence}`)).toEqual(['a 1', 'b 2']);
    expect(adopted).toEqual(await runs.find(stored.run.runId));
  });

  test('refuses writes of its former owner and accepts those of its new one', async () => {
    const stored = await createSubmittedRun(runs, graphSettings('a'), 'gone');
    const [adopted] = await adopt();
    if (adopted === undefined) throw new Error('Nothing was adopted.');
    const writes = [stored, adopted]
      .flatMap(({ run, tasks }) => [
        { kind: 'run' as const, ...run },
        ...tasks.map((task) => ({ kind: 'task' as const, ...task })),
      ])
      .map((subject) => runs.write({ changes: [stepOf(subject, 'begin', now).change], notifications: [] }));
    expect(await Promise.all(writes)).toEqual(['refused', 'refused', 'written', 'written']);
  });

  test('keeps its stop reason', async () => {
    const stored = await createSubmittedRun(runs, graphSettings('a'), 'gone');
    await requestStop(database.db, stored.run.runId, 'cancel');
    expect((await adopt())[0]?.run.stopReason).toBe('cancel');
  });

  test('goes to exactly one of several nodes that adopt at once', async () => {
    const stored = await createSubmittedRuns(runs, graphSettings('a', 'b'), 60, 'gone');
    const nodes = ['me', 'n2', 'n3', 'n4'];
    for (const nodeId of nodes.slice(1)) await registerNode(database.db, node(nodeId), now + 100, now);
    const shares = await Promise.all(
      nodes.map(async (nodeId) => {
        const adopted: RunWithTasks[] = [];
        for (let last = 1; last > 0;) {
          const more = await adopt(nodeId, 7);
          adopted.push(...more);
          last = more.length;
        }
        return adopted;
      }),
    );
    // A node that found only locked rows may have stopped early; the next call adopts the rest.
    const all = [...shares.flat(), ...(await adopt())];
    expect(idsOf(all)).toEqual(idsOf(stored));
    expect(new Set(all.map(({ run }) => run.fence))).toEqual(new Set([2]));
  });
});

describe('stored nodes', () => {
  const known = async (): Promise<string[]> =>
    (await database.db.selectFrom('nodes').select('node_id').orderBy('node_id').execute()).map(
      (row) => row.node_id,
    );
  const day = 24 * 60 * 60 * 1_000;

  test('a node that left is removed', async () => {
    await registerNode(database.db, node('other'), now + 100, now);
    await unregisterNode(database.db, 'other');
    await unregisterNode(database.db, 'other');
    expect(await known()).toEqual(['me']);
  });

  test('a node whose lease ended more than a day ago is removed when another node joins', async () => {
    await registerNode(database.db, node('older'), now - 1, now);
    await registerNode(database.db, node('yesterday'), now, now);
    await registerNode(database.db, node('new'), now + day + 100, now + day);
    expect(await known()).toEqual(['me', 'new', 'yesterday']);
  });
});

describe('a lease', () => {
  test.each([
    ['kept', now + 1, true],
    ['that ends at this moment', now, false],
    ['that has ended', now - 1, false],
  ])('%s is extended', async (_name, until, kept) => {
    await registerNode(database.db, node('other'), until, 0);
    await createSubmittedRun(runs, graphSettings('a'), 'other');
    expect(await renewLease(database.db, 'other', now + 50, now)).toBe(kept);
    expect(await adopt()).toEqual([]);
    expect(await renewLease(database.db, 'other', now + 60, now)).toBe(true);
  });

  test('of an unknown node is not extended', async () => {
    expect(await renewLease(database.db, 'unknown', now + 50, now)).toBe(false);
  });

  test('is held by the listed nodes of a host, with the identity of their processes', async () => {
    await registerNode(database.db, node('ended'), now, 0);
    await registerNode(database.db, node('elsewhere', 'there'), now + 100, 0);
    await registerNode(database.db, node('neighbour'), now + 100, 0);
    const found = await listNodesOnHost(database.db, 'here', now);
    expect(found.toSorted((one, other) => one.nodeId.localeCompare(other.nodeId))).toEqual([
      node('me'),
      node('neighbour'),
    ]);
  });

  test('of a dead node can be expired; other leases stay', async () => {
    await registerNode(database.db, node('dead'), now + 100, 0);
    await expireNodes(database.db, ['dead'], now);
    await expireNodes(database.db, [], now);
    expect((await listNodesOnHost(database.db, 'here', now)).map(({ nodeId }) => nodeId)).toEqual(['me']);
  });
});

test('a node lists its own active runs with their stop reasons', async () => {
  const [mine, calm, over] = [
    await createSubmittedRun(runs, graphSettings('a'), 'me'),
    await createSubmittedRun(runs, graphSettings('a'), 'me'),
    await createSubmittedRun(runs, graphSettings('a'), 'me'),
  ];
  const other = await createSubmittedRun(runs, graphSettings('a'), 'other');
  for (const { run } of [mine, over, other]) await requestStop(database.db, run.runId, 'timeout');
  await endRun(over);
  expect(calm.run.stopReason).toBeUndefined();
  expect((await listOwnedRuns(database.db, 'me')).toSorted((one, two) => one.runId - two.runId)).toEqual([
    { runId: mine.run.runId, stopReason: 'timeout', timeoutRevision: 0 },
    { runId: calm.run.runId, stopReason: undefined, timeoutRevision: 0 },
  ]);
});

test('a node resumes the requested runs that it owns with a higher fence', async () => {
  const [mine, calm] = [
    await createSubmittedRun(runs, graphSettings('a'), 'me'),
    await createSubmittedRun(runs, graphSettings('a'), 'me'),
  ];
  const other = await createSubmittedRun(runs, graphSettings('a'), 'other');
  const taken = await resumeOwnedRuns(database.db, 'me', [mine.run.runId, other.run.runId]);
  expect(taken.map(({ run, tasks }) => [run.runId, run.fence, tasks.map(({ fence }) => fence)])).toEqual([
    [mine.run.runId, 2, [2]],
  ]);
  expect((await runs.find(calm.run.runId))?.run.fence).toBe(1);
});
