/** Launch transaction on the real database: what a launch stores, and that a failed launch stores nothing. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { submitRun } from '../../../engine/launch.ts';
import type { RunStore } from '../../../engine/ports/runs.ts';
import type { RunWithTasks } from '../../../engine/run/run.ts';
import { deleteJob } from '../../../storage/postgres/jobs/jobs.ts';
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

describe('a launched run', () => {
  test.each([
    ['single-task', singleTaskSettings],
    ['multi-task', graphSettings('a', 'b a', 'c a b')],
    ['with a name and a queue', { ...graphSettings('a'), run_name: 'nightly', queue: { enabled: true } }],
  ])('of a %s submission is stored as the coordinator holds it', async (_name, settings) => {
    const accepted = await createSubmittedRun(runs, settings);
    expect(await runs.find(accepted.run.runId)).toEqual(accepted);
  });

  test('of a job is stored as the coordinator holds it', async () => {
    const accepted: RunWithTasks[] = [];
    const jobId = await createStoredJob(database.db, { ...singleTaskSettings, name: 'nightly' });
    const { runId, numberInJob } = await launchRunOfJob(createLaunchPorts(runs, accepted), jobId);
    expect(await runs.find(runId)).toEqual(accepted[0]);
    expect(accepted[0]?.run).toMatchObject({
      runId,
      numberInJob,
      jobId,
      name: 'nightly',
      version: '2.1',
      overridingParameters: undefined,
    });
  });

  test('shares its id with its task if it is single-task, and has an id of its own if it is multi-task', async () => {
    const single = await createSubmittedRun(runs, singleTaskSettings);
    expect(single.tasks.map(({ runId }) => runId)).toEqual([single.run.runId]);
    const multi = await createSubmittedRun(runs, graphSettings('a', 'b'));
    expect(new Set([multi.run.runId, ...multi.tasks.map(({ runId }) => runId)]).size).toBe(3);
  });

  test('of a submission gets a hidden job with the format of the submission', async () => {
    const rows = await Promise.all(
      [singleTaskSettings, graphSettings('a')].map(async (settings) => {
        const { run } = await createSubmittedRun(runs, settings);
        return database.db
          .selectFrom('jobs')
          .select(['hidden', 'format'])
          .where('job_id', '=', run.jobId)
          .executeTakeFirstOrThrow();
      }),
    );
    expect(rows).toEqual([
      { hidden: true, format: 'SINGLE_TASK' },
      { hidden: true, format: 'MULTI_TASK' },
    ]);
  });
});

describe('a launch that fails', () => {
  test('stores nothing', async () => {
    const count = async () =>
      Promise.all(
        (['jobs', 'runs', 'task_runs', 'idempotency_tokens', 'outbox'] as const).map(
          async (table) =>
            (
              await database.db
                .selectFrom(table)
                .select((row) => row.fn.countAll<number>().as('count'))
                .executeTakeFirstOrThrow()
            ).count,
        ),
      );
    const before = await count();
    const failing: RunStore = {
      ...runs,
      launchTransaction: (steps) =>
        runs.launchTransaction(async (transaction) => {
          await steps(transaction);
          throw new Error('the launch fails at its end');
        }),
    };
    const accepted: RunWithTasks[] = [];
    const submission = {
      settings: { ...graphSettings('a'), idempotency_token: 'lost' },
      version: '2.1' as const,
      creator: 'ann',
    };
    await expect(submitRun(createLaunchPorts(failing, accepted), submission)).rejects.toThrow(
      'the launch fails at its end',
    );
    expect(await count()).toEqual(before);
    expect(accepted).toEqual([]);
  });

  test.each<[string, () => Promise<number>]>([
    ['that never existed', async () => 999_999],
    [
      'that was deleted',
      async () => {
        const jobId = await createStoredJob(database.db);
        await deleteJob(database.db, jobId, 5, () => []);
        return jobId;
      },
    ],
    ['of a submission', async () => (await createSubmittedRun(runs, singleTaskSettings)).run.jobId],
  ])('for a job %s names the job', async (_name, make) => {
    const jobId = await make();
    await expect(launchRunOfJob(createLaunchPorts(runs), jobId)).rejects.toThrow(
      `Job ${jobId} does not exist.`,
    );
  });
});
