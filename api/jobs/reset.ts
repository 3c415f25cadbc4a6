/** POST jobs/reset (spec 4.1 rule 2). */
import { Type } from 'typebox';
import { checkSettings } from '../../engine/job/check-settings.ts';
import { resetSettings } from '../../engine/job/merge-settings.ts';
import { invalid } from '../../engine/errors.ts';
import { AccessControlRequest, includesGrants, parseGrants } from '../../engine/job/permissions.ts';
import { Id } from '../../engine/validation/scalars.ts';
import { JobSettings } from '../../engine/job/settings.ts';
import { defineOperation, type Operation } from '../http/operation.ts';
import type { OperationPorts } from '../http/ports.ts';
import { apiVersions } from '../http/api-versions.ts';
import { changeJobSettings, type ChangeJobPorts } from './change-job.ts';
import { checkReferences } from './check-references.ts';
import { checkChangedRunAs } from './check-run-as.ts';

const request = Type.Object({
  job_id: Type.Integer({ ...Id, description: 'Id of the job.' }),
  new_settings: Type.Object(
    {
      ...JobSettings.properties,
      access_control_list: Type.Optional(
        Type.Array(AccessControlRequest, {
          description:
            'Permissions that the job already has. They are changed with PUT or PATCH permissions/jobs/{job_id}.',
        }),
      ),
    },
    { description: 'Settings of the job.' },
  ),
});

type ResetPorts = ChangeJobPorts & Pick<OperationPorts, 'permissions'>;

/**
 * Replaces all settings of a job (spec 4.1 rule 2).
 * @throws ServiceError for an unknown job, invalid settings, or unknown references
 */
export function resetJobOperation(ports: ResetPorts): Operation {
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
    async handle({ job_id: jobId, new_settings: { access_control_list: wanted, ...newSettings } }, context) {
      const { version } = context;
      if (wanted !== undefined) await checkGrantsUnchanged(ports, jobId, wanted);
      checkSettings(newSettings, { version, limits, kinds });
      await checkReferences(ports, newSettings, context);
      await checkChangedRunAs(ports, newSettings.run_as, jobId);
      await changeJobSettings(ports, jobId, (job) => resetSettings(job.settings, newSettings), context);
      return {};
    },
  });
}

/**
 * Refuses an access_control_list that differs from the permissions of the job: changing them needs the scope
 * access-management. Airflow sends the list on every reset, after it has set the permissions.
 */
async function checkGrantsUnchanged(
  { permissions }: Pick<ResetPorts, 'permissions'>,
  jobId: number,
  list: readonly AccessControlRequest[],
): Promise<void> {
  const wanted = parseGrants(list);
  const current = await permissions.listGrants(jobId);
  if (current !== undefined && !includesGrants(current, wanted))
    throw invalid(
      `access_control_list differs from the permissions of job ${jobId}; change them with PUT or PATCH permissions/jobs/${jobId}.`,
    );
}
