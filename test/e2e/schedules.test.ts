/**
 * Schedules through HTTP on the system clock: they fire, pause at once, and follow changes of the job.
 */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { ResponseBody } from '../harness/api-client.ts';
import { startTestService, type TestService } from '../harness/test-service.ts';
import { eventually } from '../harness/eventually.ts';

let runyard: TestService;
beforeAll(async () => {
  runyard = await startTestService();
  await runyard.putFile('/args.py', 'import sys\nprint(*sys.argv[1:])\n');
});
afterAll(() => runyard.stop());

const everySecond = { quartz_cron_expression: '* * * * * ?', timezone_id: 'Europe/Berlin' };
const task = {
  existing_cluster_id: 'c',
  spark_python_task: {
    python_file: 'managed_fs:/args.py',
    parameters: ['{{job.trigger.time.timestamp_ms}}', '{{job.trigger.type}}'],
  },
};
const create = async (settings: object): Promise<number> =>
  (await runyard.callOk('POST', '2.0/jobs/create', { name: 'scheduled', ...task, ...settings })).job_id;
const runs = async (job_id: number): Promise<ResponseBody[]> =>
  (await runyard.callOk('GET', '2.0/jobs/runs/list', { job_id, limit: 0 })).runs ?? [];
/** Waits for the first run of a schedule and returns it. */
async function firstRun(jobId: number): Promise<ResponseBody> {
  const [run] = await eventually(() => runs(jobId), { until: ({ length }) => length > 0 });
  return run;
}

describe('spec 2.8, 3.1: a schedule', () => {
  test('starts a run that shows the schedule and the trigger PERIODIC', async () => {
    const job = await create({ schedule: everySecond });
    const run = await firstRun(job);
    expect(run).toMatchObject({
      trigger: 'PERIODIC',
      schedule: everySecond,
      run_type: 'JOB_RUN',
      creator_user_name: expect.any(String),
    });
    await runyard.waitForRunEnd(run.run_id);
    const { metadata, logs } = await runyard.callOk('GET', '2.0/jobs/runs/get-output', {
      run_id: run.run_id,
    });
    const [time, type] = logs.trim().split(' ');
    expect(type).toBe('periodic');
    expect(Number(time) % 1_000).toBe(0);
    expect(Number(time)).toBeLessThanOrEqual(metadata.start_time);
    await runyard.callOk('POST', '2.0/jobs/delete', { job_id: job });
  });

  test('a change that makes a schedule due takes effect at once; a paused schedule starts no run', async () => {
    const job = await create({ schedule: { ...everySecond, pause_status: 'PAUSED' } });
    const other = await create({ schedule: everySecond });
    await firstRun(other);
    expect(await runs(job)).toEqual([]);
    await runyard.callOk('POST', '2.0/jobs/update', { job_id: job, new_settings: { schedule: everySecond } });
    await firstRun(job);
    for (const job_id of [job, other]) await runyard.callOk('POST', '2.0/jobs/delete', { job_id });
  });
});

describe('spec 2.8: invalid schedules are refused and not stored', () => {
  const valid = { quartz_cron_expression: '0 0 6 1 1 ?', timezone_id: 'UTC' };
  test.each<[string, object, string]>([
    [
      'an expression',
      { schedule: { ...valid, quartz_cron_expression: '0 60 6 * * ?' } },
      'Invalid quartz_cron_expression: "0 60 6 * * ?". Field 2 (minute) is "60": 60 is not between 0 and 59.',
    ],
    [
      'a zone',
      { schedule: { ...valid, timezone_id: 'europe/berlin' } },
      'schedule.timezone_id is "europe/berlin"; it must be a Java time zone id; nearest: Europe/Berlin, ',
    ],
    [
      'one that never fires',
      { schedule: { ...valid, quartz_cron_expression: '0 1 0 8 Apr ? 2021' } },
      'The provided cron expression: 0 1 0 8 Apr ? 2021 will never fire.',
    ],
    [
      'continuous',
      { continuous: { pause_status: 'UNPAUSED' } },
      'continuous is not supported; use schedule or trigger.periodic.',
    ],
    [
      'file arrival',
      { trigger: { file_arrival: { url: 'x' } } },
      'trigger.file_arrival is not supported; use trigger.periodic.',
    ],
    [
      'an empty trigger',
      { trigger: { pause_status: 'PAUSED' } },
      'Missing required field: trigger.periodic.',
    ],
    [
      'two of them',
      { schedule: valid, trigger: { periodic: { interval: 1, unit: 'DAYS' } } },
      'schedule and trigger are given; only one of them is allowed.',
    ],
    [
      'an interval',
      { trigger: { periodic: { interval: 0, unit: 'DAYS' } } },
      'trigger.periodic.interval is 0; it must be',
    ],
  ])('%s', async (_name, settings, message) => {
    const before = { ...task, name: 'kept', schedule: valid };
    const job_id = await create(before);
    for (const [path, body] of [
      ['create', { ...task, ...settings }],
      ['reset', { job_id, new_settings: { ...task, ...settings } }],
    ] as const) {
      const answer = await runyard.call('POST', `2.0/jobs/${path}`, body);
      expect([answer.status, answer.body.error_code]).toEqual([400, 'INVALID_PARAMETER_VALUE']);
      expect(answer.body.message).toContain(message);
    }
    const updated = await runyard.call('POST', '2.0/jobs/update', {
      job_id,
      new_settings: { ...settings, name: 'changed' },
      ...('schedule' in settings ? {} : { fields_to_remove: ['schedule'] }),
    });
    expect(updated.status).toBe(400);
    expect((await runyard.callOk('GET', '2.0/jobs/get', { job_id })).settings).toMatchObject({
      name: 'kept',
      schedule: valid,
    });
    await runyard.callOk('POST', '2.0/jobs/delete', { job_id });
  });
});

describe('jobs/schedule/preview', () => {
  const ask = (input: object) => runyard.call('GET', '2.0/jobs/schedule/preview', input);
  test('returns fire times, notes and a description', async () => {
    const { status, body } = await ask({
      quartz_cron_expression: '0 30 2 ? * SUN',
      timezone_id: 'Europe/Berlin',
      after: 1_805_500_800_000,
      count: 2,
    });
    expect({ status, body }).toEqual({
      status: 200,
      body: {
        description: 'at 02:30 every Sunday',
        fire_times: [
          { time: 1_805_592_600_000, local: '2027-03-21T02:30:00+01:00' },
          {
            time: 1_806_798_600_000,
            local: '2027-04-04T02:30:00+02:00',
            note: expect.stringContaining('2027-03-28 02:30'),
          },
        ],
      },
    });
  });

  test('starts now and returns ten fire times by default', async () => {
    const { body } = await ask({ quartz_cron_expression: '0 0 * * * ?', timezone_id: 'UTC' });
    expect(body.fire_times).toHaveLength(10);
    expect(body.fire_times[0].time).toBeGreaterThan(Date.now() - 60_000);
    expect(
      (await ask({ quartz_cron_expression: '0 0 * * * ?', timezone_id: 'UTC', count: 100 })).body.fire_times,
    ).toHaveLength(100);
  });

  test.each<[object, RegExp]>([
    [{ timezone_id: 'UTC' }, /quartz_cron_expression/],
    [{ quartz_cron_expression: '0 0 6 * * ?' }, /timezone_id/],
    [
      { quartz_cron_expression: '0 0 6 * *', timezone_id: 'UTC' },
      /^Invalid quartz_cron_expression: "0 0 6 \* \*"\. It has 5 fields/,
    ],
    [
      { quartz_cron_expression: '0 0 6 30 2 ?', timezone_id: 'UTC' },
      /^The provided cron expression: 0 0 6 30 2 \? will never fire\.$/,
    ],
    [
      { quartz_cron_expression: '0 0 6 * * ?', timezone_id: 'Berlin' },
      /^timezone_id is "Berlin"; .*Europe\/Berlin/,
    ],
    [{ quartz_cron_expression: '0 0 6 * * ?', timezone_id: 'UTC', count: 0 }, /count/],
    [{ quartz_cron_expression: '0 0 6 * * ?', timezone_id: 'UTC', count: 101 }, /count/],
    [{ quartz_cron_expression: '0 0 6 * * ?', timezone_id: 'UTC', after: '9007199254740991' }, /after/],
  ])('%j is refused', async (input, message) => {
    const { status, body } = await ask(input);
    expect([status, body.error_code]).toEqual([400, 'INVALID_PARAMETER_VALUE']);
    expect(body.message).toMatch(message);
  });
});
