/** Launches of scheduled runs: one for each due time, also after failures. */
import { sql } from 'kysely';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { deleteJob } from '../../../../storage/postgres/jobs/jobs.ts';
import { dailyAtSix, createScheduleHarness, scheduledJob, type ScheduleHarness } from './schedule-harness.ts';

const at = (text: string): number => Date.parse(`2027-${text}Z`);
let harness: ScheduleHarness;
beforeEach(async () => {
  harness = await createScheduleHarness(at('03-01T05:00'));
});
afterEach(() => harness.close());

const findSchedule = async (jobId: number) =>
  await harness.database.db
    .selectFrom('schedules')
    .selectAll()
    .where('job_id', '=', jobId)
    .executeTakeFirst();

test('a fire launches a run with the trigger PERIODIC and stores the next fire time', async () => {
  harness.startScheduler();
  const job = await harness.createJob();
  await harness.advanceTo(at('03-01T05:59:59'));
  expect(await harness.describeRuns(job)).toEqual([]);
  await harness.advanceTo(at('03-01T06:00'));
  expect(await harness.describeRuns(job)).toEqual(['03-01T06:00 PENDING']);
  expect(harness.acceptedRunIds).toHaveLength(1);
  expect(await findSchedule(job)).toMatchObject({
    last_fire_at: at('03-01T06:00'),
    next_fire_at: at('03-02T06:00'),
  });
  const { trigger, run_type, creator } = await harness.database.db
    .selectFrom('runs')
    .selectAll()
    .executeTakeFirstOrThrow();
  expect({ trigger, run_type, creator }).toEqual({
    trigger: 'PERIODIC',
    run_type: 'JOB_RUN',
    creator: 'ann',
  });
});

test('a paused schedule does not fire, and its paused fires do not count as missed', async () => {
  harness.startScheduler();
  const job = await harness.createJob();
  await harness.advanceTo(at('03-01T05:59:59'));
  await harness.changeJob(job, scheduledJob('0 0 6 * * ?', { pause_status: 'PAUSED' }));
  await harness.advanceTo(at('03-03T12:00'));
  await harness.changeJob(job, scheduledJob('0 0 6 * * ?', { misfire_policy: 'FIRE_ALL' }));
  await harness.advanceTo(at('03-04T06:00'));
  expect(await harness.describeRuns(job)).toEqual(['03-04T06:00 PENDING']);
});

test.each([
  ['FIRE_ONCE', ['03-03T06:00 PENDING']],
  ['SKIP', []],
  ['FIRE_ALL', ['03-01T06:00 PENDING', '03-02T06:00 PENDING', '03-03T06:00 PENDING']],
])(
  'fires that were missed while no engine ran follow the misfire policy %s',
  async (misfire_policy, runs) => {
    const job = await harness.createJob(scheduledJob('0 0 6 * * ?', { misfire_policy }));
    harness.clock.setTime(at('03-03T12:00'));
    harness.startScheduler();
    await harness.advanceTo(at('03-03T12:00'));
    expect(await harness.describeRuns(job)).toEqual(runs);
    expect(await findSchedule(job)).toMatchObject({ next_fire_at: at('03-04T06:00') });
  },
);

test('a renamed job fires; a job without its schedule and a deleted job do not', async () => {
  harness.startScheduler();
  const [renamed, removed, deleted] = [
    await harness.createJob(),
    await harness.createJob(),
    await harness.createJob(),
  ];
  await harness.changeJob(renamed, { ...dailyAtSix, name: 'new' });
  const { schedule: _, ...rest } = dailyAtSix;
  await harness.changeJob(removed, rest);
  await deleteJob(harness.database.db, deleted, harness.clock.now(), () => []);
  await harness.advanceTo(at('03-01T06:00'));
  expect([
    await harness.describeRuns(renamed),
    await harness.describeRuns(removed),
    await harness.describeRuns(deleted),
  ]).toEqual([['03-01T06:00 PENDING'], [], []]);
  expect([await findSchedule(removed), await findSchedule(deleted)]).toEqual([undefined, undefined]);
});

test('several engines fire each schedule once', async () => {
  const jobs = await Promise.all(Array.from({ length: 40 }, () => harness.createJob()));
  for (let engine = 0; engine < 4; engine += 1) harness.startScheduler();
  await harness.advanceTo(at('03-01T06:00'));
  await harness.advanceTo(at('03-02T06:00'));
  for (const job of jobs)
    expect(await harness.describeRuns(job)).toEqual(['03-01T06:00 PENDING', '03-02T06:00 PENDING']);
  expect(new Set(harness.acceptedRunIds).size).toBe(80);
});

describe('a defective schedule', () => {
  test('that cannot be parsed is suspended with the reason, and other schedules fire', async () => {
    harness.startScheduler();
    const [bad, good] = [await harness.createJob(), await harness.createJob()];
    await sql`update jobs set settings = jsonb_set(settings, '{schedule,timezone_id}', '"Mars/Base"') where job_id = ${bad}`.execute(
      harness.database.db,
    );
    await harness.advanceTo(at('03-01T06:00'));
    expect([await harness.describeRuns(bad), await harness.describeRuns(good)]).toEqual([
      [],
      ['03-01T06:00 PENDING'],
    ]);
    expect(await findSchedule(bad)).toMatchObject({
      next_fire_at: null,
      problem: expect.stringContaining('Mars/Base'),
    });
    await harness.changeJob(bad, dailyAtSix);
    await harness.advanceTo(at('03-02T06:00'));
    expect(await harness.describeRuns(bad)).toEqual(['03-02T06:00 PENDING']);
  });

  test('whose run cannot be stored skips that fire only, and other schedules fire', async () => {
    harness.startScheduler();
    const [bad, good] = [await harness.createJob(), await harness.createJob()];
    await sql`create function refuse() returns trigger language plpgsql as $$ begin
      if new.scheduled_time < 1803880800001 and new.job_id = ${sql.raw(String(bad))} then raise 'no'; end if; return new; end $$`.execute(
      harness.database.db,
    );
    await sql`create trigger refuse before insert on runs for each row execute function refuse()`.execute(
      harness.database.db,
    );
    await harness.advanceTo(at('03-01T06:00'));
    await harness.advanceTo(at('03-02T06:00'));
    expect([await harness.describeRuns(bad), await harness.describeRuns(good)]).toEqual([
      ['03-02T06:00 PENDING'],
      ['03-01T06:00 PENDING', '03-02T06:00 PENDING'],
    ]);
  });
});

describe('exactly-once launch', () => {
  test('a crash between claim and commit leaves the schedule unchanged', async () => {
    const job = await harness.createJob();
    harness.clock.setTime(at('03-01T06:00'));
    await expect(
      harness.store.claimDue({ now: at('03-01T06:00'), limit: 10 }, () => ({
        updates: [],
        launchRuns: async () => {
          throw new Error('killed');
        },
      })),
    ).rejects.toThrow('killed');
    expect(await findSchedule(job)).toMatchObject({ next_fire_at: at('03-01T06:00'), last_fire_at: null });
    harness.startScheduler();
    await harness.advanceTo(at('03-01T06:00'));
    expect(await harness.describeRuns(job)).toEqual(['03-01T06:00 PENDING']);
  });

  test('fires wait while the database is away', async () => {
    let away = true;
    const claimDue: typeof harness.store.claimDue = (claim, decide) =>
      away
        ? Promise.reject(Object.assign(new Error('away'), { code: 'ECONNREFUSED' }))
        : harness.store.claimDue(claim, decide);
    harness.startScheduler({ schedules: { ...harness.store, claimDue } });
    const job = await harness.createJob();
    harness.clock.advance(at('03-01T06:00') - harness.clock.now());
    away = false;
    await harness.advanceTo(at('03-01T06:00:02'));
    expect(await harness.describeRuns(job)).toEqual(['03-01T06:00 PENDING']);
  });

  test('the database rejects a second run for one fire', async () => {
    harness.startScheduler();
    const job = await harness.createJob();
    await harness.advanceTo(at('03-01T06:00'));
    await sql`update schedules set last_fire_at = null, next_fire_at = ${at('03-01T06:00')}`.execute(
      harness.database.db,
    );
    await harness.advanceTo(at('03-01T06:00:01'));
    expect(await harness.describeRuns(job)).toEqual(['03-01T06:00 PENDING']);
    expect(await findSchedule(job)).toMatchObject({ next_fire_at: at('03-02T06:00') });
  });
});

describe('limits', () => {
  test('a fire of a job at its max_concurrent_runs is skipped, or queued with queue.enabled', async () => {
    harness.startScheduler();
    const skipping = await harness.createJob({ ...scheduledJob('0 * * * * ?'), max_concurrent_runs: 1 });
    const queuing = await harness.createJob({
      ...scheduledJob('0 * * * * ?'),
      max_concurrent_runs: 1,
      queue: { enabled: true },
    });
    await harness.advanceTo(at('03-01T05:01'));
    await harness.advanceTo(at('03-01T05:02'));
    expect(await harness.describeRuns(skipping)).toEqual(['03-01T05:01 PENDING', '03-01T05:02 SKIPPED']);
    expect(await harness.describeRuns(queuing)).toEqual(['03-01T05:01 PENDING', '03-01T05:02 QUEUED']);
  });

  test('fires beyond the capacity of the workspace are skipped with the reason', async () => {
    harness.startScheduler({}, { concurrentTaskRuns: 3 });
    const jobs = await Promise.all(Array.from({ length: 5 }, () => harness.createJob()));
    await harness.advanceTo(at('03-01T06:00'));
    const rows = await harness.database.db
      .selectFrom('runs')
      .select(['state', 'message'])
      .orderBy('state')
      .execute();
    expect(rows.map(({ state }) => state)).toEqual(['PENDING', 'PENDING', 'PENDING', 'SKIPPED', 'SKIPPED']);
    expect(rows.at(-1)?.message).toContain('There are already 3 active runs (limit: 3).');
    expect(jobs).toHaveLength(5);
  });

  test('1,200 fires at once stay within the limit and number their runs without gaps', async () => {
    harness.startScheduler({}, { concurrentTaskRuns: 700 });
    await Promise.all(
      Array.from({ length: 1_200 }, (_, index) => (index % 8 === 0 ? harness.createJob() : undefined)),
    );
    await sql`insert into jobs (creator, created_time, name, api_version, format, settings, hidden)
      select creator, created_time, name, api_version, format, settings, hidden from jobs, generate_series(1, 7)`.execute(
      harness.database.db,
    );
    await sql`insert into schedules (job_id, next_fire_at) select job_id, ${at('03-01T06:00')} from jobs on conflict do nothing`.execute(
      harness.database.db,
    );
    await harness.advanceTo(at('03-01T06:00'));
    const { rows } = await sql<{ state: string; runs: number; numbers: number }>`
      select state, count(*) as runs, max(number_in_job) as numbers from runs group by state order by state`.execute(
      harness.database.db,
    );
    expect(rows).toEqual([
      { state: 'PENDING', runs: 700, numbers: 1 },
      { state: 'SKIPPED', runs: 500, numbers: 1 },
    ]);
  });
});

test('a periodic trigger fires at its interval', async () => {
  harness.startScheduler();
  const { schedule: _, ...rest } = dailyAtSix;
  const job = await harness.createJob({ ...rest, trigger: { periodic: { interval: 2, unit: 'HOURS' } } });
  await harness.advanceTo(at('03-01T07:00'));
  await harness.advanceTo(at('03-01T09:00'));
  expect(await harness.describeRuns(job)).toEqual(['03-01T07:00 PENDING', '03-01T09:00 PENDING']);
});
