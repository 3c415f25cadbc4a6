/** Quotas of stored jobs and of jobs created per hour (spec 8). */
import { ServiceError } from '../errors.ts';
import type { Limits } from '../limits.ts';

export type JobQuotas = Pick<Limits, 'savedJobs' | 'jobsCreatedPerHour'>;

/** Refuses another stored job when `saved` reaches the quota. @throws ServiceError QUOTA_EXCEEDED */
export function checkSavedJobs(saved: number, { savedJobs }: Pick<JobQuotas, 'savedJobs'>): void {
  if (saved >= savedJobs)
    throw new ServiceError(
      'QUOTA_EXCEEDED',
      `The quota for the number of jobs has been reached. The current quota is ${savedJobs}.`,
    );
}

/**
 * Refuses another job when `created` in the last hour reaches the quota.
 * @throws ServiceError QUOTA_EXCEEDED
 */
export function checkJobCreations(
  created: number,
  { jobsCreatedPerHour }: Pick<JobQuotas, 'jobsCreatedPerHour'>,
): void {
  if (created < jobsCreatedPerHour) return;
  throw new ServiceError(
    'QUOTA_EXCEEDED',
    `There were already ${created} jobs created in past 3600 seconds, exceeding rate limit: ${jobsCreatedPerHour} job creations per 3600 seconds.`,
  );
}
