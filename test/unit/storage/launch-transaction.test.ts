/** Launching on the real database: tokens, numbers and limits under many launches at once (spec 2.2, 4.1). */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { submitRun } from '../../../engine/launch.ts';
import type { RunStore } from '../../../engine/ports/runs.ts';
import type { RunWithTasks } from '../../../engine/run/run.ts';
import { deleteJob } from '../../../storage/postgres/jobs/jobs.ts';
import { listRuns } from '../../../storage/postgres/runs/runs.ts';
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

const fifty = Array.from({ length: 50 }, (_, index) => index);

async function runsOfJob(jobId: number) {
  const filter = {
    jobId,
    active: undefined,
    type: undefined,
    startFrom: undefined,
    startTo: undefined,
    before: undefined,
    offset: 0,
    limit: 999,
  };
  return (await listRuns(database.db, filter)).toReversed();
}

describe('what is stored', () => {
  test.each([
    ['single-task', singleTaskSettings],
    ['multi-task', graphSettings('a', 'b a', 'c a b')],
    ['with a name and a queue', { ...graphSettings('a'), run_name: 'nightly', queue: { enabled: true } }],
  ])('a %s submission is the run that the engine holds', async (_name, settings) => {
    const accepted = await createSubmittedRun(runs, settings);
    expect(await runs.find(accepted.run.runId)).toEqual(accepted);
  });

  test('a run of a job is the run that the engine holds, with the parameters given', async () => {
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

  test('a single-task run and its task share one id; those of a multi-task run have their own', async () => {
    const single = await createSubmittedRun(runs, singleTaskSettings);
    expect(single.tasks.map(({ runId }) => runId)).toEqual([single.run.runId]);
    const multi = await createSubmittedRun(runs, graphSettings('a', 'b'));
    expect(new Set([multi.run.runId, ...multi.tasks.map(({ runId }) => runId)]).size).toBe(3);
  });

  test('the job of a submission is hidden, of the format of what was submitted', async () => {
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

describe('spec 2.5 number_in_job: numbers in a job', () => {
  test('rise from 1 without gaps under many launches at once, and belong to the job alone', async () => {
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

  test('a launch that fails takes none', async () => {
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

describe('spec 2.2 max_concurrent_runs', () => {
  test.each([0, 1, 3])(
    'of %i leaves at most that many active under fifty launches at once; the others are skipped',
    async (limit) => {
      const accepted: RunWithTasks[] = [];
      const jobId = await createStoredJob(database.db, {
        ...graphSettings('a', 'b a'),
        max_concurrent_runs: limit,
      });
      await Promise.all(fifty.map(() => launchRunOfJob(createLaunchPorts(runs, accepted), jobId)));
      const stored = await runsOfJob(jobId);
      expect(stored.map(({ progress }) => progress.state)).toEqual(
        fifty.map((index) => (index < limit ? 'PENDING' : 'SKIPPED')),
      );
      expect(accepted.map(({ run }) => run.runId).toSorted((one, two) => one - two)).toEqual(
        stored.slice(0, limit).map(({ runId }) => runId),
      );
    },
  );

  test('a skipped run is over at once, with its tasks, and says why', async () => {
    const jobId = await createStoredJob(database.db, {
      ...graphSettings('a', 'b a'),
      max_concurrent_runs: 0,
      email_notifications: { on_failure: ['a@x'] },
    });
    const { runId } = await launchRunOfJob(createLaunchPorts(runs), jobId);
    const found = await runs.find(runId);
    const message = 'Skipping this run because the limit of 0 maximum concurrent runs has been reached.';
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

  test('lowering it kills no run, and new ones are skipped until the active count is below it', async () => {
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
    expect((await runsOfJob(jobId)).slice(2).map(({ progress }) => progress.state)).toEqual([
      'PENDING',
      'SKIPPED',
      'PENDING',
    ]);
  });

  test('one-time runs have no such limit', async () => {
    const states = await Promise.all(
      fifty.map(async () => (await createSubmittedRun(runs, singleTaskSettings)).run.progress.state),
    );
    expect(new Set(states)).toEqual(new Set(['PENDING']));
  });
});

describe('spec 4.1.4: an idempotency token', () => {
  test('under fifty launches of a job at once gives one run', async () => {
    const accepted: RunWithTasks[] = [];
    const jobId = await createStoredJob(database.db, { ...singleTaskSettings, max_concurrent_runs: 1000 });
    const launched = await Promise.all(
      fifty.map(() => launchRunOfJob(createLaunchPorts(runs, accepted), jobId, 'once')),
    );
    const [first] = await runsOfJob(jobId);
    expect(launched).toEqual(fifty.map(() => ({ runId: first?.runId, numberInJob: 1 })));
    expect(await runsOfJob(jobId)).toHaveLength(1);
    expect(accepted).toHaveLength(1);
  });

  test('under fifty submissions at once gives one run and leaves no other hidden job', async () => {
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

  test('is a matter of one job: another job and a submission have their own', async () => {
    const ids = [];
    for (const jobId of [await createStoredJob(database.db), await createStoredJob(database.db)])
      ids.push((await launchRunOfJob(createLaunchPorts(runs), jobId, 'mine')).runId);
    ids.push(
      (await createSubmittedRun(runs, { ...singleTaskSettings, idempotency_token: 'mine' })).run.runId,
    );
    expect(new Set(ids).size).toBe(3);
  });

  test('that is empty counts as absent', async () => {
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
      'The run started with idempotency_token "gone" has been deleted.',
    );
  });

  test('of a launch that failed is free again', async () => {
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

describe('a launch that fails', () => {
  test('leaves nothing', async () => {
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
    ['that never was', async () => 999_999],
    [
      'that was deleted',
      async () => {
        const jobId = await createStoredJob(database.db);
        await deleteJob(database.db, jobId, 5, () => []);
        return jobId;
      },
    ],
    ['that carries a submission', async () => (await createSubmittedRun(runs, singleTaskSettings)).run.jobId],
  ])('names the job %s', async (_name, make) => {
    const jobId = await make();
    await expect(launchRunOfJob(createLaunchPorts(runs), jobId)).rejects.toThrow(
      `Job ${jobId} does not exist.`,
    );
  });
});
