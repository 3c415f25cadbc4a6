/** GET jobs/get (spec 4.1). */
import { Type } from 'typebox';
import { findMisspelledFields } from '../../engine/job/misspelled-fields.ts';
import { Id } from '../../engine/validation/scalars.ts';
import { JobDocument, toJobView } from '../views/job-view.ts';
import { defineOperation, type Operation } from '../http/operation.ts';
import type { OperationPorts } from '../http/ports.ts';
import { apiVersions } from '../http/api-versions.ts';
import { jobNotFound } from '../../engine/errors.ts';

/**
 * Returns a job with all its settings (spec 4.1).
 * @throws ServiceError for an unknown job
 */
export function getJobOperation({ jobs, owners }: Pick<OperationPorts, 'jobs' | 'owners'>): Operation {
  return defineOperation({
    method: 'GET',
    path: '/jobs/get',
    versions: apiVersions,
    scope: 'jobs',
    access: { level: 'CAN_VIEW', idField: 'job_id' },
    summary: 'Get a job',
    description:
      'Returns a job with all its settings. 2.0 uses the format in which the job was created, 2.1 and 2.2 use the multi-task format.',
    request: Type.Object({ job_id: Type.Integer({ ...Id, description: 'Id of the job.' }) }),
    response: JobDocument,
    async handle({ job_id: jobId }, { version }) {
      const job = await jobs.find(jobId);
      if (job === undefined) throw jobNotFound(jobId);
      const warnings = findMisspelledFields(job.settings);
      return {
        ...toJobView(job, version, await owners?.([jobId])),
        ...(warnings.length > 0 && { setting_warnings: warnings }),
      };
    },
  });
}
