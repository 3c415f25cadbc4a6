/** POST jobs/runs/delete (spec 4.1 rule 11). */
import { Type } from 'typebox';
import { invalid, messageOf, ServiceError, runNotFound } from '../../engine/errors.ts';
import { Id } from '../../engine/validation/scalars.ts';
import { defineOperation, type Operation } from '../http/operation.ts';
import type { OperationPorts } from '../http/ports.ts';
import { apiVersions } from '../http/api-versions.ts';

/**
 * Deletes a terminated run with its logs and output (spec 4.1 rule 11).
 * @throws ServiceError for an unknown run or a task run; INVALID_STATE for an active run
 */
export function deleteRunOperation({
  runs,
  removing,
  clock,
}: Pick<OperationPorts, 'runs' | 'removing' | 'clock'>): Operation {
  return defineOperation({
    method: 'POST',
    path: '/jobs/runs/delete',
    versions: apiVersions,
    scope: 'jobs',
    access: { level: 'CAN_MANAGE', idField: 'run_id' },
    summary: 'Delete a run',
    description:
      'Deletes a terminated run with its task runs, logs and output. Its idempotency_token does not start another run.',
    request: Type.Object({ run_id: Type.Integer({ ...Id, description: 'Id of the run.' }) }),
    response: Type.Object({}),
    async handle({ run_id: runId }, { log }) {
      const found = await runs.find(runId);
      if (found === undefined) throw runNotFound(runId);
      if (found.run.runId !== runId)
        throw invalid(
          `Run ${runId} is a task run of run ${found.run.runId}; only the whole run can be deleted.`,
        );
      const deleted = await removing.runs.delete(runId, clock.now());
      if (deleted === 'gone') throw runNotFound(runId);
      if (deleted === 'active')
        throw new ServiceError(
          'INVALID_STATE',
          `Run ${runId} is still active. Cancel it before deleting it.`,
        );
      // Files are removed after the commit, so a failure here leaves files but cannot fail the deletion.
      const logFailure = (error: unknown): void => {
        log.error(
          { run_id: runId, error: messageOf(error) },
          'Removing files of a deleted run failed; remove them manually.',
        );
      };
      await Promise.all([
        ...deleted.taskRunIds.map((attempt) => removing.files.removeAttempt(attempt).catch(logFailure)),
        ...deleted.clusterIds.map((cluster) => removing.files.removeCluster(cluster).catch(logFailure)),
      ]);
      return {};
    },
  });
}
