/** The versions of the path, and what differs between them in what is shown. */
import type { ApiVersion, JobFormat } from '../../engine/job/job-format.ts';

/** All versions; one model is served under each of them (spec 9). */
export const apiVersions = ['2.0', '2.1', '2.2'] as const satisfies readonly ApiVersion[];

/** The format in which a job or run of the given format is shown: from 2.1 on everything is multi-task. */
export function shownFormat(format: JobFormat, version: ApiVersion): JobFormat {
  return version === '2.0' ? format : 'MULTI_TASK';
}
