/** Operations on pipelines, in the order of the documentation. */
import type { Operation } from '../http/operation.ts';
import { createPipelineOperation } from './create.ts';
import { deletePipelineOperation } from './delete.ts';
import { listPipelineEventsOperation } from './list-events.ts';
import { getPipelineUpdateOperation } from './get-update.ts';
import { getPipelineOperation } from './get.ts';
import { listPipelineUpdatesOperation } from './list-updates.ts';
import { listPipelinesOperation } from './list.ts';
import type { PipelineApiPorts } from './pipeline-api-ports.ts';
import { replacePipelineOperation } from './replace.ts';
import { startPipelineUpdateOperation } from './start-update.ts';
import { stopPipelineOperation } from './stop.ts';

/** Creates the operations on pipelines, their updates and their events. */
export function createPipelineOperations(ports: PipelineApiPorts): Operation[] {
  return [
    createPipelineOperation,
    listPipelinesOperation,
    getPipelineOperation,
    replacePipelineOperation,
    deletePipelineOperation,
    startPipelineUpdateOperation,
    listPipelineUpdatesOperation,
    getPipelineUpdateOperation,
    stopPipelineOperation,
    listPipelineEventsOperation,
  ].map((create) => create(ports));
}
