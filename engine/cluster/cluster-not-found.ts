/** Refusal of a cluster that does not exist. */
import { invalid, type ServiceError } from '../errors.ts';

/** Returns the error of an unknown cluster id; clients match its text, which ends without a period. */
export function clusterNotFound(clusterId: string): ServiceError {
  return invalid(`Cluster ${clusterId} does not exist`);
}
