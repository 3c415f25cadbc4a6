/** POST jobs/runs/cancel (spec 3.1, 4.1 rule 9). */
import { Type } from 'typebox';
import { cancelRun } from '../../engine/cancel.ts';
import { Id } from '../../engine/validation/scalars.ts';
import { defineOperation, type Operation } from '../http/operation.ts';
import type { OperationPorts } from '../http/ports.ts';
import { apiVersions } from '../http/api-versions.ts';

/** Asks for the end of a run. */
export function cancelRunOperation({ cancelling }: Pick<OperationPorts, 'cancelling'>): Operation {
  return defineOperation({
    method: 'POST',
    path: '/jobs/runs/cancel',
    versions: apiVersions,
    scope: 'jobs',
    access: { level: 'CAN_MANAGE_RUN', idField: 'run_id' },
    summary: 'Cancel a run',
    description:
      'Asks for the end of a run and returns; the run ends shortly after. A run that is over stays as it is.',
    request: Type.Object({ run_id: Type.Integer({ ...Id, description: 'The run.' }) }),
    response: Type.Object({}),
    async handle({ run_id: runId }) {
      await cancelRun(cancelling, runId);
      return {};
    },
  });
}
