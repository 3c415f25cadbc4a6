/** `runyard jobs list`. */
import { jobList } from '../../client/find-job.ts';
import { readPages, takeItems } from '../../client/pages.ts';
import type { JobDocument } from '../../client/service-documents.ts';
import { printRows, type OutputOptions } from '../../output/print-result.ts';

export interface ListJobsOptions extends OutputOptions {
  /** Part of the name, ignoring case. */
  readonly name?: string;
  readonly limit: number;
}

/** Prints the jobs, newest first. Resolves with the exit code. @throws CommandError */
export async function listJobs(options: ListJobsOptions): Promise<number> {
  const part = options.name?.toLowerCase();
  const jobs = await takeItems(
    readPages(jobList),
    options.limit,
    ({ settings }) => part === undefined || settings.name.toLowerCase().includes(part),
  );
  printRows(
    jobs,
    [
      { title: 'ID', value: (job) => String(job.job_id) },
      { title: 'NAME', value: (job) => job.settings.name },
      { title: 'STARTS', value: describeStart },
      { title: 'CREATOR', value: (job) => job.creator_user_name ?? '-' },
    ],
    options,
    part === undefined
      ? 'There are no jobs yet: runyard init sample creates one.'
      : `No job has ${JSON.stringify(options.name)} in its name.`,
  );
  return 0;
}

/** Describes when a job starts by itself. */
function describeStart({ settings: { schedule, trigger } }: JobDocument): string {
  const isPaused = (schedule ?? trigger)?.pause_status === 'PAUSED';
  const suffix = isPaused ? ' (paused)' : '';
  if (schedule !== undefined) return `${schedule.quartz_cron_expression} ${schedule.timezone_id}${suffix}`;
  if (trigger?.periodic !== undefined)
    return `every ${trigger.periodic.interval} ${trigger.periodic.unit.toLowerCase()}${suffix}`;
  return trigger === undefined ? 'on demand' : `trigger${suffix}`;
}
