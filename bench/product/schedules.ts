/** 12,000 schedules that are due in the same second: how late their runs start. */
import { sql } from 'kysely';
import { systemClock } from '../../engine/clock.ts';
import {
  createTemporaryDirectory,
  startEngineUnderTest,
  type EngineUnderTest,
} from '../engine-under-test.ts';
import type { Benchmark } from './benchmark.ts';
import { connectBesideEngine, withStoppedEngine } from './database.ts';
import { pause } from './http-client.ts';

const schedules = 12_000;
/** Time of the engine to become ready before the schedules are due. */
const headStartMs = 12_000;

const settings = {
  name: 'daily',
  format: 'SINGLE_TASK',
  existing_cluster_id: 'bench',
  notebook_task: { notebook_path: '/nothing' },
  schedule: { quartz_cron_expression: '0 0 3 * * ?', timezone_id: 'UTC' },
};

function storeJobs(dataDirectory: string): Promise<void> {
  return withStoppedEngine(dataDirectory, async (db) => {
    await sql`
      insert into jobs (creator, created_time, name, api_version, format, settings, hidden)
      select 'admin', 1, 'daily', '2.0', 'SINGLE_TASK', ${JSON.stringify(settings)}::jsonb, false
      from generate_series(1, ${schedules})`.execute(db);
    await sql`insert into schedules (job_id) select job_id from jobs`.execute(db);
  });
}

async function setDueTime(dataDirectory: string, due: number): Promise<void> {
  await withStoppedEngine(dataDirectory, async (db) => {
    await sql`update schedules set next_fire_at = ${due}, last_fire_at = null`.execute(db);
    await sql`delete from runs`.execute(db);
    await sql`vacuum analyze`.execute(db);
  });
}

/** Waits until every schedule has its run; returns the start times, earliest first. */
async function waitForRuns(dataDirectory: string): Promise<number[]> {
  const { db, close } = await connectBesideEngine(dataDirectory);
  try {
    for (;;) {
      await pause(200);
      const { rows } = await sql<{ start_time: number }>`
        select start_time from runs order by start_time`.execute(db);
      if (rows.length >= schedules) return rows.map((row) => row.start_time);
    }
  } finally {
    await close();
  }
}

export const dueSchedules: Benchmark = {
  name: 'schedules',
  summary: `${schedules.toLocaleString('en')} schedules due in the same second`,
  async run(context) {
    const directory = await createTemporaryDirectory();
    await storeJobs(directory.path);
    for (let round = 0; round < context.rounds; round += 1) {
      const due = systemClock.now() + headStartMs;
      await setDueTime(directory.path, due);
      // All runs but one are stored as SKIPPED: the tasks themselves are no part of the measure.
      const engine: EngineUnderTest = await startEngineUnderTest(directory.path, context.path, {
        RUNYARD_LIMITS: JSON.stringify({ concurrentTaskRuns: 1 }),
      });
      const before = await engine.cpuSeconds();
      if (systemClock.now() > due)
        context.note('the engine was not ready in time; the lag includes its start');
      const times = await waitForRuns(directory.path);
      const lag = times.map((time) => time - due);
      context.record('start lag', 'ms', ...lag);
      const after = await engine.cpuSeconds();
      const used = after.engine + after.postgres - before.engine - before.postgres;
      context.record('processor time per schedule', 'ms', (used * 1_000) / schedules);
      await engine.stop();
    }
    await directory.remove();
    context.aimAt('start lag', 700);
  },
};
