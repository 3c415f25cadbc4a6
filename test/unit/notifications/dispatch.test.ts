/** Outbox dispatch to webhooks: order, independent queues, several engines, and the LISTEN connection. */
import { setTimeout as delay } from 'node:timers/promises';
import { sql } from 'kysely';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { eventually } from '../../harness/eventually.ts';
import { startHttpReceiver, type HttpReceiver, type ReceivedCall } from '../../harness/webhook-receiver.ts';
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

test('deliveries of a run keep their order when the first one is retried; another run is not delayed', async () => {
  receiver.queueResponses('/hook', 500, 500, 'cut');
  const { id } = await harness.createDestination(target('/hook'));
  const events = ['on_start', 'on_duration_warning_threshold_exceeded', 'on_failure'] as const;
  await harness.enqueueNotifications(
    ...events.map((event) => ({ channel: 'webhook' as const, recipient: id, event, runId: 7 })),
  );
  await harness.startEngine();
  await harness.startEngine();
  await harness.waitForDeliveries((all) => all.every(({ state }) => state === 'delivered'));
  const eventTypes = receiver.calls.map(({ body }) => JSON.parse(body).event_type);
  expect(eventTypes).toEqual([
    'jobs.on_start',
    'jobs.on_start',
    'jobs.on_start',
    'jobs.on_start',
    'jobs.on_duration_warning_threshold_exceeded',
    'jobs.on_failure',
  ]);
});

test('a destination that never answers delays no other destination', async () => {
  receiver.setDefaultResponse('/dead', 'stall');
  const [dead, alive] = [
    await harness.createDestination(target('/dead')),
    await harness.createDestination(target('/alive')),
  ];
  await harness.startEngine({ timeoutMs: 60_000 });
  await harness.enqueueNotifications(
    ...Array.from({ length: 50 }, (_, run) => ({
      channel: 'webhook' as const,
      recipient: dead.id,
      runId: run,
    })),
  );
  await receiver.waitForCalls((calls) => calls.filter(({ path }) => path === '/dead').length === 8);
  await harness.enqueueNotifications(
    ...Array.from({ length: 50 }, (_, run) => ({
      channel: 'webhook' as const,
      recipient: alive.id,
      runId: run,
    })),
  );
  await receiver.waitForCalls((calls) => calls.filter(({ path }) => path === '/alive').length === 50);
  expect(receiver.calls.filter(({ path }) => path === '/dead')).toHaveLength(8);
});

test('several engines share the deliveries and send none twice', async () => {
  const { id } = await harness.createDestination(target('/hook'));
  // With a short timeout, a slow receiver on a busy machine gets the message a second time.
  const longTimeout = { timeoutMs: 60_000 };
  await Promise.all([
    harness.startEngine(longTimeout),
    harness.startEngine(longTimeout),
    harness.startEngine(longTimeout),
  ]);
  for (let batch = 0; batch < 10; batch += 1) {
    await harness.enqueueNotifications(
      ...Array.from({ length: 30 }, (_, run) => ({
        channel: 'webhook' as const,
        recipient: id,
        runId: batch * 100 + run,
      })),
    );
  }
  await harness.waitForDeliveries(
    (all) => all.length === 300 && all.every(({ state }) => state === 'delivered'),
  );
  expect(new Set(idsOf(receiver.calls)).size).toBe(300);
  expect(receiver.calls).toHaveLength(300);
});

test('another engine sends the claimed deliveries of a dead engine under the same id', async () => {
  receiver.setDefaultResponse('/hook', 'stall');
  const { id } = await harness.createDestination(target('/hook'));
  const first = await harness.startEngine({ timeoutMs: 60_000 });
  await harness.enqueueNotifications({ channel: 'webhook', recipient: id, runId: 1 });
  await receiver.waitForCalls((calls) => calls.length === 1);
  // The lease ends without the engine noticing.
  await harness.database.db
    .updateTable('nodes')
    .set({ lease_until: 0 })
    .where('node_id', '=', first.nodeId)
    .execute();
  receiver.setDefaultResponse('/hook', 200);
  await harness.startEngine();
  await receiver.waitForCalls((calls) => calls.length === 2);
  expect(new Set(idsOf(receiver.calls)).size).toBe(1);
  await harness.waitForDeliveries(([one]) => one?.state === 'delivered');
});

test('the listener reconnects after its connection broke and misses no outbox event', async () => {
  const { id } = await harness.createDestination(target('/hook'));
  await harness.startEngine();
  await harness.enqueueNotifications({ channel: 'webhook', recipient: id });
  await receiver.waitForCalls((calls) => calls.length === 1);
  const { rows } = await sql<{
    ended: boolean;
  }>`select pg_terminate_backend(pid) as ended from pg_stat_activity
    where application_name = 'runyard the outbox' and datname = current_database()`.execute(
    harness.database.db,
  );
  expect(rows).toEqual([{ ended: true }]);
  await harness.enqueueNotifications({ channel: 'webhook', recipient: id });
  await receiver.waitForCalls((calls) => calls.length === 2);
  await harness.enqueueNotifications({ channel: 'webhook', recipient: id });
  await receiver.waitForCalls((calls) => calls.length === 3);
});

test('an idle dispatcher sends no query', async () => {
  await harness.startEngine();
  await harness.waitForDeliveries(() => true);
  // The start may still be under way: the first second without a query ends the wait.
  const queries = await eventually(countQueriesOfOneSecond, { until: (count) => count === 0 });
  expect(queries).toBe(0);
});

async function countQueriesOfOneSecond(): Promise<number> {
  const before = harness.database.queryCount();
  await delay(1_000);
  return harness.database.queryCount() - before;
}
