/** DELETE pipelines/{pipeline_id}: forgets a pipeline. */
import { Type } from 'typebox';
import { ServiceError } from '../../engine/errors.ts';
import { findPipeline, pipelineNotFound } from '../../engine/pipeline-update.ts';
import { defineOperation, type Operation } from '../http/operation.ts';
import { PipelineId } from '../views/pipeline-view.ts';
import type { PipelineApiPorts } from './pipeline-api-ports.ts';

/** Its tables stay, and so does a spec file, which makes it known again when somebody names it. */
export function deletePipelineOperation(ports: PipelineApiPorts): Operation {
  return defineOperation({
    method: 'DELETE',
    path: '/pipelines/:pipeline_id',
    versions: ['2.0'],
    scope: 'pipelines',
    summary: 'Delete a pipeline',
    description: 'Forgets a pipeline and its updates. Its tables and files stay where they are.',
    request: Type.Object({ pipeline_id: PipelineId }),
    response: Type.Object({}),
    async handle({ pipeline_id: id }) {
      const { pipelineId, name } = await findPipeline(ports, id);
      const outcome = await ports.pipelines.remove(pipelineId);
      if (outcome === 'gone') throw pipelineNotFound(id);
      if (outcome === 'active')
        throw new ServiceError(
          'INVALID_STATE',
          `Pipeline ${name} has an active update; stop it with POST /api/2.0/pipelines/${pipelineId}/stop first.`,
        );
      return {};
    },
  });
}
