/** POST jobs/runs/delete (spec 4.1 rule 11). */
import { Type } from 'typebox';
import { invalid, messageOf, ServiceError, runNotFound } from '../../engine/errors.ts';
import { Id } from '../../engine/validation/scalars.ts';
import { defineOperation, type Operation } from '../http/operation.ts';
import type { OperationPorts } from '../http/ports.ts';
import { apiVersions } from '../http/api-versions.ts';

/** Removes a run that is over, with its logs and output. */
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
      'Removes a run that is over, with its task runs, logs and output. Its idempotency_token starts no other run.',
    request: Type.Object({ run_id: Type.Integer({ ...Id, description: 'The run.' }) }),
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
      // Only what is surely deleted may lose its files; and as it is deleted, a file that stays is no failure
      // of this call.
      const remains = (error: unknown): void => {
        log.error(
          { run_id: runId, error: messageOf(error) },
          'Files of a deleted run could not be removed; they stay until somebody removes them.',
        );
      };
      await Promise.all([
        ...deleted.taskRunIds.map((attempt) => removing.files.removeAttempt(attempt).catch(remains)),
        ...deleted.clusterIds.map((cluster) => removing.files.removeCluster(cluster).catch(remains)),
      ]);
      return {};
    },
  });
}
