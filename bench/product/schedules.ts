/** 12,000 schedules that are due in the same second: how late their runs start. */
import { systemClock, toIsoTime } from '../../engine/clock.ts';
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

/** Returns the settings of a job that is due at this time of each day, epoch ms. */
const settingsDueAt = (due: number) => ({
  name: 'daily',
  format: 'SINGLE_TASK',
  existing_cluster_id: 'bench',
  notebook_task: { notebook_path: '/nothing' },
  schedule: {
    quartz_cron_expression: `${Number(toIsoTime(due).slice(17, 19))} ${Number(toIsoTime(due).slice(14, 16))} ${Number(toIsoTime(due).slice(11, 13))} * * ?`,
    timezone_id: 'UTC',
  },
});

/** Jobs that one statement stores. */
const batchSize = 1_000;

function storeJobs(dataDirectory: string): Promise<void> {
  return withStoppedEngine(dataDirectory, async (db) => {
    const job = {
      creator: 'admin',
      created_time: 1,
      name: 'daily',
      api_version: '2.0',
      format: 'SINGLE_TASK',
      settings: JSON.stringify(settingsDueAt(0)),
      hidden: false,
      deleted_time: null,
    } as const;
    for (let stored = 0; stored < schedules; stored += batchSize)
      await db
        .insertInto('jobs')
        .values(Array.from({ length: batchSize }, () => job))
        .execute();
    await db
      .insertInto('schedules')
      .columns(['job_id'])
      .expression(db.selectFrom('jobs').select('job_id'))
      .execute();
  });
}

async function setDueTime(dataDirectory: string, due: number): Promise<void> {
  await withStoppedEngine(dataDirectory, async (db) => {
    await db
      .updateTable('jobs')
      .set({ settings: JSON.stringify(settingsDueAt(due)) })
      .execute();
    await db.updateTable('schedules').set({ next_fire_at: due, last_fire_at: null }).execute();
    await db.deleteFrom('runs').execute();
  });
}

/** Waits until every schedule has its run; returns the start times, earliest first. */
async function waitForRuns(dataDirectory: string): Promise<number[]> {
  const { db, close } = await connectBesideEngine(dataDirectory);
  try {
    for (;;) {
      await pause(200);
      const rows = await db.selectFrom('runs').select('start_time').orderBy('start_time').execute();
      if (rows.length >= schedules) return rows.map((row) => row.start_time ?? 0);
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
      const due = Math.ceil((systemClock.now() + headStartMs) / 1_000) * 1_000;
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
