/** GET notification-destinations. */
import { Type } from 'typebox';
import { int32 } from '../../engine/validation/scalars.ts';
import { defineOperation, type Operation } from '../http/operation.ts';
import { buildPage, parsePageRequest } from '../http/paging.ts';
import type { NotificationPorts } from '../http/ports.ts';
import { toDestinationSummary, DestinationSummary } from '../views/destination-view.ts';

const defaultPageSize = 100;

/**
 * Lists destinations in the order of creation.
 * @throws ServiceError for an invalid page size or page_token
 */
export function listDestinationsOperation({
  destinations,
  destinationRules: { limits },
}: Pick<NotificationPorts, 'destinations' | 'destinationRules'>): Operation {
  return defineOperation({
    method: 'GET',
    path: '/notification-destinations',
    versions: ['2.0'],
    scope: 'notifications',
    summary: 'List notification destinations',
    description: 'Lists ids, names and types of all destinations, oldest first.',
    request: Type.Object({
      page_size: Type.Optional(int32(0, 'Destinations per page. Default: 100; 0 means the maximum, 1000.')),
      page_token: Type.Optional(
        Type.String({ description: 'The next_page_token of the previous page; empty for the first page.' }),
      ),
    }),
    response: Type.Object({
      results: Type.Array(DestinationSummary, { description: 'One page of destinations.' }),
      next_page_token: Type.Optional(
        Type.String({ description: 'The page_token of the next page; absent on the last page.' }),
      ),
    }),
    async handle({ page_size: limit, page_token = '' }) {
      const rule = { defaultSize: defaultPageSize, maximumSize: limits.deliveriesPerPage, cursorLength: 1 };
      const { size, cursor } = parsePageRequest(
        'destinations',
        { page_token, ...(limit !== undefined && { limit }) },
        rule,
      );
      const found = await destinations.list(cursor?.[0], size + 1);
      const {
        entries,
        more: { next_page_token: next },
      } = buildPage('destinations', found, size, (one) => [one.number]);
      return {
        results: entries.map(toDestinationSummary),
        ...(next !== undefined && { next_page_token: next }),
      };
    },
  });
}
