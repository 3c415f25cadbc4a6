/** Finds the job that an argument names. */
import { callService } from '../commands/service-client.ts';
import { CommandError } from '../start-error.ts';
import { readPages, takeItems } from './pages.ts';
import { JobDocument } from './service-documents.ts';

/** The list of all jobs, newest first. */
export const jobList = {
  path: '/jobs/list',
  field: 'jobs',
  item: JobDocument,
  pageSize: ['limit', 100],
  version: '2.1',
} as const;

/**
 * Returns a job with all its settings.
 * @param nameOrId id, or the name of exactly one job
 * @throws CommandError when no job or several have the name
 */
export async function findJob(nameOrId: string): Promise<JobDocument> {
  return getJob(/^\d{1,15}$/.test(nameOrId) ? Number(nameOrId) : await findJobId(nameOrId));
}

export function getJob(jobId: number): Promise<JobDocument> {
  return callService(JobDocument, 'GET', `/jobs/get?job_id=${jobId}`, { version: '2.1' });
}

async function findJobId(name: string): Promise<number> {
  const [job, ...others] = await takeItems(readPages(jobList, { name }), 10);
  if (job === undefined)
    throw new CommandError(
      `There is no job ${JSON.stringify(name)}: runyard jobs list shows the jobs that you may see.`,
    );
  if (others.length === 0) return job.job_id;
  const ids = [job, ...others].map(({ job_id: id }) => id).join(', ');
  throw new CommandError(
    `Several jobs have the name ${JSON.stringify(name)}: choose one by its id (${ids}).`,
  );
}
