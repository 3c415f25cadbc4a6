/** All operations on pipelines. */
import type { PipelinePorts } from '../../engine/pipeline-update.ts';
import type { Operation } from '../operation.ts';
import type { OperationPorts } from '../ports.ts';
import { createPipeline } from './create.ts';
import { deletePipeline } from './delete.ts';
import { listPipelineEvents } from './events.ts';
import { getPipelineUpdate } from './get-update.ts';
import { getPipeline } from './get.ts';
import { listPipelineUpdates } from './list-updates.ts';
import { listPipelines } from './list.ts';
import { replacePipeline } from './replace.ts';
import { startPipelineUpdate } from './start-update.ts';
import { stopPipeline } from './stop.ts';

export interface PipelineApiPorts extends PipelinePorts, Pick<OperationPorts, 'launching' | 'cancelling' | 'permissions' | 'kinds'> {}

export function pipelineOperations(ports: PipelineApiPorts): Operation[] {
  return [
    createPipeline, listPipelines, getPipeline, replacePipeline, deletePipeline, startPipelineUpdate, listPipelineUpdates, getPipelineUpdate, stopPipeline, listPipelineEvents,
  ].map((make) => make(ports));
}
