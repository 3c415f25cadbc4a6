/** POST pipelines/{pipeline_id}/stop: ends the active update of a pipeline. */
import { Type } from 'typebox';
import { cancelRun } from '../../engine/cancel.ts';
import { permissionDenied, hasPermission } from '../../engine/job/permissions.ts';
import { findPipeline } from '../../engine/pipeline-update.ts';
import { defineOperation, type Operation } from '../http/operation.ts';
import { PipelineId } from '../views/pipeline-view.ts';
import type { PipelineApiPorts } from './pipeline-api-ports.ts';

/** It changes nothing then. Without an active update there is nothing to do. */
export function stopPipelineOperation(ports: PipelineApiPorts): Operation {
  return defineOperation({
    method: 'POST',
    path: '/pipelines/:pipeline_id/stop',
    versions: ['2.0'],
    scope: 'pipelines',
    summary: 'Stop an update',
    description:
      'Cancels the run of the active update, with all tasks of that run; what it has computed is not published. Returns at once.',
    request: Type.Object({ pipeline_id: PipelineId }),
    response: Type.Object({}),
    async handle({ pipeline_id: id }, { visibleTo }) {
      const update = await ports.pipelines.findActiveUpdate((await findPipeline(ports, id)).pipelineId);
      if (update === undefined) return {};
      // While job access control is on, this is no way around it.
      const held =
        visibleTo === undefined
          ? undefined
          : await ports.permissions.findLevels('run_id', update.jobRunId, visibleTo);
      if (visibleTo !== undefined && held !== undefined && !hasPermission(held.levels, 'CAN_MANAGE_RUN'))
        throw permissionDenied(visibleTo, 'CAN_MANAGE_RUN', held.jobId);
      await cancelRun(ports.cancelling, update.jobRunId);
      return {};
    },
  });
}
