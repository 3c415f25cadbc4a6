/** How many jobs may be stored, and how many may be created within an hour (spec 8). */
import { ServiceError } from '../errors.ts';
import type { Limits } from '../limits.ts';

export type JobQuotas = Pick<Limits, 'savedJobs' | 'jobsCreatedPerHour'>;

/** Refuses one more stored job where `saved` are stored already. @throws ServiceError QUOTA_EXCEEDED */
export function checkSavedJobs(saved: number, { savedJobs: most }: Pick<JobQuotas, 'savedJobs'>): void {
  if (saved >= most)
    throw new ServiceError(
      'QUOTA_EXCEEDED',
      `The quota for the number of jobs has been reached. The current quota is ${most}.`,
    );
}

/**
 * Refuses one more creation where `created` fell into the last hour already. @throws ServiceError
 * QUOTA_EXCEEDED
 */
export function checkJobCreations(
  created: number,
  { jobsCreatedPerHour: most }: Pick<JobQuotas, 'jobsCreatedPerHour'>,
): void {
  if (created < most) return;
  throw new ServiceError(
    'QUOTA_EXCEEDED',
    `There were already ${created} jobs created in past 3600 seconds, exceeding rate limit: ${most} job creations per 3600 seconds.`,
  );
}
