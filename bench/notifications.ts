/**
 * Measures 10,000 notifications to a slow destination: memory of the engine, and delay of another
 * destination.
 */
import { once } from 'node:events';
import { createServer } from 'node:http';
import { join } from 'node:path';
import { pino } from 'pino';
import { systemClock } from '../engine/clock.ts';
import { generateSigningSecret } from '../engine/notification/signature.ts';
import { migrate } from '../storage/migrations/migrate.ts';
import { openDatabase } from '../storage/postgres/database.ts';
import { createDestinationStore } from '../storage/postgres/deliveries/destinations.ts';
import { startEmbeddedPostgres } from '../storage/embedded/embedded-postgres.ts';
import { insertOutboxEvents } from '../storage/postgres/outbox/outbox.ts';
import { createTemporaryDirectory, startEngineUnderTest, type EngineUnderTest } from './engine-under-test.ts';
import { summarizeMs } from './summarize.ts';

const notificationCount = 10_000;
const slowResponseMs = Number(process.argv[2] ?? 100);
const probeCount = 20;

/** Resolvers of awaited calls to the fast destination, and the number of responses of the slow one. */
const pendingArrivals: (() => void)[] = [];
let answered = 0;
const receiver = createServer((request, response) => {
  request.resume().on('end', () => {
    if (request.url === '/fast') {
      response.end();
      pendingArrivals.shift()?.();
    } else {
      setTimeout(() => {
        answered += 1;
        response.end();
      }, slowResponseMs);
    }
  });
}).listen(0, '127.0.0.1');
await once(receiver, 'listening');
const address = receiver.address();
const base = `http://127.0.0.1:${typeof address === 'object' && address !== null ? address.port : 0}`;

/** Stores both destinations and the outbox events. */
async function seedDatabase(directory: string): Promise<{ fast: string; slow: string }> {
  const log = pino({ level: 'silent' });
  const server = await startEmbeddedPostgres({
    directory: join(directory, 'postgres'),
    log,
    clock: systemClock,
    volatile: true,
  });
  const { db, close } = openDatabase(server.connection, log);
  await migrate(db, log);
  const store = createDestinationStore(db);
  const createDestination = (name: string) =>
    store.create(
      {
        displayName: name,
        target: { kind: 'WEBHOOK', url: `${base}/${name}` },
        secrets: { current: generateSigningSecret() },
        now: systemClock.now(),
      },
      10,
    );
  const [fast, slow] = [await createDestination('fast'), await createDestination('slow')];
  await insertOutboxEvents(
    db,
    Array.from({ length: notificationCount }, (_, index) => ({
      event: 'on_failure' as const,
      channel: 'webhook' as const,
      recipient: slow,
      jobId: 1,
      runId: index + 1_000_000,
      taskKey: undefined,
      createdTime: systemClock.now(),
    })),
  );
  await close();
  await server.stop();
  return { fast, slow };
}

/** High resolution, in milliseconds. */
const nowMs = (): number => Number(process.hrtime.bigint()) / 1e6;

/** Measures the time from the request of a test notification to its arrival. */
async function measureProbe(engine: EngineUnderTest, destination: string): Promise<number> {
  const arrival = new Promise<void>((resolve) => {
    pendingArrivals.push(resolve);
  });
  const before = nowMs();
  await engine.call('POST', `2.0/notification-destinations/${destination}/test`, {});
  await arrival;
  return nowMs() - before;
}

async function measureRepeatedly(count: number, work: () => Promise<number>): Promise<number[]> {
  const all: number[] = [];
  while (all.length < count) all.push(await work());
  return all;
}

const directory = await createTemporaryDirectory();
const { fast } = await seedDatabase(directory.path);
const engine = await startEngineUnderTest(directory.path, '/usr/bin:/bin', {
  RUNYARD_WEBHOOK_ALLOW_PRIVATE: 'true',
});
const [began, queries] = [nowMs(), await engine.readMetric('runyard_database_queries_total')];
const memory: number[] = [];
const waits: number[] = [];
const hasAnswered = (part: number): boolean => answered >= notificationCount * part;
for (let step = 1; step <= 10; step += 1) {
  while (!hasAnswered(step / 10))
    await new Promise((resolve) => {
      setTimeout(resolve, 100);
    });
  memory.push((await engine.readMetric('process_resident_memory_bytes')) / 2 ** 20);
  if (step < 10) waits.push(...(await measureRepeatedly(probeCount / 4, () => measureProbe(engine, fast))));
}
const seconds = (nowMs() - began) / 1_000;
const queriesPerNotification =
  ((await engine.readMetric('runyard_database_queries_total')) - queries) / notificationCount;
const alone = await measureRepeatedly(probeCount, () => measureProbe(engine, fast));
process.stdout.write(
  [
    `${notificationCount} notifications to a destination with a response time of ${slowResponseMs} ms: ${seconds.toFixed(0)} s, ${(notificationCount / seconds).toFixed(0)} a second, ${queriesPerNotification.toFixed(1)} queries each`,
    `memory of the engine at each tenth (MB):  ${memory.map((mb) => mb.toFixed(0)).join(' ')}`,
    `another destination, in parallel:          ${summarizeMs(waits)}`,
    `another destination, alone:               ${summarizeMs(alone)}`,
    '',
  ].join('\n'),
);
await engine.stop();
receiver.closeAllConnections();
receiver.close();
await directory.remove();
