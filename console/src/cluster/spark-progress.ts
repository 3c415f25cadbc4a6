/** Progress of Spark in words. */
import type { SparkProgress } from '../api/documents.ts';

/** Returns `2 of 5 stages, 31 of 80 tasks`; empty before the first job. */
export function progressText(progress: SparkProgress): string {
  const { num_jobs: jobs, num_failed_jobs: failed, num_stages: stages } = progress;
  if (jobs === 0) return '';
  const done = `${progress.num_completed_stages} of ${stages} ${stages === 1 ? 'stage' : 'stages'}`;
  const tasks = `${progress.num_completed_tasks} of ${progress.num_tasks} tasks`;
  return [done, tasks, ...(failed > 0 ? [`${failed} failed ${failed === 1 ? 'job' : 'jobs'}`] : [])].join(
    ', ',
  );
}
