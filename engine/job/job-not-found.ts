/** Refusal of a job that does not exist. */
import { invalid, type ServiceError } from '../errors.ts';

/** Returns the error of an unknown job id; clients match its text (spec 4.1). */
export function jobNotFound(jobId: number): ServiceError {
  return invalid(`Job ${jobId} does not exist.`);
}
