/** Ports of the operations on pipelines (types only). */
import type { PipelinePorts } from '../../engine/pipeline-update.ts';
import type { OperationPorts } from '../http/ports.ts';

export interface PipelineApiPorts
  extends PipelinePorts, Pick<OperationPorts, 'launching' | 'cancelling' | 'permissions' | 'kinds'> {}
