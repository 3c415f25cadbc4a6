/** Webhooks to a real receiver that fails, stalls and redirects: signatures, retries and redirects. */
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { Webhook } from 'standardwebhooks';
import {
  startHttpReceiver,
  type ResponseBehavior,
  type HttpReceiver,
  type ReceivedCall,
} from '../../harness/webhook-receiver.ts';
import { startNotificationHarness, type NotificationHarness } from './notification-harness.ts';

let harness: NotificationHarness;
let receiver: HttpReceiver;
beforeEach(async () => {
  [harness, receiver] = await Promise.all([startNotificationHarness(), startHttpReceiver()]);
});
afterEach(async () => {
  await harness.close();
  await receiver.close();
});

const target = (path: string) => ({ kind: 'WEBHOOK' as const, url: `${receiver.url}${path}` });
const idsOf = (calls: readonly ReceivedCall[]): string[] =>
  calls.map((call) => String(call.headers['webhook-id']));
const headersOf = (call: ReceivedCall | undefined): Record<string, string> =>
  Object.fromEntries(
    Object.entries(call?.headers ?? {}).map(([name, value]): [string, string] => [name, String(value)]),
  );

test('a webhook request is signed as in Standard Webhooks, carries basic auth, and describes the event', async () => {
  const { id, secret } = await harness.createDestination({
    ...target('/hook'),
    username: 'me',
    password: 'p:w',
  });
  await harness.startEngine();
  await harness.enqueueNotifications({
    channel: 'webhook',
    recipient: id,
    event: 'on_failure',
    runId: 907,
    jobId: 41,
  });
  const [delivery] = await harness.waitForDeliveries(([one]) => one?.state === 'delivered');
  const [call] = receiver.calls;
  expect(new Webhook(secret).verify(call?.body ?? '', headersOf(call))).toEqual({
    event_type: 'jobs.on_failure',
    workspace_id: 17,
    run: { run_id: 907 },
    job: { job_id: 41, name: '' },
  });
  expect(call?.headers).toMatchObject({
    'webhook-id': delivery?.deliveryId,
    authorization: `Basic ${btoa('me:p:w')}`,
    'content-type': 'application/json',
    'user-agent': 'runyard',
  });
  expect(() => new Webhook(secret).verify(`${call?.body} `, headersOf(call))).toThrow();
  expect(delivery?.attempts).toEqual([
    {
      time: expect.any(Number),
      durationMs: expect.any(Number),
      status: 200,
      response: 'ok',
      error: undefined,
    },
  ]);
});

test('after a rotation both secrets sign for 24 hours, then only the new one', async () => {
  const { id, secret } = await harness.createDestination(target('/hook'));
  const fresh = 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw';
  const rotate = (until: number) =>
    harness.destinations.update(id, (before) => ({
      ...before,
      secrets: { current: fresh, previous: { secret, until } },
    }));
  await rotate(Date.now() + 1_000_000);
  await harness.startEngine();
  await harness.enqueueNotifications({ channel: 'webhook', recipient: id });
  await receiver.waitForCalls((calls) => calls.length === 1);
  for (const key of [secret, fresh])
    new Webhook(key).verify(receiver.calls[0]?.body ?? '', headersOf(receiver.calls[0]));
  await rotate(Date.now() - 1);
  await harness.enqueueNotifications({ channel: 'webhook', recipient: id });
  await receiver.waitForCalls((calls) => calls.length === 2);
  new Webhook(fresh).verify(receiver.calls[1]?.body ?? '', headersOf(receiver.calls[1]));
  expect(() =>
    new Webhook(secret).verify(receiver.calls[1]?.body ?? '', headersOf(receiver.calls[1])),
  ).toThrow();
});

describe('retries of webhooks', () => {
  test.each<[string, ResponseBehavior, number | undefined, RegExp]>([
    ['429', 429, 429, /answered 429/],
    ['500', 500, 500, /answered 500/],
    [
      '503 with a date',
      { status: 503, headers: { 'retry-after': 'Thu, 01 Jan 1970 00:00:00 GMT' } },
      503,
      /answered 503/,
    ],
    ['a cut connection', 'cut', undefined, /hang up|ECONNRESET|closed/i],
    ['no answer in time', 'stall', undefined, /did not answer within 0\.3 s/],
  ])(
    '%s is retried with the same id and body until it is delivered',
    async (_name, behavior, status, error) => {
      receiver.queueResponses('/hook', behavior, behavior);
      const { id } = await harness.createDestination(target('/hook'));
      await harness.startEngine();
      await harness.enqueueNotifications({ channel: 'webhook', recipient: id });
      const [delivery] = await harness.waitForDeliveries(([one]) => one?.state === 'delivered');
      expect(delivery?.attempts.map((attempt) => attempt.status)).toEqual([status, status, 200]);
      expect(delivery?.attempts[0]?.error).toMatch(error);
      expect(new Set(idsOf(receiver.calls))).toEqual(new Set([delivery?.deliveryId]));
      expect(new Set(receiver.calls.map(({ body }) => body)).size).toBe(1);
    },
  );

  test.each<[string, ResponseBehavior, number]>([
    ['400', 400, 400],
    ['408', 408, 408],
    ['404', 404, 404],
    ['410', 410, 410],
    ['304', 304, 304],
  ])('%s is final', async (_name, behavior, status) => {
    receiver.queueResponses('/hook', behavior);
    const { id } = await harness.createDestination(target('/hook'));
    await harness.startEngine();
    await harness.enqueueNotifications({ channel: 'webhook', recipient: id });
    const [delivery] = await harness.waitForDeliveries(([one]) => one?.state === 'failed');
    expect(delivery?.attempts).toMatchObject([{ status, error: expect.stringContaining(String(status)) }]);
    expect(delivery?.nextAttemptTime).toBeUndefined();
  });

  test('a response of 200 whose body is cut off counts as delivered', async () => {
    receiver.queueResponses('/hook', 'half');
    const { id } = await harness.createDestination(target('/hook'));
    await harness.startEngine();
    await harness.enqueueNotifications({ channel: 'webhook', recipient: id });
    await harness.waitForDeliveries(([one]) => one?.state === 'delivered');
    expect(receiver.calls).toHaveLength(1);
  });

  test('a refused connection is retried and delivered when the receiver listens', async () => {
    await receiver.close();
    const { id } = await harness.createDestination(target('/hook'));
    await harness.startEngine();
    await harness.enqueueNotifications({ channel: 'webhook', recipient: id });
    await harness.waitForDeliveries(([one]) => (one?.attempts.length ?? 0) >= 2);
    receiver = await startHttpReceiver(Number(new URL(receiver.url).port));
    const [delivery] = await harness.waitForDeliveries(([one]) => one?.state === 'delivered');
    expect(delivery?.attempts[0]?.error).toMatch(/ECONNREFUSED/);
  });

  test('Retry-After delays the next attempt', async () => {
    receiver.queueResponses('/hook', { status: 429, headers: { 'retry-after': '3600' }, body: 'slow down' });
    const { id } = await harness.createDestination(target('/hook'));
    await harness.startEngine();
    await harness.enqueueNotifications({ channel: 'webhook', recipient: id });
    const [delivery] = await harness.waitForDeliveries(([one]) => one?.attempts.length === 1);
    expect(delivery).toMatchObject({ state: 'pending', attempts: [{ status: 429, response: 'slow down' }] });
    expect((delivery?.nextAttemptTime ?? 0) - (delivery?.attempts[0]?.time ?? 0)).toBeGreaterThanOrEqual(
      3_600_000,
    );
  });
});

describe('redirects of webhooks', () => {
  test('are followed on the same host with method and body', async () => {
    receiver.queueResponses('/old', { status: 307, headers: { location: '/new' } });
    const { id, secret } = await harness.createDestination(target('/old'));
    await harness.startEngine();
    await harness.enqueueNotifications({ channel: 'webhook', recipient: id });
    await harness.waitForDeliveries(([one]) => one?.state === 'delivered');
    expect(receiver.calls.map(({ path }) => path)).toEqual(['/old', '/new']);
    new Webhook(secret).verify(receiver.calls[1]?.body ?? '', headersOf(receiver.calls[1]));
  });

  test('are not followed to another host', async () => {
    const other = await startHttpReceiver();
    receiver.queueResponses('/hook', { status: 307, headers: { location: `${other.url}/hook` } });
    const { id } = await harness.createDestination(target('/hook'));
    await harness.startEngine();
    await harness.enqueueNotifications({ channel: 'webhook', recipient: id });
    const [delivery] = await harness.waitForDeliveries(([one]) => one?.state === 'failed');
    expect(delivery?.attempts).toMatchObject([
      { status: 307, error: expect.stringContaining('only redirects on the same host') },
    ]);
    expect(other.calls).toEqual([]);
    await other.close();
  });
});

test('a redelivery sends the same body under the same id after the job was renamed', async () => {
  const { db } = harness.database;
  const { job_id: jobId } = await db
    .insertInto('jobs')
    .values({
      creator: 'a',
      created_time: 1,
      name: 'nightly',
      api_version: '2.1',
      format: 'MULTI_TASK',
      settings: '{}',
      hidden: false,
      deleted_time: null,
    })
    .returning('job_id')
    .executeTakeFirstOrThrow();
  const { id } = await harness.createDestination(target('/hook'));
  await harness.startEngine();
  await harness.enqueueNotifications({ channel: 'webhook', recipient: id, jobId });
  const [delivery] = await harness.waitForDeliveries(([one]) => one?.state === 'delivered');
  await db.updateTable('jobs').set({ name: 'renamed' }).where('job_id', '=', jobId).execute();
  await harness.log.redeliver(delivery?.deliveryId ?? '', Date.now());
  await harness.waitForDeliveries(([one]) => one?.attempts.length === 2 && one.state === 'delivered');
  const [one, other] = receiver.calls;
  expect(other?.body).toBe(one?.body);
  expect(JSON.parse(one?.body ?? '')).toMatchObject({ job: { job_id: jobId, name: 'nightly' } });
  expect(idsOf(receiver.calls)).toEqual([delivery?.deliveryId, delivery?.deliveryId]);
});

test('a delivery to a deleted destination fails with the reason in the log', async () => {
  const { id } = await harness.createDestination(target('/hook'));
  await harness.destinations.remove(id);
  await harness.startEngine();
  await harness.enqueueNotifications({ channel: 'webhook', recipient: id });
  const [delivery] = await harness.waitForDeliveries(([one]) => one?.state === 'failed');
  expect(delivery?.attempts[0]?.error).toBe(`Destination ${id} does not exist any more.`);
});
