/** POST pipelines/{pipeline_id}/stop. */
import { Type } from 'typebox';
import { cancelRun } from '../../engine/cancel.ts';
import { permissionDenied, hasPermission } from '../../engine/job/permissions.ts';
import { findPipeline } from '../../engine/pipeline-update.ts';
import { defineOperation, type Operation } from '../http/operation.ts';
import { PipelineId } from '../views/pipeline-view.ts';
import type { PipelineApiPorts } from './pipeline-api-ports.ts';

/**
 * Cancels the active update of a pipeline; no effect without one.
 * @throws ServiceError RESOURCE_DOES_NOT_EXIST for an unknown pipeline; PERMISSION_DENIED without
 * CAN_MANAGE_RUN on the job
 */
export function stopPipelineOperation(ports: PipelineApiPorts): Operation {
  return defineOperation({
    method: 'POST',
    path: '/pipelines/:pipeline_id/stop',
    versions: ['2.0'],
    scope: 'pipelines',
    summary: 'Stop an update',
    description:
      'Cancels the run of the active update with all its tasks and returns immediately. Results of the update are not published.',
    request: Type.Object({ pipeline_id: PipelineId }),
    response: Type.Object({}),
    async handle({ pipeline_id: id }, { visibleTo, caller }) {
      const update = await ports.pipelines.findActiveUpdate((await findPipeline(ports, id)).pipelineId);
      if (update === undefined) return {};
      // Stopping an update needs the same permission as cancelling its run.
      const held =
        visibleTo === undefined
          ? undefined
          : await ports.permissions.findLevels('run_id', update.jobRunId, visibleTo);
      if (visibleTo !== undefined && held !== undefined && !hasPermission(held.levels, 'CAN_MANAGE_RUN'))
        throw permissionDenied(visibleTo, 'CAN_MANAGE_RUN', held.jobId);
      await cancelRun(ports.cancelling, update.jobRunId, { user: caller.userName, through: caller.through });
      return {};
    },
  });
}
