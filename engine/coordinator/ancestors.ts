/** Which runs led to a run: each was started by a task of the one before. */
import type { Run } from '../run/run.ts';
import type { CoordinatorContext } from './coordinator-context.ts';

/**
 * Ids of the jobs whose runs led to this one by run_job_tasks and notebooks, its own first; no more than
 * `most` of them above it.
 */
export async function findAncestorJobs(c: CoordinatorContext, run: Run, most: number): Promise<number[]> {
  const jobs = [run.jobId];
  for (let launchedBy = await findLauncher(c, run); launchedBy !== undefined && jobs.length <= most;) {
    const parent = (await c.runs.find(launchedBy, 'retry'))?.run;
    if (parent !== undefined) jobs.push(parent.jobId);
    launchedBy = parent && (await findLauncher(c, parent));
  }
  return jobs;
}

/** The task run that started a run; of a retry, that which started its first attempt. */
async function findLauncher(
  c: CoordinatorContext,
  { attempt, originalAttemptRunId, launchedBy, parentTaskRun }: Run,
): Promise<number | undefined> {
  if (attempt === 0) return launchedBy ?? parentTaskRun;
  const first = (await c.runs.find(originalAttemptRunId, 'retry'))?.run;
  return first?.launchedBy ?? first?.parentTaskRun;
}
