/** POST pipelines. */
import { randomUUID } from 'node:crypto';
import { Type } from 'typebox';
import { invalid, ServiceError } from '../../engine/errors.ts';
import { quote } from '../../engine/validation/messages.ts';
import { checkSupported } from '../../engine/job/fields/field-support.ts';
import { pipelineFields } from '../../engine/job/fields/resource-fields.ts';
import { PipelineDocument, toPipelineSpec } from '../../engine/pipeline/pipeline-document.ts';
import { checkNames } from '../../engine/pipeline/pipeline-graph.ts';
import { parseDefinition } from '../../engine/pipeline/parse-definition.ts';
import { storageUriOf } from '../../engine/pipeline-update.ts';
import { defineOperation, type Operation } from '../http/operation.ts';
import type { PipelineApiPorts } from './pipeline-api-ports.ts';

/**
 * Creates a pipeline of definitions in the workspace. The files may be created later, except for a dry run.
 * @throws ServiceError RESOURCE_ALREADY_EXISTS for a taken name; an invalid specification; definition errors
 * in a dry run
 */
export function createPipelineOperation({ pipelines, pipelineFiles, clock }: PipelineApiPorts): Operation {
  return defineOperation({
    method: 'POST',
    path: '/pipelines',
    versions: ['2.0'],
    scope: 'pipelines',
    summary: 'Create a pipeline',
    description:
      'Creates a pipeline of SQL files in the workspace. A folder with a spec file is a pipeline without this call.',
    request: Type.Object({
      ...PipelineDocument.properties,
      dry_run: Type.Optional(
        Type.Boolean({
          description: 'Whether the definition is only validated and nothing is created. Default: false.',
        }),
      ),
      allow_duplicate_names: Type.Optional(
        Type.Boolean({ description: 'Whether the name may be in use by another pipeline. Default: false.' }),
      ),
    }),
    response: Type.Object({
      pipeline_id: Type.Optional(
        Type.String({ description: 'UUID of the pipeline; absent after a dry run.' }),
      ),
      effective_settings: Type.Optional(PipelineDocument),
    }),
    async handle(
      { dry_run: isDry = false, allow_duplicate_names: duplicates = false, ...document },
      { caller },
    ) {
      checkSupported('', document, pipelineFields);
      const spec = toPipelineSpec(document);
      await pipelineFiles.resolveStorage(storageUriOf(spec));
      if (isDry) {
        checkNames(parseDefinition(await pipelineFiles.readSources(spec, '/'), spec.configuration));
        return { effective_settings: { ...document, storage: storageUriOf(spec) } };
      }
      const [pipelineId, now] = [randomUUID(), clock.now()];
      const created = await pipelines.create(
        {
          pipelineId,
          name: spec.name,
          creator: caller.userName,
          createdTime: now,
          modifiedTime: now,
          document,
          specPath: undefined,
        },
        duplicates,
      );
      if (!created) throw pipelineNameTaken(spec.name);
      return { pipeline_id: pipelineId };
    },
  });
}

/** Returns the error of a pipeline name that is in use. */
export function pipelineNameTaken(name: string): ServiceError {
  return new ServiceError(
    'RESOURCE_ALREADY_EXISTS',
    `The pipeline name ${quote(name)} is already in use; choose another name or set allow_duplicate_names to true.`,
  );
}

/** @throws ServiceError for a change of the storage location, which would move the tables */
export function assertStorageUnchanged(before: string, after: string): void {
  if (before !== after)
    throw invalid(
      `storage would change from ${before} to ${after}, but the tables of a pipeline cannot move. Set storage to ${before} or create another pipeline.`,
    );
}
