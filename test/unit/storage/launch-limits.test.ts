/** Numbers and concurrency limits of the runs of a job under many concurrent launches (spec 2.2, 2.5). */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { RunStore } from '../../../engine/ports/runs.ts';
import type { RunWithTasks } from '../../../engine/run/run.ts';
import { createTestDatabase, type TestDatabase } from '../../harness/test-database.ts';
import {
  graphSettings,
  createLaunchPorts,
  launchRunOfJob,
  listRunsOfJob,
  createTestRunStore,
  singleTaskSettings,
  createStoredJob,
  createSubmittedRun,
} from './run-fixtures.ts';

let database: TestDatabase;
let runs: RunStore;

beforeAll(async () => {
  database = await createTestDatabase();
  runs = createTestRunStore(database.db);
});
afterAll(() => database.drop());

const fifty = Array.from({ length: 50 }, (_, index) => index);

describe('spec 2.5: number_in_job', () => {
  test('rises from 1 without gaps under 50 concurrent launches, for each job on its own', async () => {
    const [jobId, other] = [
      await createStoredJob(database.db, { ...singleTaskSettings, max_concurrent_runs: 1000 }),
      await createStoredJob(database.db),
    ];
    const launched = await Promise.all(fifty.map(() => launchRunOfJob(createLaunchPorts(runs), jobId)));
    expect(launched.map(({ numberInJob }) => numberInJob).toSorted((one, two) => one - two)).toEqual(
      fifty.map((index) => index + 1),
    );
    expect(new Set(launched.map(({ runId }) => runId)).size).toBe(50);
    expect((await launchRunOfJob(createLaunchPorts(runs), other)).numberInJob).toBe(1);
  });

  test('is not used up by a launch that fails', async () => {
    const jobId = await createStoredJob(database.db, { ...singleTaskSettings, max_concurrent_runs: 1000 });
    await launchRunOfJob(createLaunchPorts(runs), jobId);
    await expect(
      runs.launchTransaction(async (transaction) => {
        await transaction.reserveNumberInJob(jobId);
        throw new Error('the launch fails');
      }),
    ).rejects.toThrow('the launch fails');
    expect((await launchRunOfJob(createLaunchPorts(runs), jobId)).numberInJob).toBe(2);
  });
});

describe('spec 2.2: max_concurrent_runs', () => {
  test.each([0, 1, 3])(
    'of %i admits that many of 50 concurrent launches and skips the others',
    async (limit) => {
      const accepted: RunWithTasks[] = [];
      const jobId = await createStoredJob(database.db, {
        ...graphSettings('a', 'b a'),
        max_concurrent_runs: limit,
      });
      await Promise.all(fifty.map(() => launchRunOfJob(createLaunchPorts(runs, accepted), jobId)));
      const stored = await listRunsOfJob(database.db, jobId);
      expect(stored.map(({ progress }) => progress.state)).toEqual(
        fifty.map((index) => (index < limit ? 'PENDING' : 'SKIPPED')),
      );
      expect(accepted.map(({ run }) => run.runId).toSorted((one, two) => one - two)).toEqual(
        stored.slice(0, limit).map(({ runId }) => runId),
      );
    },
  );

  test('ends a skipped run and its tasks at once, with the reason', async () => {
    const jobId = await createStoredJob(database.db, {
      ...graphSettings('a', 'b a'),
      max_concurrent_runs: 0,
      email_notifications: { on_failure: ['a@x'] },
    });
    const { runId } = await launchRunOfJob(createLaunchPorts(runs), jobId);
    const found = await runs.find(runId);
    const message = expect.stringContaining(
      'Skipping this run because the limit of 0 maximum concurrent runs has been reached',
    );
    expect(found?.run.progress).toMatchObject({
      state: 'SKIPPED',
      message,
      endTime: found?.run.progress.startTime,
    });
    expect(found?.tasks.map(({ progress }) => [progress.state, progress.message])).toEqual([
      ['SKIPPED', message],
      ['SKIPPED', message],
    ]);
    expect(
      await database.db
        .selectFrom('outbox')
        .select(['event', 'recipient'])
        .where('run_id', '=', runId)
        .execute(),
    ).toEqual([{ event: 'on_failure', recipient: 'a@x' }]);
  });

  test('that is lowered stops no run and skips new ones until fewer runs are active', async () => {
    const jobId = await createStoredJob(database.db, { ...singleTaskSettings, max_concurrent_runs: 3 });
    for (let count = 0; count < 3; count += 1) await launchRunOfJob(createLaunchPorts(runs), jobId);
    await database.db
      .updateTable('jobs')
      .set({ settings: JSON.stringify({ ...singleTaskSettings, max_concurrent_runs: 2 }) })
      .where('job_id', '=', jobId)
      .execute();
    await launchRunOfJob(createLaunchPorts(runs), jobId);
    await database.db
      .updateTable('runs')
      .set({ state: 'SKIPPED', active: false, end_time: 9e12 })
      .where('job_id', '=', jobId)
      .where('number_in_job', '<=', 2)
      .execute();
    await launchRunOfJob(createLaunchPorts(runs), jobId);
    expect((await listRunsOfJob(database.db, jobId)).slice(2).map(({ progress }) => progress.state)).toEqual([
      'PENDING',
      'SKIPPED',
      'PENDING',
    ]);
  });

  test('does not limit one-time runs', async () => {
    const states = await Promise.all(
      fifty.map(async () => (await createSubmittedRun(runs, singleTaskSettings)).run.progress.state),
    );
    expect(new Set(states)).toEqual(new Set(['PENDING']));
  });
});
