/** Schedules through HTTP, by the clock of this machine: they fire, pause at once, and follow the settings of their job. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Answer } from '../setup/client.ts';
import { startTestService, type TestService } from '../setup/service.ts';

let runyard: TestService;
beforeAll(async () => {
  runyard = await startTestService();
  await runyard.putFile('/args.py', 'import sys\nprint(*sys.argv[1:])\n');
});
afterAll(() => runyard.stop());

const everySecond = { quartz_cron_expression: '* * * * * ?', timezone_id: 'Europe/Berlin' };
const task = { existing_cluster_id: 'c', spark_python_task: { python_file: 'managed_fs:/args.py', parameters: ['{{job.trigger.time.timestamp_ms}}', '{{job.trigger.type}}'] } };
const create = async (settings: object): Promise<number> => (await runyard.ok('POST', '2.0/jobs/create', { name: 'scheduled', ...task, ...settings })).job_id;
const runs = async (job_id: number): Promise<Answer[]> => (await runyard.ok('GET', '2.0/jobs/runs/list', { job_id, limit: 0 })).runs ?? [];
/** The first run that a schedule starts. */
async function firstRun(jobId: number): Promise<Answer> {
  for (;;) {
    const [run] = await runs(jobId);
    if (run !== undefined) return run;
    await new Promise((resolve) => { setTimeout(resolve, 20); });
  }
}

describe('spec 2.8, 3.1: a schedule', () => {
  test('starts a run that carries it, and the trigger PERIODIC', async () => {
    const job = await create({ schedule: everySecond });
    const run = await firstRun(job);
    expect(run).toMatchObject({ trigger: 'PERIODIC', schedule: everySecond, run_type: 'JOB_RUN', creator_user_name: expect.any(String) });
    const { metadata, logs } = await (async () => {
      await runyard.ended(run.run_id);
      return runyard.ok('GET', '2.0/jobs/runs/get-output', { run_id: run.run_id });
    })();
    const [time, type] = logs.trim().split(' ');
    expect(type).toBe('periodic');
    expect(Number(time) % 1_000).toBe(0);
    expect(Number(time)).toBeLessThanOrEqual(metadata.start_time);
    await runyard.ok('POST', '2.0/jobs/delete', { job_id: job });
  });
});
