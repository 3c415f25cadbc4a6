/** GET pipelines/{pipeline_id}/updates/{update_id}. */
import { Type } from 'typebox';
import { defineOperation, type Operation } from '../http/operation.ts';
import { getUpdate, PipelineId, toUpdateView, UpdateDocument, UpdateId } from '../views/pipeline-view.ts';
import type { PipelineApiPorts } from './pipeline-api-ports.ts';

/**
 * Returns an update of a pipeline.
 * @throws ServiceError RESOURCE_DOES_NOT_EXIST for an unknown pipeline or update
 */
export function getPipelineUpdateOperation(ports: PipelineApiPorts): Operation {
  return defineOperation({
    method: 'GET',
    path: '/pipelines/:pipeline_id/updates/:update_id',
    versions: ['2.0'],
    scope: 'pipelines',
    summary: 'Get an update',
    description: 'Returns the state of an update and the ids of its run.',
    request: Type.Object({ pipeline_id: PipelineId, update_id: UpdateId }),
    response: Type.Object({ update: UpdateDocument }),
    handle: async ({ pipeline_id: id, update_id: updateId }) => ({
      update: toUpdateView((await getUpdate(ports, id, updateId)).update),
    }),
  });
}
