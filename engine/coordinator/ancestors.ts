/** Ancestors of a run: the chain of runs of which each was started by a task of the one before. */
import type { Run } from '../run/run.ts';
import type { CoordinatorContext } from './coordinator-context.ts';

type AncestorContext = Pick<CoordinatorContext, 'runs'>;

/**
 * Returns the ids of the jobs whose runs led to this one by run_job_tasks and notebooks: its own first, then
 * at most `max` ancestors.
 */
export async function findAncestorJobs(c: AncestorContext, run: Run, max: number): Promise<number[]> {
  const jobs = [run.jobId];
  for (let launchedBy = await findLauncher(c, run); launchedBy !== undefined && jobs.length <= max;) {
    const parent = (await c.runs.find(launchedBy, { onOutage: 'retry' }))?.run;
    if (parent !== undefined) jobs.push(parent.jobId);
    launchedBy = parent && (await findLauncher(c, parent));
  }
  return jobs;
}

/** Returns the task run that started a run; for a retry, the one that started its first attempt. */
async function findLauncher(
  c: AncestorContext,
  { attempt, originalAttemptRunId, launchedBy, parentTaskRun }: Run,
): Promise<number | undefined> {
  if (attempt === 0) return launchedBy ?? parentTaskRun;
  const first = (await c.runs.find(originalAttemptRunId, { onOutage: 'retry' }))?.run;
  return first?.launchedBy ?? first?.parentTaskRun;
}
