/** POST jobs/reset (spec 4.1 rule 2). */
import { Type } from 'typebox';
import { checkSettings } from '../../engine/job/check-settings.ts';
import { resetSettings } from '../../engine/job/merge-settings.ts';
import { Id } from '../../engine/validation/scalars.ts';
import { JobSettings } from '../../engine/job/settings.ts';
import { checkDestinationReferences } from '../destinations/destination-references.ts';
import { checkClusterReferences } from '../clusters/cluster-references.ts';
import { defineOperation, type Operation } from '../http/operation.ts';
import type { OperationPorts } from '../http/ports.ts';
import { apiVersions } from '../http/api-versions.ts';
import { changeJobSettings } from './change-job.ts';

const request = Type.Object({
  job_id: Type.Integer({ ...Id, description: 'The job.' }),
  new_settings: JobSettings,
});

/** Replaces all settings of a job. */
export function resetJobOperation({
  jobs,
  destinations,
  clusterRules,
  onJobChanged,
  clock,
  limits,
  kinds,
}: Pick<
  OperationPorts,
  'jobs' | 'destinations' | 'clusterRules' | 'onJobChanged' | 'clock' | 'limits' | 'kinds'
>): Operation {
  return defineOperation({
    method: 'POST',
    path: '/jobs/reset',
    versions: apiVersions,
    scope: 'jobs',
    access: { level: 'CAN_MANAGE', idField: 'job_id' },
    summary: 'Reset a job',
    description:
      'Replaces all settings of a job by new_settings. Timeouts reach its active runs; everything else applies to future runs.',
    request,
    response: Type.Object({}),
    async handle({ job_id: jobId, new_settings: given }, context) {
      const { version } = context;
      checkSettings(given, { version, limits, kinds });
      await checkDestinationReferences(destinations, '', given);
      await checkClusterReferences(clusterRules, given);
      await changeJobSettings(
        { jobs, onJobChanged, clock },
        jobId,
        (job) => resetSettings(job.settings, given),
        context,
      );
      return {};
    },
  });
}
