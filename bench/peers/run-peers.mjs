/**
 * Measures graphile-worker, pg-boss and DBOS with the same no-op work as `npm run bench no-op-runs`: jobs sent one by one
 * by 16 senders, and in bulk. Each runs on the embedded PostgreSQL with fsync on. The first round warms up.
 * usage: npm ci --prefix bench/peers && node bench/peers/run-peers.mjs [jobs] [rounds] [--json]
 */
import { chmod, mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DBOS } from '@dbos-inc/dbos-sdk';
import { Logger, makeWorkerUtils, run } from 'graphile-worker';
import { Pool } from 'pg';
import { PgBoss } from 'pg-boss';
import { pino } from 'pino';
import { systemClock } from '../../engine/clock.ts';
import { startEmbeddedPostgres } from '../../storage/embedded/embedded-postgres.ts';

const [jobsText = '2000', roundsText = '3'] = process.argv.slice(2).filter((word) => !word.startsWith('--'));
const jobs = Number(jobsText);
const senders = 16;
const rounds = Number(roundsText);
const asJson = process.argv.includes('--json');

/** Measures of the rounds after the first one. */
const results = [];

/** Returns the processor time of this process and of the PostgreSQL below it, in ms. */
async function readCpuMs() {
  let ticks = 0;
  for (const pid of (await readdir('/proc')).filter((name) => /^\d+$/.test(name))) {
    const stat = await readFile(`/proc/${pid}/stat`, 'utf8').catch(() => '');
    if (stat.includes('(postgres)') && (await isOurs(pid)))
      ticks += stat
        .slice(stat.lastIndexOf(')') + 2)
        .split(' ')
        .slice(11, 15)
        .reduce((sum, field) => sum + Number(field), 0);
  }
  const { user, system } = process.cpuUsage();
  return ticks * 10 + (user + system) / 1_000;
}

/** Tells whether a process is a descendant of this one. */
async function isOurs(pid) {
  for (let current = pid; Number(current) > 1;) {
    if (Number(current) === process.pid) return true;
    const stat = await readFile(`/proc/${current}/stat`, 'utf8').catch(() => '');
    current = stat.slice(stat.lastIndexOf(')') + 2).split(' ')[1] ?? '0';
  }
  return false;
}

async function sendConcurrently(send) {
  let next = 0;
  const sendAll = async () => {
    while (next < jobs) {
      next += 1;
      await send();
    }
  };
  await Promise.all(Array.from({ length: senders }, sendAll));
}

/** @param round of which the first warms up and is not recorded */
async function measure(name, round, work) {
  const [before, start] = [await readCpuMs(), process.hrtime.bigint()];
  await work();
  const seconds = Number(process.hrtime.bigint() - start) / 1e9;
  const cpuMs = ((await readCpuMs()) - before) / jobs;
  if (round === 0) return;
  results.push({ name, perSecond: jobs / seconds, cpuMs });
  if (!asJson)
    process.stdout.write(
      `${name}: ${(jobs / seconds).toFixed(0)} jobs/s, ${cpuMs.toFixed(2)} ms processor time per job\n`,
    );
}

/** Counts finished jobs; `all` resolves when every job has ended. */
function createCounter() {
  let left = jobs;
  const ended = Promise.withResolvers();
  return {
    all: ended.promise,
    count(number = 1) {
      left -= number;
      if (left === 0) ended.resolve();
    },
  };
}

async function runGraphileWorker(connectionString) {
  const pgPool = new Pool({ connectionString, max: 24 });
  pgPool.on('error', () => undefined);
  const logger = new Logger(() => () => undefined);
  let counter = createCounter();
  const runner = await run({
    pgPool,
    logger,
    concurrency: 16,
    noHandleSignals: true,
    taskList: { noOp: async () => counter.count() },
  });
  const utils = await makeWorkerUtils({ pgPool, logger });
  for (let round = 0; round <= rounds; round += 1) {
    counter = createCounter();
    await measure('graphile-worker, one by one', round, async () => {
      await sendConcurrently(() => utils.addJob('noOp', {}));
      await counter.all;
    });
    counter = createCounter();
    await measure('graphile-worker, in bulk', round, async () => {
      await utils.addJobs(Array.from({ length: jobs }, () => ({ identifier: 'noOp', payload: {} })));
      await counter.all;
    });
  }
  await runner.stop();
  await pgPool.end();
}

async function runPgBoss(connectionString) {
  const boss = new PgBoss({ connectionString, max: 24 });
  boss.on('error', (error) => process.stderr.write(`${error.message}\n`));
  await boss.start();
  await boss.createQueue('noOp');
  let counter = createCounter();
  for (let worker = 0; worker < 16; worker += 1)
    await boss.work('noOp', { batchSize: 1, pollingIntervalSeconds: 0.5 }, async () => counter.count());
  for (let round = 0; round <= rounds; round += 1) {
    counter = createCounter();
    await measure('pg-boss, one by one', round, async () => {
      await sendConcurrently(() => boss.send('noOp', {}));
      await counter.all;
    });
  }
  await boss.stop({ graceful: false });
}

async function runDbos(connectionString) {
  let counter = createCounter();
  const noOp = DBOS.registerWorkflow(async () => counter.count(), { name: 'noOp' });
  DBOS.setConfig({ name: 'peers', systemDatabaseUrl: connectionString, logLevel: 'error' });
  await DBOS.launch();
  for (let round = 0; round <= rounds; round += 1) {
    counter = createCounter();
    await measure('DBOS, one by one', round, async () => {
      await sendConcurrently(() => DBOS.startWorkflow(noOp)());
      await counter.all;
    });
  }
  await DBOS.shutdown();
}

const directory = await mkdtemp(join(tmpdir(), 'runyard-peers-'));
await chmod(directory, 0o711);
const server = await startEmbeddedPostgres({
  directory: join(directory, 'postgres'),
  log: pino({ level: 'silent' }),
  clock: systemClock,
});
const { database, ...reach } = server.connection;
const connectionString = `postgresql:///${database}?${new URLSearchParams(Object.entries(reach).map(([key, value]) => [key, String(value)]))}`;
await runGraphileWorker(connectionString);
await runPgBoss(connectionString);
await runDbos(connectionString);
await server.stop();
await rm(directory, { recursive: true, force: true });
if (asJson) process.stdout.write(`${JSON.stringify(results)}\n`);
