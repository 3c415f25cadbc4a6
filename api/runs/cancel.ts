/** POST jobs/runs/cancel (spec 3.1, 4.1 rule 9). */
import { Type } from 'typebox';
import { cancelRun } from '../../engine/cancel.ts';
import { Id } from '../../engine/validation/scalars.ts';
import { defineOperation, type Operation } from '../http/operation.ts';
import type { OperationPorts } from '../http/ports.ts';
import { apiVersions } from '../http/api-versions.ts';

/**
 * Cancels a run (spec 3.1, 4.1 rule 9); no effect on a terminated run.
 * @throws ServiceError for an unknown run
 */
export function cancelRunOperation({ cancelling }: Pick<OperationPorts, 'cancelling'>): Operation {
  return defineOperation({
    method: 'POST',
    path: '/jobs/runs/cancel',
    versions: apiVersions,
    scope: 'jobs',
    access: { level: 'CAN_MANAGE_RUN', idField: 'run_id' },
    summary: 'Cancel a run',
    description:
      'Requests the cancellation of a run and returns immediately; the run ends shortly after. A terminated run stays unchanged.',
    request: Type.Object({ run_id: Type.Integer({ ...Id, description: 'Id of the run.' }) }),
    response: Type.Object({}),
    async handle({ run_id: runId }, { caller }) {
      await cancelRun(cancelling, runId, { user: caller.userName, through: caller.through });
      return {};
    },
  });
}
