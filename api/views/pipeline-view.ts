/** Pipelines and updates in responses. */
import { Type } from 'typebox';
import { toIsoTime } from '../../engine/clock.ts';
import { invalid, ServiceError } from '../../engine/errors.ts';
import { quote } from '../../engine/validation/messages.ts';
import { PipelineDocument } from '../../engine/pipeline/pipeline-document.ts';
import type { UpdateState } from '../../engine/pipeline/events.ts';
import type { PipelinePorts } from '../../engine/pipeline-update.ts';
import { findPipeline } from '../../engine/pipeline-update.ts';
import type { StoredPipeline, StoredUpdate } from '../../engine/ports/pipelines.ts';

export const PipelineId = Type.String({
  description: 'UUID or name of the pipeline, or the path of its folder or spec file in the workspace.',
});
export const UpdateId = Type.String({ description: 'UUID of the update.' });

const updateStates = [
  'QUEUED',
  'CREATED',
  'RUNNING',
  'STOPPING',
  'COMPLETED',
  'FAILED',
  'CANCELED',
] as const satisfies UpdateState[];

export const UpdateDocument = Type.Object(
  {
    pipeline_id: Type.String({ description: 'UUID of the pipeline.' }),
    update_id: UpdateId,
    state: Type.Enum([...updateStates], {
      description:
        'State of its run: QUEUED, CREATED (pending), RUNNING, STOPPING, COMPLETED, FAILED or CANCELED.',
    }),
    cause: Type.Enum(['API_CALL', 'JOB_TASK'], {
      description: 'API_CALL: started by a request. JOB_TASK: started by a pipeline_task of a job.',
    }),
    creation_time: Type.Integer({ description: 'Epoch milliseconds.' }),
    full_refresh: Type.Boolean({ description: 'Whether all tables are recomputed from the start.' }),
    full_refresh_selection: Type.Array(Type.String(), { description: 'Tables recomputed from the start.' }),
    refresh_selection: Type.Array(Type.String(), { description: 'Tables to update.' }),
    validate_only: Type.Boolean({ description: 'Whether the definition is only validated.' }),
    job_id: Type.Integer({ description: 'Id of the job of its run.' }),
    run_id: Type.Integer({ description: 'Id of its run.' }),
    task_run_id: Type.Integer({ description: 'Id of its task run, which has the logs and the output.' }),
    message: Type.String({ description: 'Error of a failed update; empty otherwise.' }),
  },
  { description: 'Update of a pipeline.' },
);

export const PipelineStatus = Type.Object(
  {
    pipeline_id: Type.String({ description: 'UUID of the pipeline.' }),
    name: Type.String({ description: 'Name of the pipeline.' }),
    state: Type.Enum(['IDLE', 'RUNNING', 'STOPPING'], {
      description: 'State of the active update; IDLE without one.',
    }),
    health: Type.Enum(['HEALTHY', 'UNHEALTHY'], {
      description: 'UNHEALTHY: the latest completed update failed.',
    }),
    creator_user_name: Type.String({
      description: 'User who created it; empty for a pipeline of a spec file.',
    }),
    run_as_user_name: Type.String({ description: 'Same as creator_user_name.' }),
    latest_updates: Type.Array(
      Type.Object({
        update_id: UpdateId,
        state: Type.Enum([...updateStates]),
        creation_time: Type.String({ description: 'ISO 8601, UTC.' }),
      }),
      { description: 'Latest updates, newest first.' },
    ),
  },
  { description: 'Pipeline in a list.' },
);

export const PipelineView = Type.Object(
  {
    ...PipelineStatus.properties,
    last_modified: Type.Integer({ description: 'Epoch milliseconds.' }),
    spec: PipelineDocument,
    spec_path: Type.Optional(
      Type.String({ description: 'Path of its spec file in the workspace; absent without one.' }),
    ),
  },
  { description: 'Pipeline.' },
);

const latestUpdateCount = 5;

/** Returns the state of an update from the state of its run. */
export function updateStateOf({ state, result, stopReason }: StoredUpdate): (typeof updateStates)[number] {
  switch (state) {
    case 'QUEUED':
      return 'QUEUED';
    case 'PENDING':
      return 'CREATED';
    case 'RUNNING':
    case 'TERMINATING':
      return stopReason === undefined ? 'RUNNING' : 'STOPPING';
    case 'SKIPPED':
      return 'CANCELED';
    case 'TERMINATED':
      return result === 'SUCCESS' ? 'COMPLETED' : result === 'CANCELED' ? 'CANCELED' : 'FAILED';
    case 'INTERNAL_ERROR':
      return 'FAILED';
    default:
      return state satisfies never;
  }
}

/** Returns the document of an update. */
export function toUpdateView(update: StoredUpdate) {
  const { request, message } = update;
  const state = updateStateOf(update);
  return {
    pipeline_id: update.pipelineId,
    update_id: update.updateId,
    state,
    cause: update.cause,
    creation_time: update.createdTime,
    full_refresh: request.fullRefresh,
    full_refresh_selection: [...request.fullRefreshSelection],
    refresh_selection: [...request.refreshSelection],
    validate_only: request.validateOnly,
    job_id: update.jobId,
    run_id: update.jobRunId,
    task_run_id: update.runId,
    message: state === 'FAILED' ? message : '',
  };
}

/** Returns the list entry of a pipeline with its latest updates. */
export async function toPipelineStatus(
  { pipelines }: Pick<PipelinePorts, 'pipelines'>,
  { pipelineId, name, creator }: StoredPipeline,
) {
  const updates = await pipelines.listUpdates(pipelineId, { before: undefined, limit: latestUpdateCount });
  const states = updates.map((update) => updateStateOf(update));
  const isOver = (state: UpdateState): boolean =>
    state === 'COMPLETED' || state === 'FAILED' || state === 'CANCELED';
  const state = states.includes('STOPPING') ? 'STOPPING' : states.every(isOver) ? 'IDLE' : 'RUNNING';
  const latest = states.find((each) => each === 'COMPLETED' || each === 'FAILED');
  return {
    pipeline_id: pipelineId,
    name,
    state,
    health: latest === 'FAILED' ? 'UNHEALTHY' : 'HEALTHY',
    creator_user_name: creator,
    run_as_user_name: creator,
    latest_updates: updates.map((update) => ({
      update_id: update.updateId,
      state: updateStateOf(update),
      creation_time: toIsoTime(update.createdTime),
    })),
  };
}

/**
 * Returns an update and its pipeline.
 * @throws ServiceError RESOURCE_DOES_NOT_EXIST for an unknown pipeline or update
 */
export async function getUpdate(
  ports: PipelinePorts,
  pipelineId: string,
  updateId: string,
): Promise<{ readonly pipeline: StoredPipeline; readonly update: StoredUpdate }> {
  const pipeline = await findPipeline(ports, pipelineId);
  const isId = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i.test(updateId);
  const update = isId
    ? await ports.pipelines.findUpdate(pipeline.pipelineId, updateId.toLowerCase())
    : undefined;
  if (update === undefined)
    throw new ServiceError('RESOURCE_DOES_NOT_EXIST', `The specified update ${updateId} was not found.`);
  return { pipeline, update };
}

/** @throws ServiceError for a pipeline that a spec file defines */
export function assertEditable({ specPath, name }: StoredPipeline): void {
  if (specPath !== undefined)
    throw invalid(`Pipeline ${quote(name)} is defined by ${specPath}; change that file.`);
}
