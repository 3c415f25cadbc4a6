/** POST pipelines/{pipeline_id}/updates. */
import { Type } from 'typebox';
import { findPipeline, startUpdate } from '../../engine/pipeline-update.ts';
import { defineOperation, type Operation } from '../http/operation.ts';
import { PipelineId, UpdateId } from '../views/pipeline-view.ts';
import type { PipelineApiPorts } from './pipeline-api-ports.ts';

/**
 * Starts an update: a one-time run with one pipeline_task.
 * @throws ServiceError RESOURCE_DOES_NOT_EXIST for an unknown pipeline; an invalid selection
 */
export function startPipelineUpdateOperation(ports: PipelineApiPorts): Operation {
  return defineOperation({
    method: 'POST',
    path: '/pipelines/:pipeline_id/updates',
    versions: ['2.0'],
    scope: 'pipelines',
    summary: 'Start an update',
    description:
      'Starts an update of a pipeline as a one-time run and returns immediately. A pipeline runs one update at a time.',
    request: Type.Object({
      pipeline_id: PipelineId,
      full_refresh: Type.Optional(
        Type.Boolean({ description: 'Whether all tables are recomputed from the start. Default: false.' }),
      ),
      full_refresh_selection: Type.Optional(
        Type.Array(Type.String(), {
          description: 'Tables to recompute from the start. Tables without selection are not updated.',
        }),
      ),
      refresh_selection: Type.Optional(
        Type.Array(Type.String(), {
          description: 'Tables to update. Tables without selection are not updated.',
        }),
      ),
      validate_only: Type.Optional(
        Type.Boolean({ description: 'Whether the definition is only validated. Default: false.' }),
      ),
      cause: Type.Optional(Type.String({ description: 'Accepted and ignored; the cause is API_CALL.' })),
    }),
    response: Type.Object({ update_id: UpdateId }),
    async handle(
      {
        pipeline_id: id,
        full_refresh: fullRefresh = false,
        full_refresh_selection: fullRefreshSelection = [],
        refresh_selection: refreshSelection = [],
        validate_only: validateOnly = false,
      },
      { caller },
    ) {
      const pipeline = await findPipeline(ports, id);
      return {
        update_id: await startUpdate(
          ports,
          pipeline,
          { fullRefresh, fullRefreshSelection, refreshSelection, validateOnly },
          caller.userName,
        ),
      };
    },
  });
}
