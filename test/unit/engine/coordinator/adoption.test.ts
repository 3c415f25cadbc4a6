/** Engines that end, gracefully or not, at every point of a run's life, and the one that takes over. */
import { pino } from 'pino';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test, vi } from 'vitest';
import { systemClock } from '../../../../engine/clock.ts';
import type { CoordinatorPorts } from '../../../../engine/coordinator/coordinator-context.ts';
import { cancelRun } from '../../../../engine/cancel.ts';
import type { JobSettings } from '../../../../engine/job/settings.ts';
import type { RunStore } from '../../../../engine/ports/runs.ts';
import { createClusterStore } from '../../../../storage/postgres/clusters/clusters.ts';
import { createTestDatabase, type TestDatabase } from '../../../harness/test-database.ts';
import { graphSettings, singleTaskSettings } from '../../storage/run-fixtures.ts';
import {
  createCoordinatorHarness,
  describeRun,
  waitOptions,
  type CoordinatorHarness,
} from './coordinator-harness.ts';

let database: TestDatabase;
let world: CoordinatorHarness;
beforeAll(async () => {
  database = await createTestDatabase();
});
afterAll(() => database.drop());
beforeEach(() => {
  world = createCoordinatorHarness(database);
});
afterEach(() => world.close());

const newCluster = { num_workers: 1, spark_version: 'v', node_type_id: 's' };
const mails = { email_notifications: { on_start: ['s@x'], on_success: ['g@x'], on_failure: ['f@x'] } };
const single: JobSettings = {
  notebook_task: singleTaskSettings.notebook_task,
  new_cluster: newCluster,
  ...mails,
};
/** Own, shared and no cluster; branches, a join, and a task that is skipped because nothing failed. */
const rich: JobSettings = {
  ...mails,
  job_clusters: [{ job_cluster_key: 'etl', new_cluster: newCluster }],
  tasks: (graphSettings('a', 'b', 'c a b', 'mend c').tasks ?? []).map((task) => ({
    ...task,
    ...(task.task_key === 'c' ? { new_cluster: newCluster } : {}),
    ...(task.task_key === 'a' || task.task_key === 'b' ? { job_cluster_key: 'etl' } : {}),
    ...(task.task_key === 'mend' ? { run_if: 'ALL_FAILED' as const } : {}),
  })),
};

type Answering = (...args: unknown[]) => unknown;

/** A port whose calls are never answered, nor made, once the engine is dead. */
function mortal<Port extends object>(port: Port, dead: () => boolean): Port {
  const never = new Promise(() => undefined);
  return new Proxy(port, {
    get(target, name) {
      const value: unknown = Reflect.get(target, name);
      if (typeof value !== 'function') return value;
      return async (...args: unknown[]) => {
        if (dead()) return never;
        // A port's methods take and give what its type says; the proxy only passes it on.
        const answer = await (value as Answering).apply(target, args);
        return dead() ? never : answer;
      };
    },
  });
}

/**
 * An engine that is killed when its `calls`-th call of a store is about to be answered (or made, with
 * `before`).
 */
function doomed(calls: number, before: boolean, clusterStartMs: number) {
  let count = 0;
  let dead = false;
  const counting = <Port extends object>(port: Port): Port =>
    mortal(
      new Proxy(port, {
        get(target, name) {
          const value: unknown = Reflect.get(target, name);
          if (typeof value !== 'function') return value;
          return async (...args: unknown[]) => {
            count += 1;
            const last = count === calls;
            if (last && before) {
              dead = true;
              return undefined;
            }
            const answer: unknown = await (value as Answering).apply(target, args);
            if (last) dead = true;
            return answer;
          };
        },
      }),
      () => dead,
    );
  const ports: Partial<CoordinatorPorts> = {
    runs: counting(world.runs),
    clusters: counting(createClusterStore(world.database.db, systemClock, pino({ level: 'silent' }))),
    clusterStartMs,
  };
  return { ports, dead: () => dead, calls: () => count };
}

/** Moves the clock on whenever somebody waits for it, until `done`. */
async function withMovingClock(done: () => Promise<boolean>): Promise<void> {
  await vi.waitFor(async () => {
    if (world.clock.pendingCount() > 0) world.clock.advance(1_000);
    if (!(await done())) throw new Error('Not yet.');
  }, waitOptions);
}

const isOver = async (runId: number): Promise<boolean> =>
  (await world.runs.find(runId))?.run.progress.endTime !== undefined;

describe.each([
  ['a single-task run on its own cluster', single, 0],
  ['a single-task run whose cluster starts slowly', single, 1_000],
  ['a graph', rich, 0],
  ['a graph whose clusters start slowly', rich, 1_000],
] as const)('%s', (_name, settings, clusterStartMs) => {
  test('whose engine is killed at any call of a store is ended by the next one, with nothing lost, doubled or left', async () => {
    world.pool.immediateOutcome = { kind: 'succeeded' };
    for (const before of [false, true]) {
      for (let calls = 1; ; calls += 1) {
        await world.database.db.deleteFrom('outbox').execute();
        const engine = doomed(calls, before, clusterStartMs);
        const runId = await world.launchRun(world.startCoordinator(engine.ports, 'kill'), settings);
        await withMovingClock(async () => engine.dead() || (await isOver(runId)));
        if (!engine.dead()) {
          expect(calls).toBeGreaterThan(settings === single ? 6 : 15);
          break;
        }
        const next = world.startCoordinator({ nodeId: 'node-2', clusterStartMs });
        await withMovingClock(async () => {
          // Again and again, as engines do: rows of a write that is still under way are left for the next
          // time.
          await world.adoptRuns(next);
          return isOver(runId);
        });
        await vi.waitFor(() => expect(next.countDrivenRuns()).toBe(0), waitOptions);
        await expectPerfect(runId, `killed at call ${calls}, ${before ? 'before' : 'after'} it`);
      }
    }
  });
});

/** The run succeeded as if nothing had happened: every state, every notice once, no cluster left. */
async function expectPerfect(runId: number, when: string): Promise<void> {
  const found = await world.waitForRun(runId, () => true);
  const notices = await world.describeNotifications();
  const clusters = await world.describeClusters(runId);
  const graphRun = found.run.format === 'MULTI_TASK';
  expect({
    when,
    states: describeRun(found),
    notices: notices.toSorted(),
    alive: clusters.filter((cluster) => !cluster.endsWith('TERMINATED')),
    handed: new Set(
      world.pool.assignments
        .filter(({ jobRunId }) => jobRunId === runId)
        .map(({ taskKey, attempt }) => `${taskKey} ${attempt}`),
    ).size,
  }).toEqual({
    when,
    states: graphRun
      ? [
          'run TERMINATED/SUCCESS',
          'a TERMINATED/SUCCESS',
          'b TERMINATED/SUCCESS',
          'c TERMINATED/SUCCESS',
          'mend SKIPPED',
        ]
      : ['run TERMINATED/SUCCESS', 'main TERMINATED/SUCCESS'],
    notices: ['run on_start', 'run on_success'],
    alive: [],
    handed: graphRun ? 3 : 1,
  });
}

describe('an engine that closes', () => {
  const stored: [string, JobSettings, () => Promise<void>, string[]][] = [
    [
      'waiting for a cluster',
      single,
      async () => {
        await vi.waitFor(() => expect(world.clock.pendingCount()).toBe(1), waitOptions);
      },
      ['run PENDING', 'main PENDING'],
    ],
    ['running', singleTaskSettings, () => world.waitForRunningTasks('main'), ['run RUNNING', 'main RUNNING']],
    [
      'between two tasks',
      graphSettings('a', 'b a'),
      async () => {
        await world.waitForRunningTasks('a');
        world.pool.endTask('a');
        await world.waitForRunningTasks('b');
      },
      ['run RUNNING', 'a TERMINATED/SUCCESS', 'b RUNNING'],
    ],
  ];

  test.each(stored)(
    'leaves a run %s as it is, with no timer, and the next one goes on',
    async (_name, settings, reach, states) => {
      const first = world.startCoordinator({ clusterStartMs: 60_000 });
      const runId = await world.launchRun(first, { ...settings, timeout_seconds: 0 });
      await reach();
      await world.waitForRun(runId, (run) => describeRun(run).join() === states.join());
      await first.close();
      expect([first.countDrivenRuns(), world.clock.pendingCount()]).toEqual([0, 0]);
      const handed = world.pool.assignments.length;
      for (const key of world.pool.runningTasks()) world.pool.endTask(key);
      const before = await world.waitForRun(runId, () => true);
      world.pool.immediateOutcome = { kind: 'succeeded' };
      const second = world.startCoordinator({ nodeId: 'node-2', clusterStartMs: 60_000 });
      expect(describeRun(before)).toEqual(states);
      await world.adoptRuns(second);
      await withMovingClock(() => isOver(runId));
      expect(describeRun(await world.waitForRunEnd(runId))[0]).toBe('run TERMINATED/SUCCESS');
      expect(world.pool.assignments.length).toBeGreaterThan(handed);
    },
  );

  test('takes nothing any more', async () => {
    const first = world.startCoordinator();
    await first.close();
    const runId = await world.launchRun(first, singleTaskSettings);
    expect([first.countDrivenRuns(), describeRun(await world.waitForRun(runId, () => true))]).toEqual([
      0,
      ['run PENDING', 'main PENDING'],
    ]);
  });

  test('while writes are under way waits for them and writes nothing more', async () => {
    let calls = 0;
    let underWay = 0;
    const write: RunStore['write'] = async (set) => {
      calls += 1;
      underWay += 1;
      return world.runs.write(set).finally(() => {
        underWay -= 1;
      });
    };
    const first = world.startCoordinator({ runs: { ...world.runs, write } });
    await Promise.all(Array.from({ length: 10 }, () => world.launchRun(first, graphSettings('a', 'b', 'c'))));
    await vi.waitFor(() => expect(underWay).toBeGreaterThan(0), { ...waitOptions, interval: 1 });
    await first.close();
    const before = calls;
    expect(underWay).toBe(0);
    for (const key of world.pool.runningTasks()) world.pool.endTask(key);
    await world.runs.find(1);
    expect(calls).toBe(before);
  });
});

test('a run that comes back to a node which still remembers it is driven once', async () => {
  const first = world.startCoordinator();
  const runId = await world.launchRun(first, graphSettings('a', 'b a'));
  await world.waitForRunningTasks('a');
  await world.runs.adopt('node-2', world.clock.now(), 10);
  await world.adoptRuns(first, 'node-1');
  await vi.waitFor(
    () => expect(world.pool.assignments.map(({ taskKey }) => taskKey)).toEqual(['a', 'a']),
    waitOptions,
  );
  world.pool.endTask('a');
  await world.waitForRunningTasks('b');
  expect([first.countDrivenRuns(), (await world.waitForRun(runId, () => true)).run.fence]).toEqual([1, 3]);
  world.pool.endTask('b');
  expect(describeRun(await world.waitForRunEnd(runId))).toEqual([
    'run TERMINATED/SUCCESS',
    'a TERMINATED/SUCCESS',
    'b TERMINATED/SUCCESS',
  ]);
});

test('a kill between the first begin of a task and that of its run lets the run begin late, and tells so', async () => {
  const runId = await world.launchRun(
    world.startCoordinator({ runs: mortal(world.runs, () => true) }, 'kill'),
    { ...graphSettings('a', 'b a'), ...mails },
  );
  await world.database.db
    .updateTable('task_runs')
    .set({ state: 'RUNNING', start_time: 5, running_time: 5 })
    .where('job_run_id', '=', runId)
    .where('task_key', '=', 'a')
    .execute();
  const second = world.startCoordinator({ nodeId: 'node-2' });
  await world.adoptRuns(second);
  await world.waitForRunningTasks('a');
  expect(describeRun(await world.waitForRun(runId, ({ run }) => run.progress.state === 'RUNNING'))).toEqual([
    'run RUNNING',
    'a RUNNING',
    'b PENDING',
  ]);
  expect(await world.describeNotifications()).toEqual(['run on_start']);
  await cancelRun({ runs: world.runs, stopRun: second.stop }, runId);
  await world.waitForRunEnd(runId);
});

test('a run whose tasks were ended by its timeout ends as TIMEDOUT, also when the engine could not store the reason and was killed', async () => {
  let dead = false;
  const first = world.startCoordinator(
    {
      runs: {
        ...world.runs,
        write: mortal(world.runs, () => dead).write,
        async requestStop() {
          dead = true;
          throw Object.assign(new Error('The database is starting up.'), { code: '57P03' });
        },
      },
    },
    'kill',
  );
  const runId = await world.launchRun(first, { ...graphSettings('a'), timeout_seconds: 5 });
  await world.waitForRunningTasks('a');
  world.clock.advance(6_000);
  await world.waitForRunningTasks();
  const second = world.startCoordinator({ nodeId: 'node-2' });
  await world.adoptRuns(second);
  expect(describeRun(await world.waitForRunEnd(runId))).toEqual([
    'run TERMINATED/TIMEDOUT',
    'a TERMINATED/TIMEDOUT',
  ]);
});

test.each([
  [
    'of the run',
    { ...graphSettings('a'), timeout_seconds: 5 },
    ['run TERMINATED/TIMEDOUT', 'a TERMINATED/TIMEDOUT'],
  ],
  [
    'of the task',
    { tasks: (graphSettings('a').tasks ?? []).map((task) => ({ ...task, timeout_seconds: 5 })) },
    ['run TERMINATED/FAILED', 'a TERMINATED/TIMEDOUT'],
  ],
])(
  'a process that an engine ends which has lost the run, because the time %s is over, ends as TIMEDOUT',
  async (_name, settings, ends) => {
    // The new owner cannot store the reason either, and so has not stopped anything itself.
    const never = (): Promise<never> => new Promise(() => undefined);
    const second = world.startCoordinator({
      nodeId: 'node-2',
      runs: { ...world.runs, requestStop: never, requestTaskStop: never },
    });
    const runId = await world.launchRun(world.startCoordinator({}, 'kill'), settings);
    await world.waitForRunningTasks('a');
    await world.adoptRuns(second);
    await vi.waitFor(() => expect(world.pool.assignments).toHaveLength(2), waitOptions);
    world.clock.setTime(world.clock.now() + 6_000);
    world.pool.endTask('a', { kind: 'stopped' });
    expect(describeRun(await world.waitForRunEnd(runId))).toEqual(ends);
  },
);
