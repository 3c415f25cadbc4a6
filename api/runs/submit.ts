/** POST jobs/runs/submit (spec 4.1 rule 5). */
import { Type } from 'typebox';
import { withTaskKey } from '../../engine/job/job-format.ts';
import { findMisspelledFields } from '../../engine/job/misspelled-fields.ts';
import { checkSubmission } from '../../engine/job/check-settings.ts';
import { AccessControlRequest, parseGrants } from '../../engine/job/permissions.ts';
import { Id } from '../../engine/validation/scalars.ts';
import { SubmitSettings } from '../../engine/job/settings.ts';
import { submitRun } from '../../engine/launch.ts';
import { defineOperation, type Operation } from '../http/operation.ts';
import type { OperationPorts } from '../http/ports.ts';
import { apiVersions } from '../http/api-versions.ts';
import { checkReferences } from '../jobs/check-references.ts';
import { checkNewRunAs } from '../jobs/check-run-as.ts';

/**
 * Starts a one-time run without a stored job (spec 4.1 rule 5).
 * @throws ServiceError for invalid settings, unknown references, or the limits of spec 8
 */
export function submitRunOperation({
  launching,
  destinations,
  clusterRules,
  limits,
  kinds,
  people,
  owners,
}: Pick<
  OperationPorts,
  'launching' | 'destinations' | 'clusterRules' | 'limits' | 'kinds' | 'people' | 'owners'
>): Operation {
  return defineOperation({
    method: 'POST',
    path: '/jobs/runs/submit',
    versions: apiVersions,
    scope: 'jobs',
    access: 'everyone',
    summary: 'Submit a one-time run',
    description:
      'Starts a run without a stored job and returns immediately. Every version accepts one task or a list of tasks; shared job clusters are not supported. The only task of a list may lack its task_key.',
    request: Type.Object(
      {
        ...SubmitSettings.properties,
        access_control_list: Type.Optional(
          Type.Array(AccessControlRequest, {
            description: 'Permissions of other users on the run; the creator is its owner.',
          }),
        ),
      },
      { description: 'Settings of the run.' },
    ),
    complete: withTaskKey,
    response: Type.Object({ run_id: Type.Integer({ ...Id, description: 'Id of the run.' }) }),
    async handle({ access_control_list: wanted = [], ...settings }, { version, caller, visibleTo, warn }) {
      checkSubmission(settings, { version, limits, kinds });
      await checkReferences({ destinations, clusterRules }, settings, { visibleTo });
      const grants = parseGrants(wanted);
      await checkNewRunAs({ people, owners }, settings.run_as, caller.userName, grants);
      const { run_name: _name, idempotency_token: _token, ...job } = settings;
      findMisspelledFields(job).forEach(warn);
      const { runId } = await submitRun(launching, { settings, version, creator: caller.userName, grants });
      return { run_id: runId };
    },
  });
}
