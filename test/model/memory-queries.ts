/** Queries and inserts that several in-memory stores share. */
import type { JobSettings } from '../../engine/job/settings.ts';
import type { JobRunCounts, LaunchedRun } from '../../engine/ports/runs.ts';
import type { RunRow } from '../../storage/postgres/runs/run-rows.ts';
import type { Tables } from './memory-database.ts';

export function insertJob(tables: Tables, settings: JobSettings, now: number, hidden: boolean): number {
  const jobId = tables.jobs.size + 1;
  tables.jobs.set(jobId, {
    job: { jobId, creatorUserName: 'ann', createdTime: now, version: '2.1', settings },
    hidden,
    runsStarted: 0,
  });
  return jobId;
}

export function requireRow<Value>(value: Value | undefined): Value {
  if (value === undefined) throw new Error('The row does not exist.');
  return value;
}

export const isQueued = (run: RunRow): boolean => run.queue_code !== null;

export function countRuns({ runs }: Tables, jobId: number): JobRunCounts {
  const active = [...runs.values()].filter((run) => run.job_id === jobId && run.active);
  const queued = active.filter(isQueued).length;
  return { active: active.length - queued, queued };
}

export function findRunLaunchedBy({ runs }: Tables, taskRunId: number): LaunchedRun | undefined {
  const run = [...runs.values()].find((row) => row.launched_by === taskRunId);
  return run && { runId: run.run_id, numberInJob: run.number_in_job };
}
