/** A stored job as a version of the path shows it (spec 2.1). */
import { Type } from 'typebox';
import { withoutTasks, type ApiVersion } from '../../engine/job/job-format.ts';
import { Id } from '../../engine/validation/scalars.ts';
import { JobSettings } from '../../engine/job/settings.ts';
import { renderSettings } from '../../engine/job/render-settings.ts';
import type { Job } from '../../engine/ports/jobs.ts';
import { epochMsSchema } from './time-schemas.ts';

export const JobDocument = Type.Object(
  {
    job_id: Type.Integer({ ...Id, description: 'Id of the job.' }),
    creator_user_name: Type.Optional(
      Type.String({ description: 'Who created it; omitted when that user is gone.' }),
    ),
    run_as: Type.Optional(Type.String({ description: 'User that the job runs as.' })),
    run_as_user_name: Type.Optional(Type.String({ description: 'The same as run_as.' })),
    created_time: epochMsSchema('Time of creation'),
    settings: JobSettings,
  },
  { description: 'A stored job.' },
);

/** User names of the owners of jobs, by job id. */
export type Owners = ReadonlyMap<number, string>;

/**
 * A job with all its settings: jobs/get, and lists that expand tasks.
 * @param owners whom jobs run as while job access control is on; without it they run as their creators (spec
 *   2.1)
 */
export function toJobView(job: Job, version: ApiVersion, owners?: Owners): object {
  return { ...toCommonJobFields(job, owners), settings: renderSettings(job.settings, version) };
}

/** A job as lists show it: without the tasks of a job that is shown as multi-task (spec 4.1). */
export function toJobListView(job: Job, version: ApiVersion, owners?: Owners): object {
  return { ...toCommonJobFields(job, owners), settings: withoutTasks(renderSettings(job.settings, version)) };
}

function toCommonJobFields({ jobId, creatorUserName, createdTime }: Job, owners: Owners | undefined): object {
  const runAs = owners === undefined ? creatorUserName : owners.get(jobId);
  return {
    job_id: jobId,
    creator_user_name: creatorUserName,
    run_as: runAs,
    run_as_user_name: runAs,
    created_time: createdTime,
  };
}
