/** POST pipelines: makes a pipeline of definitions that are in the workspace. */
import { randomUUID } from 'node:crypto';
import { Type } from 'typebox';
import { invalid, ServiceError } from '../../engine/errors.ts';
import { quote } from '../../engine/validation/messages.ts';
import { PipelineDocument, toPipelineSpec } from '../../engine/pipeline/pipeline-document.ts';
import { checkNames } from '../../engine/pipeline/pipeline-graph.ts';
import { parseDefinition } from '../../engine/pipeline/parse-definition.ts';
import { storageUriOf } from '../../engine/pipeline-update.ts';
import { defineOperation, type Operation } from '../http/operation.ts';
import type { PipelineApiPorts } from './pipeline-api-ports.ts';

/** The files need not be there yet, unless it is a dry run. */
export function createPipelineOperation({ pipelines, pipelineFiles, clock }: PipelineApiPorts): Operation {
  return defineOperation({
    method: 'POST',
    path: '/pipelines',
    versions: ['2.0'],
    scope: 'pipelines',
    summary: 'Create a pipeline',
    description:
      'Makes a pipeline of SQL files of the workspace. A folder with a spec file is a pipeline without this call.',
    request: Type.Object({
      ...PipelineDocument.properties,
      dry_run: Type.Optional(
        Type.Boolean({
          description: 'Makes nothing: reads the files and says what is wrong with them. Default: false.',
        }),
      ),
      allow_duplicate_names: Type.Optional(
        Type.Boolean({ description: 'Whether another pipeline may have this name. Default: false.' }),
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
      const spec = toPipelineSpec(document);
      await pipelineFiles.resolveStorage(storageUriOf(spec));
      if (isDry) {
        checkNames(parseDefinition(await pipelineFiles.readSources(spec, '/'), spec.configuration));
        return { effective_settings: { ...document, storage: storageUriOf(spec) } };
      }
      const [pipelineId, now] = [randomUUID(), clock.now()];
      const made = await pipelines.create(
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
      if (!made) throw pipelineNameTaken(spec.name);
      return { pipeline_id: pipelineId };
    },
  });
}

export function pipelineNameTaken(name: string): ServiceError {
  return new ServiceError(
    'RESOURCE_ALREADY_EXISTS',
    `The pipeline name ${quote(name)} is taken; choose another one, or set allow_duplicate_names to true.`,
  );
}

/** @throws ServiceError for a document that would move the tables of a pipeline */
export function assertStorageUnchanged(before: string, after: string): void {
  if (before !== after)
    throw invalid(
      `storage would change from ${before} to ${after}; the tables of a pipeline stay where they are. Give storage as ${before}, or make another pipeline.`,
    );
}
