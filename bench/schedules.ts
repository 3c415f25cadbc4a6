/** Measures schedules that are due in the same second: start lag and cost, and the cost while none is due. */
import { join } from 'node:path';
import { pino } from 'pino';
import { toIsoTime, systemClock } from '../engine/clock.ts';
import type { JobSettings } from '../engine/job/settings.ts';
import { migrate } from '../storage/migrations/migrate.ts';
import { openDatabase } from '../storage/postgres/database.ts';
import { startEmbeddedPostgres } from '../storage/embedded/embedded-postgres.ts';
import { createJobStore } from '../storage/postgres/stores.ts';
import { createTemporaryDirectory, startEngineUnderTest, type EngineUnderTest } from './engine-under-test.ts';

const scheduleCount = Number(process.argv[2] ?? 12_000);
/** Task runs that may be active; all other runs are stored as SKIPPED. */
const maximumActiveTaskRuns = process.argv[3] ?? '1';
const idleSeconds = 30;
const minute = 60_000;

const settingsFor = (expression: string): JobSettings => ({
  name: 'daily',
  format: 'SINGLE_TASK',
  existing_cluster_id: 'bench',
  notebook_task: { notebook_path: '/nothing' },
  schedule: { quartz_cron_expression: expression, timezone_id: 'Europe/Berlin' },
});

/** Stores daily jobs that are all due in the same minute. */
async function seedDatabase(dataDirectory: string): Promise<void> {
  const log = pino({ level: 'silent' });
  const server = await startEmbeddedPostgres({
    directory: join(dataDirectory, 'postgres'),
    log,
    clock: systemClock,
    volatile: true,
  });
  const { db, close } = openDatabase(server.connection, log);
  await migrate(db, log);
  const jobs = createJobStore(db);
  const quotas = { savedJobs: scheduleCount, jobsCreatedPerHour: scheduleCount + 1 };
  const due =
    Math.ceil((systemClock.now() + scheduleCount * 8 + idleSeconds * 1_000 + minute) / minute) * minute;
  const [hour, atMinute] = [toIsoTime(due + 60 * minute).slice(11, 13), toIsoTime(due).slice(14, 16)].map(
    Number,
  );
  for (let stored = 0; stored < scheduleCount; stored += 8) {
    await Promise.all(
      Array.from({ length: Math.min(8, scheduleCount - stored) }, () =>
        jobs.create(
          {
            settings: settingsFor(`0 ${atMinute} ${hour} * * ?`),
            version: '2.0',
            creator: 'admin',
            now: systemClock.now(),
            grants: [],
          },
          quotas,
        ),
      ),
    );
  }
  await close();
  await server.stop();
}

async function measureIdle(engine: EngineUnderTest): Promise<string> {
  const [cpu, queries] = [
    await engine.cpuSeconds(),
    await engine.readMetric('runyard_database_queries_total'),
  ];
  await new Promise((resolve) => {
    setTimeout(resolve, idleSeconds * 1_000);
  });
  const [cpuAfter, queriesAfter] = [
    await engine.cpuSeconds(),
    await engine.readMetric('runyard_database_queries_total'),
  ];
  const percent = (used: number): string => `${((used / idleSeconds) * 100).toFixed(2)} % of a core`;
  return (
    `idle:       engine ${percent(cpuAfter.engine - cpu.engine)}, postgresql ${percent(cpuAfter.postgres - cpu.postgres)}, ` +
    `${((queriesAfter - queries) / idleSeconds).toFixed(2)} queries a second, ${(await engine.residentMegabytes()).toFixed(0)} MB`
  );
}

/** Lists the start times of all runs, earliest first. */
async function listStartTimes(engine: EngineUnderTest): Promise<number[]> {
  const times: number[] = [];
  let token = '';
  do {
    const page = await engine.call(
      'GET',
      `2.1/jobs/runs/list?limit=999${token === '' ? '' : `&page_token=${token}`}`,
    );
    for (const run of Array.isArray(page['runs']) ? page['runs'] : []) times.push(Number(run.start_time));
    token = String(page['next_page_token'] ?? '');
  } while (token !== '');
  return times.sort((one, other) => one - other);
}

const directory = await createTemporaryDirectory();
await seedDatabase(directory.path);
const engine = await startEngineUnderTest(directory.path, '/usr/local/bin:/usr/bin:/bin', {
  RUNYARD_LIMITS: JSON.stringify({ concurrentTaskRuns: Number(maximumActiveTaskRuns) }),
});
await new Promise((resolve) => {
  setTimeout(resolve, 5_000);
});
process.stdout.write(`${scheduleCount} schedules\n${await measureIdle(engine)}\n`);
let before = await engine.cpuSeconds();
/** Returns whether this number of runs is stored. Pauses first, because the query adds load. */
const stored = async (count: number): Promise<boolean> => {
  await new Promise((resolve) => {
    setTimeout(resolve, 200);
  });
  return (
    '0' in Object((await engine.call('GET', `2.1/jobs/runs/list?limit=1&offset=${count - 1}`))['runs'] ?? [])
  );
};
while (!(await stored(1))) before = await engine.cpuSeconds();
let peak = 0;
while (!(await stored(scheduleCount))) peak = Math.max(peak, await engine.residentMegabytes());
const allStored = systemClock.now();
const after = await engine.cpuSeconds();
const times = await listStartTimes(engine);
const due = Math.floor((times[0] ?? 0) / minute) * minute;
const lag = (part: number): string => `${(times[Math.floor((times.length - 1) * part)] ?? 0) - due} ms`;
process.stdout.write(
  [
    `start lag:  p50 ${lag(0.5)}, p99 ${lag(0.99)}, max ${lag(1)} (n=${times.length})`,
    `all stored: ${allStored - due} ms after the minute began`,
    `processor:  engine ${(after.engine - before.engine).toFixed(2)} s, postgresql ${(after.postgres - before.postgres).toFixed(2)} s; engine at most ${peak.toFixed(0)} MB`,
    '',
  ].join('\n'),
);
await engine.stop();
await directory.remove();
