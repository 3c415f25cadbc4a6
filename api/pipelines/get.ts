/** GET pipelines/{pipeline_id}. */
import { Type } from 'typebox';
import { findPipeline, loadPipelineSpec, storageUriOf } from '../../engine/pipeline-update.ts';
import { defineOperation, type Operation } from '../http/operation.ts';
import { PipelineId, PipelineView, toPipelineStatus } from '../views/pipeline-view.ts';
import type { PipelineApiPorts } from './pipeline-api-ports.ts';

/**
 * Returns a pipeline. A spec file is read again on every call.
 * @throws ServiceError RESOURCE_DOES_NOT_EXIST for an unknown pipeline
 */
export function getPipelineOperation(ports: PipelineApiPorts): Operation {
  return defineOperation({
    method: 'GET',
    path: '/pipelines/:pipeline_id',
    versions: ['2.0'],
    scope: 'pipelines',
    summary: 'Get a pipeline',
    description: 'Returns a pipeline with its specification, its state and its latest updates.',
    request: Type.Object({ pipeline_id: PipelineId }),
    response: PipelineView,
    async handle({ pipeline_id: id }) {
      const pipeline = await findPipeline(ports, id);
      const { spec } = await loadPipelineSpec(ports, pipeline);
      const { specPath, document } = pipeline;
      return {
        ...(await toPipelineStatus(ports, pipeline)),
        last_modified: pipeline.modifiedTime,
        spec: { ...(document ?? spec), storage: storageUriOf(spec) },
        ...(specPath !== undefined && { spec_path: specPath }),
      };
    },
  });
}
