/** Pipelines and updates as they are shown. */
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
      description: 'As its run stands: QUEUED, CREATED (pending), RUNNING, STOPPING, and one of the ends.',
    }),
    cause: Type.Enum(['API_CALL', 'JOB_TASK'], {
      description: 'Whether a request or a pipeline_task of a job started it.',
    }),
    creation_time: Type.Integer({ description: 'Epoch ms.' }),
    full_refresh: Type.Boolean({ description: 'Whether all tables begin anew.' }),
    full_refresh_selection: Type.Array(Type.String(), { description: 'Tables that begin anew.' }),
    refresh_selection: Type.Array(Type.String(), { description: 'Tables that are updated.' }),
    validate_only: Type.Boolean({ description: 'Whether it only checks the definition.' }),
    job_id: Type.Integer({ description: 'Job of the run.' }),
    run_id: Type.Integer({ description: 'Run that it is, or is a task of.' }),
    task_run_id: Type.Integer({ description: 'Task run that it is: its logs and its output are there.' }),
    message: Type.String({ description: 'Why it failed; empty otherwise.' }),
  },
  { description: 'An update of a pipeline.' },
);

export const PipelineStatus = Type.Object(
  {
    pipeline_id: Type.String({ description: 'UUID.' }),
    name: Type.String({ description: 'Its name.' }),
    state: Type.Enum(['IDLE', 'RUNNING', 'STOPPING'], { description: 'Whether an update is active.' }),
    health: Type.Enum(['HEALTHY', 'UNHEALTHY'], {
      description: 'UNHEALTHY: its latest update that is over failed.',
    }),
    creator_user_name: Type.String({ description: 'Who made it; empty for one of a spec file.' }),
    run_as_user_name: Type.String({ description: 'The same.' }),
    latest_updates: Type.Array(
      Type.Object({
        update_id: UpdateId,
        state: Type.Enum([...updateStates]),
        creation_time: Type.String({ description: 'ISO 8601, UTC.' }),
      }),
      { description: 'Newest first.' },
    ),
  },
  { description: 'A pipeline in a list.' },
);

export const PipelineView = Type.Object(
  {
    ...PipelineStatus.properties,
    last_modified: Type.Integer({ description: 'Epoch ms.' }),
    spec: PipelineDocument,
    spec_path: Type.Optional(
      Type.String({ description: 'Its spec file in the workspace, when it has one.' }),
    ),
  },
  { description: 'A pipeline.' },
);

const latestUpdateCount = 5;

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

/** @throws ServiceError RESOURCE_DOES_NOT_EXIST for an unknown pipeline or update */
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
