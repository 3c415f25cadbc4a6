/** Schemas and page query shared by GET and POST clusters/events. */
import { Type } from 'typebox';
import { clusterEventTypes, type ClusterEventFilterType } from '../../engine/cluster/events.ts';
import { toTerminationReason } from '../../engine/cluster/termination.ts';
import type { RequestContext } from '../http/operation.ts';
import { encodePageToken, parsePageRequest } from '../http/paging.ts';
import { epochMsSchema } from '../views/time-schemas.ts';
import { getPermittedCluster, type ClusterAccessPorts } from './cluster-access.ts';
import { ClusterId } from '../views/cluster-view.ts';

const maximumPageSize = 500;

export const clusterEventPageFields = {
  cluster_id: ClusterId,
  start_time: Type.Optional(epochMsSchema('Start of the time range, inclusive')),
  end_time: Type.Optional(epochMsSchema('End of the time range, inclusive')),
  order: Type.Optional(Type.Enum(['DESC', 'ASC'], { description: 'DESC: newest first. Default: DESC.' })),
  offset: Type.Optional(Type.Integer({ minimum: 0, description: 'Number of events to skip. Default: 0.' })),
  limit: Type.Optional(
    Type.Integer({
      minimum: 0,
      maximum: maximumPageSize,
      description: `Events per page. Default: 50; 0 means the maximum, ${maximumPageSize}.`,
    }),
  ),
  page_size: Type.Optional(
    Type.Integer({
      minimum: 0,
      maximum: maximumPageSize,
      description: `Events per page, instead of limit. 0 means the maximum, ${maximumPageSize}.`,
    }),
  ),
  page_token: Type.Optional(
    Type.String({
      description: 'The next_page_token or prev_page_token of another page, instead of offset.',
    }),
  ),
};
export const ClusterEventTypes = Type.Array(Type.Enum([...clusterEventTypes]), {
  description: 'Only events of these types; an empty list means all types.',
});

const Event = Type.Object({
  cluster_id: ClusterId,
  timestamp: epochMsSchema('Time of the event'),
  type: Type.Enum([...clusterEventTypes], { description: 'Type of the event.' }),
  details: Type.Object(
    {},
    { description: 'Depending on the type: current_num_workers, target_num_workers, reason, user.' },
  ),
});

const responseSchema = Type.Object({
  events: Type.Array(Event, { description: 'The events.' }),
  total_count: Type.Integer({ minimum: 0, description: 'Total number of matching events.' }),
  next_page: Type.Optional(
    Type.Object({}, { description: 'Request of the next page; absent on the last page.' }),
  ),
  next_page_token: Type.Optional(
    Type.String({ description: 'The page_token of the next page; absent on the last page.' }),
  ),
  prev_page_token: Type.Optional(
    Type.String({ description: 'The page_token of the previous page; absent on the first page.' }),
  ),
});

export const clusterEventsOperation = {
  path: '/clusters/events',
  versions: ['2.1', '2.0'],
  scope: 'clusters',
  summary: 'List cluster events',
  description: 'Lists the events of a cluster page by page. `next_page` is the request of the next page.',
  response: responseSchema,
} as const;

interface EventsRequest {
  readonly cluster_id: string;
  readonly start_time?: number;
  readonly end_time?: number;
  readonly order?: 'ASC' | 'DESC';
  readonly event_types?: readonly ClusterEventFilterType[];
  readonly offset?: number;
  readonly limit?: number;
  readonly page_size?: number;
  readonly page_token?: string;
}

const pagingRules = { defaultSize: 50, maximumSize: maximumPageSize, cursorLength: 1 };
const listName = 'cluster events';

/**
 * Returns one page of the events of a cluster.
 * @throws ServiceError for an unknown cluster; PERMISSION_DENIED without CAN_ATTACH_TO
 */
export async function listClusterEvents(
  ports: ClusterAccessPorts,
  request: EventsRequest,
  context: RequestContext,
): Promise<object> {
  const {
    cluster_id: clusterId,
    start_time: from,
    end_time: to,
    order = 'DESC',
    event_types: wanted,
    page_token: token,
    page_size: pageSize,
    ...paging
  } = request;
  const limit = pageSize ?? paging.limit;
  const page = parsePageRequest(
    listName,
    { ...paging, ...(limit !== undefined && { limit }), ...(token !== undefined && { page_token: token }) },
    pagingRules,
  );
  const { size, cursor: [offset = 0] = [page.offset] } = page;
  await getPermittedCluster(ports, clusterId, context, 'CAN_ATTACH_TO');
  const { events, total } = await ports.clusters.listEvents({
    clusterId,
    from,
    to,
    types: wanted,
    newestFirst: order === 'DESC',
    offset,
    limit: size,
  });
  const end = offset + events.length;
  return {
    events: events.map(({ time, type, details: { reason, ...details } }) => ({
      cluster_id: clusterId,
      timestamp: time,
      type,
      details: { ...details, ...(reason !== undefined && { reason: toTerminationReason(reason) }) },
    })),
    total_count: total,
    ...(end < total && {
      next_page: nextRequest(request, end, size),
      next_page_token: encodePageToken(listName, [end]),
    }),
    ...(offset > 0 && { prev_page_token: encodePageToken(listName, [Math.max(0, offset - size)]) }),
  };
}

/** Returns the request of the next page, by its offset: clients send it as it is. */
function nextRequest(request: EventsRequest, offset: number, limit: number): object {
  const { page_token: _token, page_size: _size, ...rest } = request;
  return { ...rest, offset, limit };
}
