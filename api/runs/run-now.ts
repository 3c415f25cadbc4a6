/** POST jobs/run-now (spec 4.1 rule 4). */
import { Type } from 'typebox';
import { checkSupported } from '../../engine/job/fields/field-support.ts';
import { runNowFields } from '../../engine/job/fields/request-fields.ts';
import { Id, stringList } from '../../engine/validation/scalars.ts';
import { Queue } from '../../engine/job/settings.ts';
import { launchRun } from '../../engine/launch.ts';
import { pickRunParameters, runParameterFields } from '../../engine/run/parameters.ts';
import { checkExistingClusters } from '../clusters/cluster-references.ts';
import { defineOperation, type Operation } from '../http/operation.ts';
import type { OperationPorts } from '../http/ports.ts';
import { apiVersions } from '../http/api-versions.ts';

const request = Type.Object({
  job_id: Type.Integer({ ...Id, description: 'Id of the job.' }),
  idempotency_token: Type.Optional(
    Type.String({
      description: 'At most 64 characters. A token that already started a run of this job returns that run.',
    }),
  ),
  ...runParameterFields,
  queue: Type.Optional(Queue),
  only: Type.Optional(stringList('Not supported: a run always consists of all tasks.')),
});

/**
 * Starts a run of a job (spec 4.1 rule 4).
 * @throws ServiceError for an unknown job, invalid parameters, or the limits of spec 8
 */
export function runNowOperation({
  launching,
  jobs,
  clusterRules,
}: Pick<OperationPorts, 'launching' | 'jobs' | 'clusterRules'>): Operation {
  return defineOperation({
    method: 'POST',
    path: '/jobs/run-now',
    versions: apiVersions,
    scope: 'jobs',
    access: { level: 'CAN_MANAGE_RUN', idField: 'job_id' },
    summary: 'Run a job now',
    description:
      'Starts a run of a job and returns immediately. Parameters of one task kind are allowed; notebook_params are merged, all others replace those of the tasks.',
    request,
    response: Type.Object({
      run_id: Type.Integer({ ...Id, description: 'Id of the run.' }),
      number_in_job: Type.Integer({ ...Id, description: 'Number of the run within its job, from 1.' }),
    }),
    async handle({ job_id: jobId, idempotency_token: idempotencyToken, queue, ...rest }, { caller }) {
      checkSupported('', rest, runNowFields);
      const job = clusterRules.requireExisting ? await jobs.find(jobId) : undefined;
      if (job !== undefined)
        await checkExistingClusters(clusterRules, job.settings, { visibleTo: undefined });
      const { runId, numberInJob } = await launchRun(launching, {
        jobId,
        parameters: pickRunParameters(rest),
        idempotencyToken,
        creator: caller.userName,
        queue: queue?.enabled,
      });
      return { run_id: runId, number_in_job: numberInJob };
    },
  });
}
