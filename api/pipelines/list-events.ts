/** GET pipelines/{pipeline_id}/events: the event log of a pipeline. */
import { Type } from 'typebox';
import { invalid } from '../../engine/errors.ts';
import { quote } from '../../engine/validation/messages.ts';
import { createPipelineEvent, type PipelineEvent } from '../../engine/pipeline/events.ts';
import { findPipeline } from '../../engine/pipeline-update.ts';
import type { StoredPipeline, StoredUpdate } from '../../engine/ports/pipelines.ts';
import { defineOperation, type Operation } from '../http/operation.ts';
import { buildPage, parsePageRequest } from '../http/paging.ts';
import { parseEventFilter } from './event-filter.ts';
import { PipelineId, updateStateOf } from '../views/pipeline-view.ts';
import type { PipelineApiPorts } from './pipeline-api-ports.ts';
import { fixedLimits } from '../../engine/limits.ts';

const listName = 'pipeline-events';
const pagingRules = { defaultSize: 100, maximumSize: fixedLimits.pipelineEventsPerPage, cursorLength: 2 };
/** Updates whose events are read at a time. */
const updateBatchSize = 20;

/** An event, and its place: the number of its update, and its own within that. */
interface PositionedEvent {
  readonly event: PipelineEvent;
  readonly cursor: readonly [number, number];
}

/** Newest first, unless asked for otherwise. */
export function listPipelineEventsOperation(ports: PipelineApiPorts): Operation {
  return defineOperation({
    method: 'GET',
    path: '/pipelines/:pipeline_id/events',
    versions: ['2.0'],
    scope: 'pipelines',
    summary: 'List events',
    description:
      'The event log of a pipeline: what its updates did, with rows written and what became of expectations in details.flow_progress.',
    request: Type.Object({
      pipeline_id: PipelineId,
      max_results: Type.Optional(
        Type.Integer({ minimum: 0, description: 'Events on a page. Default: 100; 0 is the maximum, 1000.' }),
      ),
      page_token: Type.Optional(Type.String({ description: 'The next_page_token of the page before.' })),
      order_by: Type.Optional(
        Type.Union([Type.String(), Type.Array(Type.String())], {
          description: 'timestamp desc, which is also the default.',
        }),
      ),
      filter: Type.Optional(
        Type.String({
          description:
            "Conditions on level, event_type, update_id, id and timestamp, joined by AND, such as level in ('WARN', 'ERROR').",
        }),
      ),
    }),
    response: Type.Object({
      events: Type.Array(
        Type.Object({
          id: Type.String(),
          timestamp: Type.String({ description: 'ISO 8601, UTC.' }),
          level: Type.Enum(['INFO', 'WARN', 'ERROR', 'METRICS']),
          event_type: Type.String(),
          message: Type.String(),
          maturity_level: Type.String(),
          origin: Type.Record(Type.String(), Type.String()),
          details: Type.Optional(Type.Unknown()),
          error: Type.Optional(Type.Unknown()),
        }),
      ),
      next_page_token: Type.Optional(
        Type.String({ description: 'Leads to the next page; absent on the last one.' }),
      ),
    }),
    async handle({
      pipeline_id: id,
      max_results: limit,
      page_token: token,
      filter = '',
      order_by: order = [],
    }) {
      const wrong = [order].flat().find((each) => !/^\s*timestamp(\s+desc)?\s*$/i.test(each));
      if (wrong !== undefined)
        throw invalid(`order_by is ${quote(wrong)}; events are listed by timestamp desc.`);
      const holds = parseEventFilter(filter);
      const pipeline = await findPipeline(ports, id);
      const { size, cursor } = parsePageRequest(
        listName,
        { ...(limit !== undefined && { limit }), ...(token !== undefined && { page_token: token }) },
        pagingRules,
      );
      const found = await listEventsBefore(ports, pipeline, cursor, holds, size + 1);
      const {
        entries,
        more: { next_page_token: next },
      } = buildPage(listName, found, size, (entry) => entry.cursor);
      return {
        events: entries.map(({ event }) => event),
        ...(next !== undefined && { next_page_token: next }),
      };
    },
  });
}

async function listEventsBefore(
  ports: PipelineApiPorts,
  pipeline: StoredPipeline,
  before: readonly number[] | undefined,
  holds: (event: PipelineEvent) => boolean,
  wanted: number,
): Promise<PositionedEvent[]> {
  const found: PositionedEvent[] = [];
  const [update = Number.MAX_SAFE_INTEGER - 1, event = Number.MAX_SAFE_INTEGER] = before ?? [];
  for (let next: number | undefined = update + 1; next !== undefined && found.length < wanted;) {
    const updates: StoredUpdate[] = await ports.pipelines.listUpdates(pipeline.pipelineId, {
      before: next,
      limit: updateBatchSize,
    });
    for (const each of updates) {
      if (found.length >= wanted) break;
      const events = (await readUpdateEvents(ports, pipeline, each)).map((one, number) => ({
        event: one,
        cursor: [each.number, number] as const,
      }));
      found.push(
        ...events
          .toReversed()
          .filter(({ cursor, event: one }) => (each.number < update || cursor[1] < event) && holds(one)),
      );
    }
    next = updates.length < updateBatchSize ? undefined : updates.at(-1)?.number;
  }
  return found;
}

/**
 * What an update has written, between the request for it and its end, which a process that was killed could
 * not write.
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
