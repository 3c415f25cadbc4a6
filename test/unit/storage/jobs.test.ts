/** Stored jobs: kept as written, listed newest first, and gone at once when deleted. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { defaultLimits } from '../../../engine/limits.ts';
import { notificationsForDeletion } from '../../../engine/notification/routing.ts';
import type { JobFilter } from '../../../engine/ports/jobs.ts';
import type { RunStore } from '../../../engine/ports/runs.ts';
import { createJob, deleteJob, findJob, listJobs } from '../../../storage/postgres/jobs/jobs.ts';
import { createTestDatabase, type TestDatabase } from '../../harness/test-database.ts';
import {
  graphSettings,
  createLaunchPorts,
  launchRunOfJob,
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

test('a job is found as it was written, unknown fields and all', async () => {
  const settings = {
    ...singleTaskSettings,
    name: 'Überblick',
    edit_mode: 'EDITABLE',
    nested: { deep: [1, { x: null }] },
  };
  const jobId = await createStoredJob(database.db, settings, 1_234);
  expect(await findJob(database.db, jobId)).toEqual({
    jobId,
    creatorUserName: 'ann',
    createdTime: 1_234,
    version: '2.1',
    settings,
    settingsRevision: 1,
  });
});

describe('a list of jobs', () => {
  const ids: number[] = [];
  const everything: JobFilter = { name: undefined, beforeJobId: undefined, offset: 0, limit: undefined };

  beforeAll(async () => {
    for (const { job_id: jobId } of await database.db.selectFrom('jobs').select('job_id').execute())
      await deleteJob(database.db, jobId, 5, () => []);
    for (const name of ['etl', 'report', 'ETL', 'etl 2', undefined]) {
      ids.push(
        await createStoredJob(
          database.db,
          name === undefined ? singleTaskSettings : { ...singleTaskSettings, name },
        ),
      );
    }
    await createSubmittedRun(runs, { ...singleTaskSettings, run_name: 'etl' });
    await deleteJob(
      database.db,
      await createStoredJob(database.db, { ...singleTaskSettings, name: 'etl' }),
      5,
      () => [],
    );
  });

  test.each<[string, () => Partial<JobFilter>, number[]]>([
    ['all, newest first, without hidden and deleted ones', () => ({}), [4, 3, 2, 1, 0]],
    ['by name, exactly but without regard to case', () => ({ name: 'Etl' }), [2, 0]],
    ['by a name that none has', () => ({ name: 'et' }), []],
    ['a name is no pattern', () => ({ name: 'et%' }), []],
    ['a first page', () => ({ limit: 2 }), [4, 3]],
    ['a page by offset', () => ({ limit: 2, offset: 2 }), [2, 1]],
    ['a page by the job where the last one ended', () => ({ limit: 2, beforeJobId: ids[3] }), [2, 1]],
    ['a page after the last', () => ({ offset: 5 }), []],
    ['an offset without a limit', () => ({ offset: 3 }), [1, 0]],
  ])('%s', async (_name, filter, expected) => {
    const found = await listJobs(database.db, { ...everything, ...filter() });
    expect(found.map(({ jobId }) => ids.indexOf(jobId))).toEqual(expected);
  });

  test('the quota counts neither hidden nor deleted jobs', async () => {
    const job = { settings: singleTaskSettings, version: '2.1' as const, creator: 'ann', now: 5 };
    await expect(createJob(database.db, job, { ...defaultLimits, savedJobs: 5 })).rejects.toMatchObject({
      code: 'QUOTA_EXCEEDED',
      message: 'The quota for the number of jobs has been reached. The current quota is 5.',
    });
    const last = await createJob(database.db, job, { ...defaultLimits, savedJobs: 6 });
    await deleteJob(database.db, last, 5, () => []);
  });
});

describe('deleting a job', () => {
  test('stops its active runs, keeps the reason of runs that already stop, and stores notifications', async () => {
    const settings = {
      ...graphSettings('a'),
      max_concurrent_runs: 5,
      email_notifications: { on_start: ['a@x'], on_failure: ['a@x', 'b@x'] },
    };
    const jobId = await createStoredJob(database.db, settings);
    const ids: number[] = [];
    for (let count = 0; count < 3; count += 1)
      ids.push((await launchRunOfJob(createLaunchPorts(runs), jobId)).runId);
    const [active = 0, stopping = 0, over = 0] = ids;
    await runs.requestStop(stopping, 'timeout');
    await database.db
      .updateTable('runs')
      .set({ state: 'INTERNAL_ERROR', active: false, end_time: 9e12 })
      .where('run_id', '=', over)
      .execute();

    expect(
      await deleteJob(database.db, jobId, 77, (job) => notificationsForDeletion(job.settings, job.jobId, 77)),
    ).toEqual([active]);
    expect(await findJob(database.db, jobId)).toBeUndefined();
    expect(await runs.listOwnedRuns('node-1')).toEqual(
      expect.arrayContaining([
        { runId: active, stopReason: 'cancel', timeoutRevision: 0 },
        { runId: stopping, stopReason: 'timeout', timeoutRevision: 0 },
      ]),
    );
    expect(
      await database.db
        .selectFrom('outbox')
        .select(['event', 'channel', 'recipient', 'job_id', 'created_time'])
        .orderBy('outbox_event_id')
        .execute(),
    ).toEqual(
      ['a@x', 'b@x'].map((recipient) => ({
        event: 'job_deleted',
        channel: 'email',
        recipient,
        job_id: jobId,
        created_time: 77,
      })),
    );
  });

  test.each<[string, () => Promise<number>]>([
    ['unknown', async () => 999_999],
    [
      'already deleted',
      async () => {
        const jobId = await createStoredJob(database.db);
        await deleteJob(database.db, jobId, 5, () => []);
        return jobId;
      },
    ],
    ['hidden', async () => (await createSubmittedRun(runs, singleTaskSettings)).run.jobId],
  ])('that is %s does nothing', async (_name, make) => {
    let notificationCalls = 0;
    expect(
      await deleteJob(database.db, await make(), 5, () => {
        notificationCalls += 1;
        return [];
      }),
    ).toEqual([]);
    expect(notificationCalls).toBe(0);
  });

  test('during concurrent launches stops every launched run', async () => {
    const jobId = await createStoredJob(database.db, { ...singleTaskSettings, max_concurrent_runs: 1000 });
    const launches = Array.from({ length: 20 }, () => launchRunOfJob(createLaunchPorts(runs), jobId));
    const deleting = deleteJob(database.db, jobId, 5, () => []);
    const launched = (await Promise.allSettled(launches)).flatMap((one) =>
      one.status === 'fulfilled' ? [one.value.runId] : [],
    );
    const stopped = await deleting;
    expect(stopped.toSorted((one, other) => one - other)).toEqual(
      launched.toSorted((one, other) => one - other),
    );
  });
});
