/** All operations on pipelines. */
import type { Operation } from '../http/operation.ts';
import { createPipeline } from './create.ts';
import { deletePipeline } from './delete.ts';
import { listPipelineEvents } from './events.ts';
import { getPipelineUpdate } from './get-update.ts';
import { getPipeline } from './get.ts';
import { listPipelineUpdates } from './list-updates.ts';
import { listPipelines } from './list.ts';
import type { PipelineApiPorts } from './pipeline-api-ports.ts';
import { replacePipeline } from './replace.ts';
import { startPipelineUpdate } from './start-update.ts';
import { stopPipeline } from './stop.ts';

export function pipelineOperations(ports: PipelineApiPorts): Operation[] {
  return [
    createPipeline,
    listPipelines,
    getPipeline,
    replacePipeline,
    deletePipeline,
    startPipelineUpdate,
    listPipelineUpdates,
    getPipelineUpdate,
    stopPipeline,
    listPipelineEvents,
  ].map((make) => make(ports));
}
