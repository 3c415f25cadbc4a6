/** PUT pipelines/{pipeline_id}. */
import { Type } from 'typebox';
import { checkSupported } from '../../engine/job/fields/field-support.ts';
import { pipelineFields } from '../../engine/job/fields/resource-fields.ts';
import { PipelineDocument, toPipelineSpec } from '../../engine/pipeline/pipeline-document.ts';
import { findPipeline, loadPipelineSpec, storageUriOf } from '../../engine/pipeline-update.ts';
import { defineOperation, type Operation } from '../http/operation.ts';
import { assertStorageUnchanged, pipelineNameTaken } from './create.ts';
import { assertEditable, PipelineId } from '../views/pipeline-view.ts';
import type { PipelineApiPorts } from './pipeline-api-ports.ts';

/**
 * Replaces the specification of a pipeline. A running update is not affected.
 * @throws ServiceError RESOURCE_DOES_NOT_EXIST; RESOURCE_ALREADY_EXISTS for a taken name; a changed storage;
 * a spec file
 */
export function replacePipelineOperation(ports: PipelineApiPorts): Operation {
  return defineOperation({
    method: 'PUT',
    path: '/pipelines/:pipeline_id',
    versions: ['2.0'],
    scope: 'pipelines',
    summary: 'Replace a pipeline',
    description:
      'Replaces the specification of a pipeline. Its storage cannot change. A pipeline of a spec file is changed in that file.',
    request: Type.Object({
      ...PipelineDocument.properties,
      pipeline_id: PipelineId,
      allow_duplicate_names: Type.Optional(
        Type.Boolean({ description: 'Whether the name may be in use by another pipeline. Default: false.' }),
      ),
    }),
    response: Type.Object({}),
    async handle(
      { pipeline_id: id, allow_duplicate_names: duplicates = false, ...document },
      { recordChange },
    ) {
      const pipeline = await findPipeline(ports, id);
      assertEditable(pipeline);
      checkSupported('', document, pipelineFields);
      const spec = toPipelineSpec(document);
      assertStorageUnchanged(
        storageUriOf((await loadPipelineSpec(ports, pipeline)).spec),
        storageUriOf(spec),
      );
      const outcome = await ports.pipelines.replace(
        pipeline.pipelineId,
        spec.name,
        document,
        duplicates,
        ports.clock.now(),
      );
      if (outcome === 'taken') throw pipelineNameTaken(spec.name);
      recordChange(pipeline.document ?? {}, document);
      return {};
    },
  });
}
