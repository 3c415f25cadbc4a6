/** POST jobs/reset (spec 4.1 rule 2). */
import { Type } from 'typebox';
import { checkSettings } from '../../engine/job/check-settings.ts';
import { resetSettings } from '../../engine/job/merge-settings.ts';
import { Id } from '../../engine/validation/scalars.ts';
import { JobSettings } from '../../engine/job/settings.ts';
import { defineOperation, type Operation } from '../http/operation.ts';
import { apiVersions } from '../http/api-versions.ts';
import { changeJobSettings, type ChangeJobPorts } from './change-job.ts';
import { checkReferences } from './check-references.ts';
import { checkChangedRunAs } from './check-run-as.ts';

const request = Type.Object({
  job_id: Type.Integer({ ...Id, description: 'Id of the job.' }),
  new_settings: JobSettings,
});

/**
 * Replaces all settings of a job (spec 4.1 rule 2).
 * @throws ServiceError for an unknown job, invalid settings, or unknown references
 */
export function resetJobOperation(ports: ChangeJobPorts): Operation {
  const { limits, kinds } = ports;
  return defineOperation({
    method: 'POST',
    path: '/jobs/reset',
    versions: apiVersions,
    scope: 'jobs',
    access: { level: 'CAN_MANAGE', idField: 'job_id' },
    summary: 'Reset a job',
    description:
      'Replaces all settings of a job with new_settings. Changed timeouts apply to active runs, all other changes to future runs.',
    request,
    response: Type.Object({}),
    async handle({ job_id: jobId, new_settings: newSettings }, context) {
      const { version } = context;
      checkSettings(newSettings, { version, limits, kinds });
      await checkReferences(ports, newSettings, context);
      await checkChangedRunAs(ports, newSettings.run_as, jobId);
      await changeJobSettings(ports, jobId, (job) => resetSettings(job.settings, newSettings), context);
      return {};
    },
  });
}
