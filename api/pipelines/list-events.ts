/** GET pipelines/{pipeline_id}/events. */
import { fixedLimits } from '../../engine/limits.ts';
import { Type } from 'typebox';
import { invalid } from '../../engine/errors.ts';
import { quote } from '../../engine/validation/messages.ts';
import { findPipeline } from '../../engine/pipeline-update.ts';
import { defineOperation, type Operation } from '../http/operation.ts';
import { buildPage, parsePageRequest } from '../http/paging.ts';
import { parseEventFilter } from './event-filter.ts';
import { PipelineId } from '../views/pipeline-view.ts';
import type { PipelineApiPorts } from './pipeline-api-ports.ts';
import { listEventsBefore } from './read-events.ts';

const listName = 'pipeline-events';
const pagingRules = { defaultSize: 100, maximumSize: fixedLimits.pipelineEventsPerPage, cursorLength: 2 };

const request = Type.Object({
  pipeline_id: PipelineId,
  max_results: Type.Optional(
    Type.Integer({ minimum: 0, description: 'Events per page. Default: 100; 0 means the maximum, 1000.' }),
  ),
  page_token: Type.Optional(Type.String({ description: 'The next_page_token of the previous page.' })),
  order_by: Type.Optional(
    Type.Union([Type.String(), Type.Array(Type.String())], {
      description: 'Only timestamp desc is supported, which is also the default.',
    }),
  ),
  filter: Type.Optional(
    Type.String({
      description:
        "Conditions on level, event_type, update_id, id and timestamp, joined by AND, such as level in ('WARN', 'ERROR').",
    }),
  ),
});

const response = Type.Object({
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
    Type.String({ description: 'The page_token of the next page; absent on the last page.' }),
  ),
});

/**
 * Lists the event log of a pipeline, newest first.
 * @throws ServiceError RESOURCE_DOES_NOT_EXIST for an unknown pipeline; an invalid filter, order or
 * page_token
 */
export function listPipelineEventsOperation(ports: PipelineApiPorts): Operation {
  return defineOperation({
    method: 'GET',
    path: '/pipelines/:pipeline_id/events',
    versions: ['2.0'],
    scope: 'pipelines',
    summary: 'List pipeline events',
    description:
      'Lists the events of all updates of a pipeline; details.flow_progress contains written rows and the results of expectations.',
    request,
    response,
    async handle({
      pipeline_id: id,
      max_results: limit,
      page_token: token,
      filter = '',
      order_by: order = [],
    }) {
      const wrong = [order].flat().find((each) => !/^\s*timestamp(\s+desc)?\s*$/i.test(each));
      if (wrong !== undefined)
        throw invalid(`order_by is ${quote(wrong)}; only timestamp desc is supported.`);
      const matches = parseEventFilter(filter);
      const pipeline = await findPipeline(ports, id);
      const { size, cursor } = parsePageRequest(
        listName,
        { ...(limit !== undefined && { limit }), ...(token !== undefined && { page_token: token }) },
        pagingRules,
      );
      const found = await listEventsBefore(ports, pipeline, cursor, matches, size + 1);
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
