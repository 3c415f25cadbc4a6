/** GET notification-destinations. */
import { Type } from 'typebox';
import { int32 } from '../../engine/validation/scalars.ts';
import { defineOperation, type Operation } from '../http/operation.ts';
import { buildPage, parsePageRequest } from '../http/paging.ts';
import type { NotificationPorts } from '../http/ports.ts';
import { toDestinationSummary, DestinationSummary } from '../views/destination-view.ts';

const defaultPageSize = 100;

/** Lists destinations in the order of their creation. */
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
    description: 'Ids, names and kinds of all destinations, oldest first.',
    request: Type.Object({
      page_size: Type.Optional(int32(0, 'Destinations per page, at most 1000; 0 means 1000. Default: 100.')),
      page_token: Type.Optional(
        Type.String({ description: 'next_page_token of the page before; empty for the first page.' }),
      ),
    }),
    response: Type.Object({
      results: Type.Array(DestinationSummary, { description: 'One page.' }),
      next_page_token: Type.Optional(
        Type.String({ description: 'page_token of the next page, when there is one.' }),
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
