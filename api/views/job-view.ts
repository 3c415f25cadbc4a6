/** Job in responses of the API versions (spec 2.1). */
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
      Type.String({ description: 'User who created the job; absent after the deletion of that user.' }),
    ),
    run_as: Type.Optional(Type.String({ description: 'User the job runs as.' })),
    run_as_user_name: Type.Optional(Type.String({ description: 'Same as run_as.' })),
    created_time: epochMsSchema('Time of creation'),
    settings: JobSettings,
    setting_warnings: Type.Optional(
      Type.Array(Type.String(), {
        description: 'Settings that look like misspelled fields; absent without any. In jobs/get only.',
      }),
    ),
  },
  { description: 'Stored job.' },
);

/** User names of the owners of jobs, by job id. */
export type Owners = ReadonlyMap<number, string>;

/**
 * Returns a job with all its settings: for jobs/get, and for lists that expand tasks.
 * @param owners users that jobs run as while job access control is on; undefined: their creators (spec 2.1)
 */
export function toJobView(job: Job, version: ApiVersion, owners?: Owners): object {
  return { ...toCommonJobFields(job, owners), settings: renderSettings(job.settings, version) };
}

/** Returns a list entry: without the tasks of a multi-task job (spec 4.1). */
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
