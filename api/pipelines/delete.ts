/** DELETE pipelines/{pipeline_id}. */
import { Type } from 'typebox';
import { ServiceError } from '../../engine/errors.ts';
import { findPipeline, pipelineNotFound } from '../../engine/pipeline-update.ts';
import { defineOperation, type Operation } from '../http/operation.ts';
import { PipelineId } from '../views/pipeline-view.ts';
import type { PipelineApiPorts } from './pipeline-api-ports.ts';

/**
 * Deletes a pipeline, but not its tables and files. A spec file registers the pipeline again at its next
 * use.
 * @throws ServiceError RESOURCE_DOES_NOT_EXIST for an unknown pipeline; INVALID_STATE during an update
 */
export function deletePipelineOperation(ports: PipelineApiPorts): Operation {
  return defineOperation({
    method: 'DELETE',
    path: '/pipelines/:pipeline_id',
    versions: ['2.0'],
    scope: 'pipelines',
    summary: 'Delete a pipeline',
    description: 'Deletes a pipeline and the records of its updates. Its tables and files stay.',
    request: Type.Object({ pipeline_id: PipelineId }),
    response: Type.Object({}),
    async handle({ pipeline_id: id }) {
      const { pipelineId, name } = await findPipeline(ports, id);
      const outcome = await ports.pipelines.remove(pipelineId);
      if (outcome === 'gone') throw pipelineNotFound(id);
      if (outcome === 'active')
        throw new ServiceError(
          'INVALID_STATE',
          `Pipeline ${name} has an active update; stop the update first: POST /api/2.0/pipelines/${pipelineId}/stop.`,
        );
      return {};
    },
  });
}
