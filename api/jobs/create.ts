/** POST jobs/create (spec 4.1). */
import { Type } from 'typebox';
import { checkSettings } from '../../engine/job/check-settings.ts';
import { AccessControlRequest, parseGrants } from '../../engine/job/permissions.ts';
import { Id } from '../../engine/validation/scalars.ts';
import { findMisspelledFields } from '../../engine/job/misspelled-fields.ts';
import { JobSettings } from '../../engine/job/settings.ts';
import { defineOperation, type Operation } from '../http/operation.ts';
import type { OperationPorts } from '../http/ports.ts';
import { apiVersions } from '../http/api-versions.ts';
import { checkReferences } from './check-references.ts';
import { checkNewRunAs } from './check-run-as.ts';

/**
 * Validates and stores a job (spec 4.1).
 * @throws ServiceError for invalid settings, unknown references, or the limits of spec 8
 */
export function createJobOperation({
  jobs,
  destinations,
  clusterRules,
  clock,
  limits,
  kinds,
  people,
  owners,
}: Pick<
  OperationPorts,
  'jobs' | 'destinations' | 'clusterRules' | 'clock' | 'limits' | 'kinds' | 'people' | 'owners'
>): Operation {
  return defineOperation({
    method: 'POST',
    path: '/jobs/create',
    versions: apiVersions,
    scope: 'jobs',
    access: 'everyone',
    summary: 'Create a job',
    description:
      'Creates a job with one task (2.0) or with up to 100 tasks and dependencies between them. Unknown settings are stored and returned.',
    request: Type.Object(
      {
        ...JobSettings.properties,
        access_control_list: Type.Optional(
          Type.Array(AccessControlRequest, {
            description: 'Permissions of other users on the job; the creator is its owner.',
          }),
        ),
      },
      { description: 'Settings of the job.' },
    ),
    response: Type.Object({ job_id: Type.Integer({ ...Id, description: 'Id of the new job.' }) }),
    async handle({ access_control_list: wanted = [], ...settings }, { version, caller, visibleTo, warn }) {
      checkSettings(settings, { version, limits, kinds });
      await checkReferences({ destinations, clusterRules }, settings, { visibleTo });
      const grants = parseGrants(wanted);
      await checkNewRunAs({ people, owners }, settings.run_as, caller.userName, grants);
      const job = { settings, version, creator: caller.userName, now: clock.now(), grants };
      findMisspelledFields(settings).forEach(warn);
      return { job_id: await jobs.create(job, limits) };
    },
  });
}
