/** Idempotency tokens on the real database, under many concurrent launches (spec 4.1.4). */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { submitRun } from '../../../engine/launch.ts';
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

describe('spec 4.1.4: an idempotency token', () => {
  test('creates one run under 50 concurrent launches of a job', async () => {
    const accepted: RunWithTasks[] = [];
    const jobId = await createStoredJob(database.db, { ...singleTaskSettings, max_concurrent_runs: 1000 });
    const launched = await Promise.all(
      fifty.map(() => launchRunOfJob(createLaunchPorts(runs, accepted), jobId, 'once')),
    );
    const [first] = await listRunsOfJob(database.db, jobId);
    expect(launched).toEqual(fifty.map(() => ({ runId: first?.runId, numberInJob: 1 })));
    expect(await listRunsOfJob(database.db, jobId)).toHaveLength(1);
    expect(accepted).toHaveLength(1);
  });

  test('creates one run and one hidden job under 50 concurrent submissions', async () => {
    const accepted: RunWithTasks[] = [];
    const hidden = () => database.db.selectFrom('jobs').select('job_id').where('hidden', '=', true).execute();
    const before = (await hidden()).length;
    const submission = {
      settings: { ...graphSettings('a', 'b'), idempotency_token: 'once' },
      version: '2.1' as const,
      creator: 'ann',
    };
    const launched = await Promise.all(
      fifty.map(() => submitRun(createLaunchPorts(runs, accepted), submission)),
    );
    expect(new Set(launched.map(({ runId }) => runId)).size).toBe(1);
    expect(accepted).toHaveLength(1);
    expect((await hidden()).length).toBe(before + 1);
  });

  test('applies to one job; other jobs and submissions may use the same token', async () => {
    const ids = [];
    for (const jobId of [await createStoredJob(database.db), await createStoredJob(database.db)])
      ids.push((await launchRunOfJob(createLaunchPorts(runs), jobId, 'mine')).runId);
    ids.push(
      (await createSubmittedRun(runs, { ...singleTaskSettings, idempotency_token: 'mine' })).run.runId,
    );
    expect(new Set(ids).size).toBe(3);
  });

  test('that is empty is ignored', async () => {
    const jobId = await createStoredJob(database.db, { ...singleTaskSettings, max_concurrent_runs: 5 });
    const [first, second] = [
      await launchRunOfJob(createLaunchPorts(runs), jobId, ''),
      await launchRunOfJob(createLaunchPorts(runs), jobId, ''),
    ];
    expect(second.runId).not.toBe(first.runId);
  });

  test('of a deleted run is refused', async () => {
    const jobId = await createStoredJob(database.db, { ...singleTaskSettings, max_concurrent_runs: 5 });
    const { runId } = await launchRunOfJob(createLaunchPorts(runs), jobId, 'gone');
    await database.db.deleteFrom('runs').where('run_id', '=', runId).execute();
    await expect(launchRunOfJob(createLaunchPorts(runs), jobId, 'gone')).rejects.toThrow(
      'The run started with idempotency_token "gone" has been deleted. Use a new token to run the job again.',
    );
  });

  test('of a failed launch can be used again', async () => {
    const jobId = await createStoredJob(database.db);
    await expect(
      runs.launchTransaction(async (transaction) => {
        await transaction.claimIdempotencyToken(jobId, 'free', 1);
        throw new Error('the launch fails');
      }),
    ).rejects.toThrow('the launch fails');
    await expect(launchRunOfJob(createLaunchPorts(runs), jobId, 'free')).resolves.toMatchObject({
      numberInJob: 1,
    });
  });
});
