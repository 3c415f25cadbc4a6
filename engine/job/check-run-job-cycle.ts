/** Jobs that would start themselves by their run_job_tasks, directly or through others. */
import { invalid } from '../errors.ts';
import { tasksOf } from './job-format.ts';
import type { JobSettings } from './settings.ts';

/** Ids of the jobs that a job starts by its run_job_tasks. */
function startedJobIds(settings: JobSettings): number[] {
  return tasksOf(settings).flatMap((task) => task.run_job_task?.job_id ?? []);
}

/**
 * Refuses settings with which a job would start itself. Settings of other jobs may change later, so the same
 * is looked at again when a run starts another one; here it is said to whoever makes the mistake.
 * @param settingsOf the settings of other jobs; undefined for one that does not exist
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
        `run_job_task.job_id closes a cycle: job ${jobId} would start itself (${chain.join(' -> ')}).`,
      );
    if (seen.has(last)) continue;
    seen.add(last);
    const others = await settingsOf(last);
    for (const next of others === undefined ? [] : startedJobIds(others)) chains.push([...chain, next]);
  }
}
