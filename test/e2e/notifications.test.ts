/** Notifications of real runs, from job settings to a mail server and a webhook receiver. */
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { Webhook } from 'standardwebhooks';
import type { ResponseBody } from '../harness/api-client.ts';
import { startHttpReceiver, type HttpReceiver } from '../harness/webhook-receiver.ts';
import { startTestService, type TestService } from '../harness/test-service.ts';
import { eventually } from '../harness/eventually.ts';

let runyard: TestService;
let receiver: HttpReceiver;
beforeAll(async () => {
  receiver = await startHttpReceiver();
  runyard = await startTestService({ webhookAllowPrivate: true });
  await runyard.putFile('/ok.py', 'print("fine")\n');
  await runyard.putFile('/bad.py', 'print("reading part 7")\nrows = []\nprint(rows[0])\n');
  await runyard.putFile('/slow.py', 'import time\ntime.sleep(600)\n');
});
afterAll(async () => {
  await runyard.stop();
  await receiver.close();
});
afterEach(() => {
  receiver.setDefaultResponse('/hook', 200);
});

const python = (file: string) => ({
  existing_cluster_id: 'c',
  spark_python_task: { python_file: `managed_fs:/${file}.py` },
});

async function makeDestination(): Promise<{ id: string; secret: string }> {
  const { id, signing_secret: secret } = await runyard.callOk('POST', '2.0/notification-destinations', {
    display_name: 'desk',
    config: { generic_webhook: { url: `${receiver.url}/hook` } },
  });
  return { id, secret };
}

/** Waits until `count` deliveries are done; returns them oldest first as `event channel task`. */
async function waitForDeliveries(filter: object, count: number): Promise<string[]> {
  const { deliveries } = await eventually(
    () => runyard.callOk('GET', '2.0/notifications/deliveries', { ...filter, limit: 100 }),
    {
      until: ({ deliveries: all }) =>
        all.length >= count && all.every((one: ResponseBody) => one.state === 'delivered'),
    },
  );
  return deliveries
    .toReversed()
    .map((one: ResponseBody) => [one.event_type, one.channel, one.task_key].filter(Boolean).join(' '));
}

const everyList = (id: string) => ({
  email_notifications: Object.fromEntries(
    ['on_start', 'on_success', 'on_failure', 'on_duration_warning_threshold_exceeded'].map((list) => [
      list,
      ['ops@example.org'],
    ]),
  ),
  webhook_notifications: Object.fromEntries(
    ['on_start', 'on_success', 'on_failure', 'on_duration_warning_threshold_exceeded'].map((list) => [
      list,
      [{ id }],
    ]),
  ),
});

test('spec 6: start and failure of a run and its task are sent by mail and webhook, once each and in order', async () => {
  const { id, secret } = await makeDestination();
  const { job_id } = await runyard.callOk('POST', '2.1/jobs/create', {
    name: 'nightly load',
    ...everyList(id),
    tasks: [
      { task_key: 'load', ...python('bad'), webhook_notifications: { on_failure: [{ id }] } },
      { task_key: 'report', ...python('ok'), depends_on: [{ task_key: 'load' }] },
    ],
  });
  const { run_id } = await runyard.callOk('POST', '2.1/jobs/run-now', { job_id });
  const run = await runyard.waitForRunEnd(run_id);
  const sent = await waitForDeliveries({ run_id }, 5);
  expect(sent.toSorted()).toEqual([
    'jobs.on_failure email',
    'jobs.on_failure webhook',
    'jobs.on_failure webhook load',
    'jobs.on_start email',
    'jobs.on_start webhook',
  ]);
  const calls = receiver.calls.filter(({ body }) => JSON.parse(body).job.job_id === job_id);
  for (const call of calls)
    new Webhook(secret).verify(
      call.body,
      Object.fromEntries(Object.entries(call.headers).map(([name, value]) => [name, String(value)])),
    );
  const explanation = expect.objectContaining({ cause: 'IndexError: list index out of range' });
  expect(calls.map(({ body }) => JSON.parse(body))).toEqual([
    { event_type: 'jobs.on_start', workspace_id: 1, run: { run_id }, job: { job_id, name: 'nightly load' } },
    {
      event_type: 'jobs.on_failure',
      explanation,
      workspace_id: 1,
      run: { run_id: run.tasks[0].run_id, parent_run_id: run_id },
      task: { task_key: 'load' },
      job: { job_id, name: 'nightly load' },
    },
    {
      event_type: 'jobs.on_failure',
      explanation,
      workspace_id: 1,
      run: { run_id },
      job: { job_id, name: 'nightly load' },
    },
  ]);
  const {
    deliveries: [mail],
  } = await runyard
    .callOk('GET', '2.0/notifications/deliveries', { run_id, limit: 2 })
    .then(({ deliveries }) => ({
      deliveries: deliveries.filter((one: ResponseBody) => one.channel === 'email'),
    }));
  const raw = readFileSync(join(runyard.dataDirectory, 'mail', `${mail.id}.eml`), 'utf8');
  expect(raw).toMatch(/^Subject: \[Runyard\] Run of nightly load failed \(run \d+\)\r$/m);
  expect(raw).toContain('IndexError: list index out of range');
  expect(raw).toContain('reading part 7');
  const samples = process.env['RUNYARD_MAIL_SAMPLES'];
  if (samples === undefined) return;
  mkdirSync(samples, { recursive: true });
  writeFileSync(join(samples, 'real.eml'), raw);
});

test('spec 4.1.1, 6: deletion of a job notifies every address, also about the runs that it ends', async () => {
  const { job_id } = await runyard.callOk('POST', '2.0/jobs/create', {
    name: 'gone',
    ...python('slow'),
    email_notifications: { on_start: ['a@example.org'], on_failure: ['b@example.org'] },
  });
  const { run_id } = await runyard.callOk('POST', '2.0/jobs/run-now', { job_id });
  await runyard.waitForRun(run_id, (run) => run.state.life_cycle_state === 'RUNNING');
  await runyard.callOk('POST', '2.0/jobs/delete', { job_id });
  expect((await waitForDeliveries({ job_id }, 4)).toSorted()).toEqual([
    'jobs.deleted email',
    'jobs.deleted email',
    'jobs.on_failure email',
    'jobs.on_start email',
  ]);
});

test('spec 2.9: a run and a task over their duration rules send one warning each while they run', async () => {
  const { id } = await makeDestination();
  const health = { rules: [{ metric: 'RUN_DURATION_SECONDS', op: 'GREATER_THAN', value: 0 }] };
  const { run_id } = await runyard.callOk('POST', '2.1/jobs/runs/submit', {
    run_name: 'slow',
    health,
    webhook_notifications: { on_duration_warning_threshold_exceeded: [{ id }] },
    tasks: [
      {
        task_key: 'a',
        ...python('slow'),
        health,
        webhook_notifications: { on_duration_warning_threshold_exceeded: [{ id }] },
      },
      {
        task_key: 'b',
        ...python('slow'),
        webhook_notifications: { on_duration_warning_threshold_exceeded: [{ id }] },
      },
    ],
  });
  const sent = await waitForDeliveries({ run_id }, 2);
  expect(sent.toSorted()).toEqual([
    'jobs.on_duration_warning_threshold_exceeded webhook',
    'jobs.on_duration_warning_threshold_exceeded webhook a',
  ]);
  await runyard.callOk('POST', '2.1/jobs/runs/cancel', { run_id });
  await runyard.waitForRunEnd(run_id);
  expect(await waitForDeliveries({ run_id }, 2)).toHaveLength(2);
});

describe('notification routing through HTTP', () => {
  /** [end of the run, settings, events sent by mail, events sent by webhook] */
  const rows: readonly (readonly [
    end: 'success' | 'failure' | 'cancel' | 'timeout' | 'skip',
    settings: object,
    mail: string[],
    webhook: string[],
  ])[] = [
    ['success', {}, ['on_start', 'on_success'], ['on_start', 'on_success']],
    ['failure', {}, ['on_start', 'on_failure'], ['on_start', 'on_failure']],
    ['timeout', {}, ['on_start', 'on_failure'], ['on_start', 'on_failure']],
    ['cancel', {}, ['on_start', 'on_failure'], ['on_start', 'on_failure']],
    ['cancel', { notification_settings: { no_alert_for_canceled_runs: true } }, ['on_start'], ['on_start']],
    ['skip', {}, ['on_failure'], ['on_failure']],
    ['skip', { notification_settings: { no_alert_for_skipped_runs: true } }, [], []],
    ['skip', { mailMuted: true }, [], ['on_failure']],
    [
      'failure',
      {
        notification_settings: {
          alert_on_last_attempt: true,
          no_alert_for_skipped_runs: true,
          no_alert_for_canceled_runs: true,
        },
      },
      ['on_start', 'on_failure'],
      ['on_start', 'on_failure'],
    ],
  ];
  test.each(rows)(
    '%s with %j: mails %j, webhooks %j',
    async (end, { mailMuted, ...settings }: ResponseBody, mail, webhook) => {
      const { id } = await makeDestination();
      const lists = everyList(id);
      const { job_id } = await runyard.callOk('POST', '2.0/jobs/create', {
        name: end,
        ...lists,
        ...settings,
        ...python({ success: 'ok', failure: 'bad', cancel: 'slow', timeout: 'slow', skip: 'ok' }[end]),
        ...(mailMuted === true && {
          email_notifications: { ...lists.email_notifications, no_alert_for_skipped_runs: true },
        }),
        ...(end === 'timeout' && { timeout_seconds: 1 }),
        ...(end === 'skip' && { max_concurrent_runs: 0 }),
      });
      const { run_id } = await runyard.callOk('POST', '2.0/jobs/run-now', { job_id });
      if (end === 'cancel') {
        await runyard.waitForRun(run_id, (run) => run.state.life_cycle_state === 'RUNNING');
        await runyard.callOk('POST', '2.0/jobs/runs/cancel', { run_id });
      }
      await runyard.waitForRunEnd(run_id);
      const sent = await waitForDeliveries({ run_id }, mail.length + webhook.length);
      expect(sent.toSorted()).toEqual(
        [
          ...mail.map((event) => `jobs.${event} email`),
          ...webhook.map((event) => `jobs.${event} webhook`),
        ].toSorted(),
      );
    },
  );
});

describe('retries through HTTP', () => {
  const lists = { on_start: ['a@example.org'], on_failure: ['a@example.org'], on_success: ['a@example.org'] };
  const sentFor = async (job_id: number, count: number) =>
    (await waitForDeliveries({ job_id }, count)).map((line) => line.replace(/^jobs\.| email/g, ''));
  const each = ['on_start', 'on_failure', 'on_start', 'on_failure', 'on_start', 'on_failure'];

  test.each([
    [false, each],
    [true, ['on_start', 'on_failure']],
  ])('of a single-task job, alert_on_last_attempt %s: %j', async (alert_on_last_attempt, expected) => {
    const { job_id } = await runyard.callOk('POST', '2.0/jobs/create', {
      name: 'again',
      ...python('bad'),
      max_retries: 2,
      email_notifications: lists,
      notification_settings: { alert_on_last_attempt },
    });
    await runyard.callOk('POST', '2.0/jobs/run-now', { job_id });
    await waitForRuns(job_id, 3);
    expect(await sentFor(job_id, expected.length)).toEqual(expected);
  });

  test.each([
    [false, ['on_start', ...each.map((event) => `${event} load`), 'on_failure']],
    [true, ['on_start', 'on_start load', 'on_failure load', 'on_failure']],
  ])('of a task, alert_on_last_attempt of the task %s: %j', async (alert_on_last_attempt, expected) => {
    const { job_id } = await runyard.callOk('POST', '2.1/jobs/create', {
      name: 'task again',
      email_notifications: lists,
      tasks: [
        {
          task_key: 'load',
          ...python('bad'),
          max_retries: 2,
          email_notifications: lists,
          notification_settings: { alert_on_last_attempt },
        },
      ],
    });
    const { run_id } = await runyard.callOk('POST', '2.1/jobs/run-now', { job_id });
    await runyard.waitForRunEnd(run_id);
    expect((await sentFor(job_id, expected.length)).toSorted()).toEqual(expected.toSorted());
  });

  /** Waits until a job has `count` runs that have all ended. */
  async function waitForRuns(job_id: number, count: number): Promise<void> {
    await eventually(() => runyard.callOk('GET', '2.0/jobs/runs/list', { job_id }), {
      until: ({ runs = [] }) => runs.length === count && runs.every((run: ResponseBody) => run.end_time > 0),
    });
  }
});

test('without a mail server, mails are files that only the service can read', () => {
  const files = readdirSync(join(runyard.dataDirectory, 'mail'));
  expect(files.length).toBeGreaterThan(0);
  expect(files.every((name) => name.endsWith('.eml'))).toBe(true);
});
