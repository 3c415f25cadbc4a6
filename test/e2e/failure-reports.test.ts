/** Where failures are read besides the pages: mail threads, `runyard explain`, lists, metrics and warnings. */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { startMailReceiver, type MailReceiver } from '../harness/mail-receiver.ts';
import { startTestService, type TestService } from '../harness/test-service.ts';
import { runCommand } from '../unit/cli/cli-process.ts';

let runyard: TestService;
let mails: MailReceiver;

beforeAll(async () => {
  mails = await startMailReceiver();
  runyard = await startTestService({ smtpUrl: `smtp://127.0.0.1:${mails.port}` });
  await runyard.putFile('/ok.py', 'print(1)\n');
  await runyard.putFile('/bad.py', 'rows = []\nprint(rows[0])\n');
  await runyard.putFile('/wait.py', 'import time\ntime.sleep(600)\n');
});
afterAll(async () => {
  await runyard.stop();
  await mails.close();
});

const python = (file: string): object => ({
  existing_cluster_id: 'c',
  spark_python_task: { python_file: `managed_fs:/${file}.py` },
});
const create = async (settings: object): Promise<number> =>
  (await runyard.callOk('POST', '2.1/jobs/create', settings)).job_id;
const runNow = async (jobId: number): Promise<number> =>
  (await runyard.callOk('POST', '2.1/jobs/run-now', { job_id: jobId })).run_id;
const cancel = (runId: number) => runyard.callOk('POST', '2.1/jobs/runs/cancel', { run_id: runId });

/** Returns a header of a mail, unfolded. */
function headerOf(raw: string | undefined, name: string): string | undefined {
  const head = raw?.split('\r\n\r\n')[0]?.replaceAll(/\r\n\s+/g, ' ');
  return new RegExp(`^${name}: (.*)$`, 'im').exec(head ?? '')?.[1];
}

describe('retries of a single-task run', () => {
  test('send numbered mails of one thread, and each run links to all attempts', async () => {
    const { job_id: jobId } = await runyard.callOk('POST', '2.0/jobs/create', {
      name: 'flaky',
      ...python('bad'),
      max_retries: 2,
      email_notifications: { on_failure: ['ops@example.org'] },
    });
    const first = await runNow(jobId);
    await mails.waitForMails((all) => all.length === 3);
    // Mails are delivered at the same time, in any order.
    const subjectOf = (mail: string): string => headerOf(mail, 'Subject') ?? '';
    const raw = mails.mails
      .map((mail) => mail.raw)
      .toSorted((one, other) => subjectOf(one).localeCompare(subjectOf(other)));
    expect(raw.map((mail) => headerOf(mail, 'Subject'))).toEqual(
      [1, 2, 3].map((number) =>
        expect.stringMatching(new RegExp(`flaky failed .*, attempt ${number} of 3$`)),
      ),
    );
    const thread = headerOf(raw[0], 'Message-ID');
    expect(thread).toMatch(/^<.+@.+>$/);
    expect(raw.map((mail) => headerOf(mail, 'In-Reply-To'))).toEqual([undefined, thread, thread]);
    expect(raw.map((mail) => headerOf(mail, 'References'))).toEqual([undefined, thread, thread]);
    const attemptsOf = async (runId: number) =>
      (await runyard.waitForRunEnd(runId)).explanation.attempts.map((one: object) => one);
    const attempts = await attemptsOf(first);
    expect(attempts).toMatchObject(
      [0, 1, 2].map((attempt) => ({ attempt, cause: expect.stringContaining('IndexError') })),
    );
    expect(await attemptsOf(attempts[2].run_id)).toEqual(attempts);
  });
});

describe('runyard explain', () => {
  let directory: string;
  beforeAll(async () => {
    directory = await mkdtemp(join(tmpdir(), 'runyard-explain-'));
  });
  afterAll(() => rm(directory, { recursive: true, force: true }));
  const explain = (runId: number) =>
    runCommand(['explain', String(runId)], directory, {
      RUNYARD_URL: runyard.url,
      RUNYARD_TOKEN: runyard.token,
    });

  test('prints cause, place, next step, evidence, and the commands to go on', async () => {
    const { run_id: runId } = await runyard.callOk('POST', '2.1/jobs/runs/submit', {
      run_name: 'load',
      tasks: [
        { task_key: 'read', ...python('bad') },
        { task_key: 'write', ...python('ok'), depends_on: [{ task_key: 'read' }] },
      ],
    });
    const { tasks } = await runyard.waitForRunEnd(runId);
    const { code, stdout, stderr } = await explain(runId);
    expect([code, stderr]).toEqual([0, '']);
    expect(stdout.replaceAll(/ +/g, ' ').split('\n')).toEqual([
      `Run ${runId} of load: FAILED`,
      '',
      'Cause: IndexError: list index out of range [USER_CODE]',
      'Place: managed_fs:/bad.py, line 2',
      'Task: read',
      'Cluster: c',
      expect.stringMatching(/^Node: \S+$/),
      'Other tasks: 1 task was skipped',
      'Next step: Correct the code there and repair the run.',
      '',
      'Frames of your code:',
      ' managed_fs:/bad.py, line 2: print(rows[0])',
      '',
      'Go on with:',
      ` runyard logs ${tasks[0].run_id}`,
      ` runyard runs repair ${runId}`,
      ` runyard bundle ${runId}`,
      '',
    ]);
  });
});

describe('cause codes', () => {
  test('filter lists and are counted, also for runs that are skipped or end in the queue', async () => {
    const jobId = await create({
      name: 'busy',
      max_concurrent_runs: 1,
      tasks: [{ task_key: 'a', ...python('wait') }],
    });
    const active = await runNow(jobId);
    const skipped = await runNow(jobId);
    const queued = (
      await runyard.callOk('POST', '2.1/jobs/run-now', { job_id: jobId, queue: { enabled: true } })
    ).run_id;
    await runyard.waitForRun(queued, ({ state }) => state.life_cycle_state === 'QUEUED');
    await cancel(queued);
    await runyard.waitForRunEnd(queued);
    await cancel(active);
    await runyard.waitForRunEnd(active);
    const listed = async (code: string): Promise<number[]> =>
      (await runyard.callOk('GET', '2.1/jobs/runs/list', { job_id: jobId, cause_code: code })).runs.map(
        (run: { run_id: number }) => run.run_id,
      );
    expect(await listed('CONCURRENCY')).toEqual([skipped]);
    expect(await listed('CANCELLED')).toEqual([queued, active]);
    expect(await listed('USER_CODE')).toEqual([]);
    const metrics = await fetch(`${runyard.url}/metrics`, {
      headers: { authorization: `Bearer ${runyard.token}` },
    });
    const text = await metrics.text();
    expect(text).toContain('runyard_run_failures_total{cause_code="CONCURRENCY"} 1\n');
    expect(text).toContain('runyard_run_failures_total{cause_code="CANCELLED"} 2\n');
  });

  test('an unknown code is refused', async () => {
    expect(await runyard.call('GET', '2.1/jobs/runs/list', { cause_code: 'BAD_LUCK' })).toMatchObject({
      status: 400,
      body: { message: expect.stringContaining('cause_code') },
    });
  });
});

describe('misspelled settings', () => {
  test('are kept, and answered with a warning that has the nearest known name', async () => {
    const settings = { name: 'typo', tasks: [{ task_key: 'a', ...python('ok'), max_retrys: 3 }] };
    const warning =
      'tasks[0].max_retrys is not a known field; did you mean max_retries? It is kept as written and has no effect.';
    const response = await fetch(`${runyard.url}/api/2.1/jobs/create`, {
      method: 'POST',
      headers: { authorization: `Bearer ${runyard.token}` },
      body: JSON.stringify(settings),
    });
    expect([response.status, response.headers.get('warning')]).toEqual([200, `299 runyard "${warning}"`]);
    const { job_id: jobId } = (await response.json()) as { job_id: number };
    const job = await runyard.callOk('GET', '2.1/jobs/get', { job_id: jobId });
    expect(job.setting_warnings).toEqual([warning]);
    expect(job.settings.tasks[0].max_retrys).toBe(3);
  });
});
