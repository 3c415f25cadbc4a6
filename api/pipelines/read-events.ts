/** Reading of the event log of a pipeline across its updates. */
import { createPipelineEvent, type PipelineEvent } from '../../engine/pipeline/events.ts';
import type { StoredPipeline, StoredUpdate } from '../../engine/ports/pipelines.ts';
import { updateStateOf } from '../views/pipeline-view.ts';
import type { PipelineApiPorts } from './pipeline-api-ports.ts';

/** Updates whose events are read per batch. */
const updateBatchSize = 20;

/** Event and its position: the number of its update and its index within the update. */
interface PositionedEvent {
  readonly event: PipelineEvent;
  readonly cursor: readonly [number, number];
}

/** Returns up to `limit` matching events before a cursor, newest first. */
export async function listEventsBefore(
  ports: PipelineApiPorts,
  pipeline: StoredPipeline,
  before: readonly number[] | undefined,
  matches: (event: PipelineEvent) => boolean,
  limit: number,
): Promise<PositionedEvent[]> {
  const found: PositionedEvent[] = [];
  const [update = Number.MAX_SAFE_INTEGER - 1, event = Number.MAX_SAFE_INTEGER] = before ?? [];
  for (let next: number | undefined = update + 1; next !== undefined && found.length < limit;) {
    const updates: StoredUpdate[] = await ports.pipelines.listUpdates(pipeline.pipelineId, {
      before: next,
      limit: updateBatchSize,
    });
    for (const each of updates) {
      if (found.length >= limit) break;
      const events = (await readUpdateEvents(ports, pipeline, each)).map((one, number) => ({
        event: one,
        cursor: [each.number, number] as const,
      }));
      found.push(
        ...events
          .toReversed()
          .filter(({ cursor, event: one }) => (each.number < update || cursor[1] < event) && matches(one)),
      );
    }
    next = updates.length < updateBatchSize ? undefined : updates.at(-1)?.number;
  }
  return found;
}

/**
 * Returns the events of an update: its creation, the events it wrote, and its end, which a killed process
 * could not write itself.
 */
async function readUpdateEvents(
  { pipelineFiles }: PipelineApiPorts,
  { pipelineId, name }: StoredPipeline,
  update: StoredUpdate,
): Promise<PipelineEvent[]> {
  const { updateId, storage, cause, createdTime, endTime, message } = update;
  const origin = { pipeline_id: pipelineId, pipeline_name: name, update_id: updateId };
  const created = createPipelineEvent(
    origin,
    { level: 'INFO', event_type: 'create_update', message: `Update ${updateId} was started by ${cause}.` },
    0,
    createdTime,
  );
  const written = storage === undefined ? [] : await pipelineFiles.readEvents(storage, updateId);
  const state = updateStateOf(update);
  const isOver = state === 'COMPLETED' || state === 'FAILED' || state === 'CANCELED';
  const last = written.at(-1)?.details?.update_progress?.state;
  if (!isOver || endTime === undefined || last === state) return [created, ...written];
  const end = createPipelineEvent(
    origin,
    {
      level: state === 'FAILED' ? 'ERROR' : 'INFO',
      event_type: 'update_progress',
      message: `Update ${updateId} is ${state}${message === '' ? '.' : `: ${message}`}`,
      details: { update_progress: { state } },
      ...(state === 'FAILED' && { error: message }),
    },
    999_999,
    endTime,
  );
  return [created, ...written, end];
}
