/** GET pipelines/{pipeline_id}/updates/{update_id}: one update. */
import { Type } from 'typebox';
import { defineOperation, type Operation } from '../http/operation.ts';
import { getUpdate, PipelineId, toUpdateView, UpdateDocument, UpdateId } from '../views/pipeline-view.ts';
import type { PipelineApiPorts } from './pipeline-api-ports.ts';

export function getPipelineUpdateOperation(ports: PipelineApiPorts): Operation {
  return defineOperation({
    method: 'GET',
    path: '/pipelines/:pipeline_id/updates/:update_id',
    versions: ['2.0'],
    scope: 'pipelines',
    summary: 'Get an update',
    description: 'Shows an update with its state and the ids of its run.',
    request: Type.Object({ pipeline_id: PipelineId, update_id: UpdateId }),
    response: Type.Object({ update: UpdateDocument }),
    handle: async ({ pipeline_id: id, update_id: updateId }) => ({
      update: toUpdateView((await getUpdate(ports, id, updateId)).update),
    }),
  });
}
