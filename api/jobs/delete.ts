/** POST jobs/delete (spec 4.1 rule 1). */
import { Type } from 'typebox';
import { Id } from '../../engine/validation/scalars.ts';
import { notificationsForDeletion } from '../../engine/notification/routing.ts';
import { defineOperation, type Operation } from '../http/operation.ts';
import type { OperationPorts } from '../http/ports.ts';
import { apiVersions } from '../http/api-versions.ts';

/**
 * Deletes a job and its run history, and cancels its active runs (spec 4.1 rule 1). No effect on an unknown
 * job.
 */
export function deleteJobOperation({
  jobs,
  cancelling,
  clock,
}: Pick<OperationPorts, 'jobs' | 'cancelling' | 'clock'>): Operation {
  return defineOperation({
    method: 'POST',
    path: '/jobs/delete',
    versions: apiVersions,
    scope: 'jobs',
    access: { level: 'CAN_MANAGE', idField: 'job_id' },
    summary: 'Delete a job',
    description:
      'Deletes a job with its run history and cancels its active runs. Deleting a job again succeeds without effect.',
    request: Type.Object({ job_id: Type.Integer({ ...Id, description: 'Id of the job.' }) }),
    response: Type.Object({}),
    async handle({ job_id: jobId }) {
      const now = clock.now();
      const active = await jobs.remove(jobId, now, (job) =>
        notificationsForDeletion(job.settings, jobId, now),
      );
      for (const runId of active) cancelling.stopRun(runId, 'cancel');
      return {};
    },
  });
}
