/**
 * 10,000 notices to a destination that takes its time: what the engine's memory does meanwhile, and how long
 * another destination waits.
 */
import { once } from 'node:events';
import { createServer } from 'node:http';
import { join } from 'node:path';
import { pino } from 'pino';
import { systemClock } from '../engine/clock.ts';
import { generateSigningSecret } from '../engine/notification/signature.ts';
import { migrate, openDatabase } from '../storage/postgres/database.ts';
import { createDestinationStore } from '../storage/postgres/deliveries/destinations.ts';
import { startEmbeddedPostgres } from '../storage/embedded/embedded-postgres.ts';
import { insertOutboxEvents } from '../storage/postgres/outbox/outbox.ts';
import { freshDirectory, startUnderTest, type EngineUnderTest } from './engine-under-test.ts';
import { spread } from './spread.ts';

const notices = 10_000;
const slowMs = Number(process.argv[2] ?? 100);
const probes = 20;

/** Time of arrival of each call to the fast destination, and how many the slow one has answered. */
const arrived: (() => void)[] = [];
let answered = 0;
const receiver = createServer((request, response) => {
  request.resume().on('end', () => {
    if (request.url === '/fast') {
      response.end();
      arrived.shift()?.();
    } else {
      setTimeout(() => {
        answered += 1;
        response.end();
      }, slowMs);
    }
  });
}).listen(0, '127.0.0.1');
await once(receiver, 'listening');
const address = receiver.address();
const base = `http://127.0.0.1:${typeof address === 'object' && address !== null ? address.port : 0}`;

/** Both destinations, and the notices in the outbox as runs would have left them. */
async function seed(directory: string): Promise<{ fast: string; slow: string }> {
  const log = pino({ level: 'silent' });
  const server = await startEmbeddedPostgres({
    directory: join(directory, 'postgres'),
    log,
    clock: systemClock,
    volatile: true,
  });
  const { db, close } = openDatabase(server.connection, log);
  await migrate(db);
  const store = createDestinationStore(db);
  const make = (name: string) =>
    store.create(
      {
        displayName: name,
        target: { kind: 'WEBHOOK', url: `${base}/${name}` },
        secrets: { current: generateSigningSecret() },
        now: systemClock.now(),
      },
      10,
    );
  const [fast, slow] = [await make('fast'), await make('slow')];
  await insertOutboxEvents(
    db,
    Array.from({ length: notices }, (_, index) => ({
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
const clock = (): number => Number(process.hrtime.bigint()) / 1e6;

/** From the call that asks for a test notice to its arrival. */
async function probe(engine: EngineUnderTest, destination: string): Promise<number> {
  const arrival = new Promise<void>((resolve) => {
    arrived.push(resolve);
  });
  const before = clock();
  await engine.call('POST', `2.0/notification-destinations/${destination}/test`, {});
  await arrival;
  return clock() - before;
}

async function times(count: number, work: () => Promise<number>): Promise<number[]> {
  const all: number[] = [];
  while (all.length < count) all.push(await work());
  return all;
}

const directory = await freshDirectory();
const { fast } = await seed(directory.path);
const engine = await startUnderTest(directory.path, '/usr/bin:/bin', {
  RUNYARD_WEBHOOK_ALLOW_PRIVATE: 'true',
});
const [began, queries] = [clock(), await engine.metric('runyard_database_queries_total')];
const memory: number[] = [];
const waits: number[] = [];
const share = (part: number): boolean => answered >= notices * part;
for (let step = 1; step <= 10; step += 1) {
  while (!share(step / 10))
    await new Promise((resolve) => {
      setTimeout(resolve, 100);
    });
  memory.push((await engine.metric('process_resident_memory_bytes')) / 2 ** 20);
  if (step < 10) waits.push(...(await times(probes / 4, () => probe(engine, fast))));
}
const seconds = (clock() - began) / 1_000;
const perNotice = ((await engine.metric('runyard_database_queries_total')) - queries) / notices;
const alone = await times(probes, () => probe(engine, fast));
process.stdout.write(
  [
    `${notices} notices to a destination that takes ${slowMs} ms: ${seconds.toFixed(0)} s, ${(notices / seconds).toFixed(0)} a second, ${perNotice.toFixed(1)} queries each`,
    `memory of the engine at each tenth (MB):  ${memory.map((mb) => mb.toFixed(0)).join(' ')}`,
    `another destination, meanwhile:           ${spread(waits)}`,
    `another destination, alone:               ${spread(alone)}`,
    '',
  ].join('\n'),
);
await engine.stop();
receiver.closeAllConnections();
receiver.close();
await directory.remove();
