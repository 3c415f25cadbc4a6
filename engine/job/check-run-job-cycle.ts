/** Detection of jobs that start themselves through run_job_tasks, directly or indirectly. */
import { invalid } from '../errors.ts';
import { tasksOf } from './job-format.ts';
import type { JobSettings } from './settings.ts';

/** Returns the ids of the jobs that the run_job_tasks of a job start. */
function startedJobIds(settings: JobSettings): number[] {
  return tasksOf(settings).flatMap((task) => task.run_job_task?.job_id ?? []);
}

/**
 * Refuses settings with which a job would start itself. The check is repeated when a run starts a child run,
 * because other jobs may change; this one reports the mistake to the author of the settings.
 * @param settingsOf returns the settings of another job; undefined when it does not exist
 * @throws ServiceError INVALID_PARAMETER_VALUE that names the chain
 */
export async function checkRunJobCycle(
  jobId: number,
  settings: JobSettings,
  settingsOf: (jobId: number) => Promise<JobSettings | undefined>,
): Promise<void> {
  const seen = new Set<number>();
  const chains = startedJobIds(settings).map((next) => [jobId, next]);
  for (let chain = chains.shift(); chain !== undefined; chain = chains.shift()) {
    const last = chain.at(-1) ?? jobId;
    if (last === jobId)
      throw invalid(
        `run_job_task.job_id creates a cycle: job ${jobId} would start itself (${chain.join(' -> ')}).`,
      );
    if (seen.has(last)) continue;
    seen.add(last);
    const others = await settingsOf(last);
    for (const next of others === undefined ? [] : startedJobIds(others)) chains.push([...chain, next]);
  }
}
