/** Scheduler queue that several nodes serve at the same time. */
import { pino } from 'pino';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { systemClock } from '../../../../engine/clock.ts';
import { createRunQueue } from '../../../../engine/coordinator/run-queue.ts';
import { createRunEndListeners } from '../../../../engine/coordinator/run-end-listeners.ts';
import { defaultLimits } from '../../../../engine/limits.ts';
import type { RunWithTasks } from '../../../../engine/run/run.ts';
import { createRunStore } from '../../../../storage/postgres/stores.ts';
import { createTestDatabase, type TestDatabase } from '../../../harness/test-database.ts';
import {
  graphSettings,
  createLaunchPorts,
  launchRunOfJob,
  createStoredJob,
} from '../../storage/run-fixtures.ts';

let database: TestDatabase;
beforeAll(async () => {
  database = await createTestDatabase();
});
afterAll(() => database.drop());

test('a run that another node withdraws between the reads of its row and its tasks does not block the queue', async () => {
  const log = pino({ level: 'silent' });
  const runs = createRunStore(database.db, systemClock, log);
  const jobId = await createStoredJob(
    database.db,
    { ...graphSettings('a', 'b'), max_concurrent_runs: 1, queue: { enabled: true } },
    systemClock.now(),
  );
  const ports = { ...createLaunchPorts(runs, [], 'node-1', systemClock), acceptRun: () => undefined };
  await launchRunOfJob(ports, jobId);
  const { runId } = await launchRunOfJob(ports, jobId);
  await runs.requestStop(runId, 'cancel');
  const before = await runs.listRunsLeavingQueue(0, 10);
  /** Serves the queue until no run can leave it. */
  const serveQueue = async (stale?: readonly RunWithTasks[]): Promise<void> => {
    const { promise, resolve } = Promise.withResolvers<void>();
    let queries = 0;
    const queue = createRunQueue({
      runs: {
        ...runs,
        listRunsLeavingQueue: async (since, limit) =>
          stale === undefined ? runs.listRunsLeavingQueue(since, limit) : [...stale],
        async listQueuedJobs() {
          queries += 1;
          if (queries === 2) resolve();
          return queries === 2 ? [] : [{ jobId, activeRuns: 1, maxConcurrentRuns: 1, since: 0 }];
        },
      },
      clock: systemClock,
      log,
      limits: defaultLimits,
      nodeId: 'node-1',
      acceptRun: () => undefined,
      runEndListeners: createRunEndListeners(),
    });
    queue.wake();
    await promise;
    await queue.close();
  };
  await serveQueue();
  const after = await runs.find(runId);
  expect(after?.tasks.map((task) => task.progress.state)).toEqual(['SKIPPED', 'SKIPPED']);
  await serveQueue(before.map(({ run }) => ({ run, tasks: after?.tasks ?? [] })));
  expect(await runs.find(runId)).toEqual(after);
});
