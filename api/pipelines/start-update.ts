/** POST pipelines/{pipeline_id}/updates: starts an update. */
import { Type } from 'typebox';
import { findPipeline, startUpdate } from '../../engine/pipeline-update.ts';
import { defineOperation, type Operation } from '../http/operation.ts';
import { PipelineId, UpdateId } from '../views/pipeline-view.ts';
import type { PipelineApiPorts } from './pipeline-api-ports.ts';

/** It is a one-time run with one pipeline_task. */
export function startPipelineUpdateOperation(ports: PipelineApiPorts): Operation {
  return defineOperation({
    method: 'POST',
    path: '/pipelines/:pipeline_id/updates',
    versions: ['2.0'],
    scope: 'pipelines',
    summary: 'Start an update',
    description:
      'Starts an update of a pipeline and returns at once. It is a one-time run; one update of a pipeline runs at a time.',
    request: Type.Object({
      pipeline_id: PipelineId,
      full_refresh: Type.Optional(Type.Boolean({ description: 'All tables begin anew. Default: false.' })),
      full_refresh_selection: Type.Optional(
        Type.Array(Type.String(), {
          description: 'Tables that begin anew; others that are not selected are left alone.',
        }),
      ),
      refresh_selection: Type.Optional(
        Type.Array(Type.String(), {
          description: 'Tables to update; others that are not selected are left alone.',
        }),
      ),
      validate_only: Type.Optional(
        Type.Boolean({ description: 'Only checks the definition. Default: false.' }),
      ),
      cause: Type.Optional(Type.String({ description: 'Accepted; the cause is API_CALL.' })),
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
