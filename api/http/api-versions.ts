/** API versions and the job format that each of them shows. */
import type { ApiVersion, JobFormat } from '../../engine/job/job-format.ts';

/** All versions; every version serves the same model (spec 9). */
export const apiVersions = ['2.0', '2.1', '2.2'] as const satisfies readonly ApiVersion[];

/** Returns the format in which a version shows a job or run: 2.1 and later show all of them as multi-task. */
export function shownFormat(format: JobFormat, version: ApiVersion): JobFormat {
  return version === '2.0' ? format : 'MULTI_TASK';
}
