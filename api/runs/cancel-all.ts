/** POST jobs/runs/cancel-all (spec 4.1 rule 9, section 7). */
import { Type } from 'typebox';
import { cancelAllRuns } from '../../engine/cancel.ts';
import { Id } from '../../engine/validation/scalars.ts';
import { missingField } from '../../engine/validation/messages.ts';
import { defineOperation, type Operation } from '../http/operation.ts';
import type { OperationPorts } from '../http/ports.ts';
import { apiVersions } from '../http/api-versions.ts';
import { jobNotFound } from '../../engine/errors.ts';

const request = Type.Object({
  job_id: Type.Optional(
    Type.Integer({ ...Id, description: 'Id of the job. Required unless all_queued_runs is true.' }),
  ),
  all_queued_runs: Type.Optional(
    Type.Boolean({
      description: 'Cancels only QUEUED runs, of the job or, without job_id, of all jobs. Default: false.',
    }),
  ),
});

/**
 * Cancels all active runs of a job, or all queued runs (spec 4.1 rule 9, section 7).
 * @throws ServiceError for a missing job_id and for an unknown job
 */
export function cancelAllRunsOperation({
  jobs,
  cancelling,
}: Pick<OperationPorts, 'jobs' | 'cancelling'>): Operation {
  return defineOperation({
    method: 'POST',
    path: '/jobs/runs/cancel-all',
    versions: apiVersions,
    scope: 'jobs',
    access: { level: 'CAN_MANAGE_RUN', idField: 'job_id' },
    summary: 'Cancel all runs of a job',
    description:
      'Requests the cancellation of all active runs of a job and returns immediately; the runs end shortly after. New runs can start meanwhile.',
    request,
    response: Type.Object({}),
    async handle({ job_id: jobId, all_queued_runs: queuedOnly = false }, { caller }) {
      if (jobId === undefined && !queuedOnly) throw missingField('job_id');
      if (jobId !== undefined && (await jobs.find(jobId)) === undefined) throw jobNotFound(jobId);
      const by = { user: caller.userName, through: caller.through };
      await cancelAllRuns(cancelling, { jobId, queuedOnly, by });
      return {};
    },
  });
}
