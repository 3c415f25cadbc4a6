/** Refusal of a run or task run that does not exist. */
import { invalid, type ServiceError } from '../errors.ts';

/** Returns the error of an unknown run id; clients match its text (spec 4.2). */
export function runNotFound(runId: number): ServiceError {
  return invalid(`Run ${runId} does not exist.`);
}
