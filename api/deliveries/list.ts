/** GET notifications/deliveries (spec 6). */
import { Type } from 'typebox';
import { Id, int32 } from '../../engine/validation/scalars.ts';
import { deliveryStates } from '../../engine/notification/delivery.ts';
import { defineOperation, type Operation } from '../http/operation.ts';
import { buildPage, parsePageRequest } from '../http/paging.ts';
import type { NotificationPorts } from '../http/ports.ts';
import { DeliveryDocument, toDeliveryView } from '../views/delivery-view.ts';

const defaultPageSize = 20;

/**
 * Lists deliveries, newest first, with all delivery attempts.
 * @throws ServiceError for an invalid limit or page_token
 */
export function listDeliveriesOperation({
  deliveries,
  destinationRules: { limits },
}: Pick<NotificationPorts, 'deliveries' | 'destinationRules'>): Operation {
  return defineOperation({
    method: 'GET',
    path: '/notifications/deliveries',
    versions: ['2.0'],
    scope: 'notifications',
    summary: 'List deliveries',
    description:
      'Lists notifications by recipient, newest first, with every delivery attempt and its response. Deliveries are kept for 30 days. Under job access control: only deliveries of jobs that the caller may view.',
    request: Type.Object({
      job_id: Type.Optional(Type.Integer({ ...Id, description: 'Only deliveries about this job.' })),
      run_id: Type.Optional(
        Type.Integer({
          ...Id,
          description: 'Only deliveries about this run and its tasks, or about this task run.',
        }),
      ),
      destination_id: Type.Optional(Type.String({ description: 'Only deliveries to this destination.' })),
      state: Type.Optional(Type.Enum([...deliveryStates], { description: 'Only deliveries in this state.' })),
      limit: Type.Optional(int32(0, 'Deliveries per page. Default: 20; 0 means the maximum, 1000.')),
      page_token: Type.Optional(
        Type.String({ description: 'The next_page_token of the previous page; empty for the first page.' }),
      ),
    }),
    response: Type.Object({
      deliveries: Type.Array(DeliveryDocument, { description: 'One page of deliveries.' }),
      next_page_token: Type.Optional(
        Type.String({ description: 'The page_token of the next page; absent on the last page.' }),
      ),
    }),
    async handle(query, { visibleTo }) {
      const { size, cursor } = parsePageRequest('deliveries', query, {
        defaultSize: defaultPageSize,
        maximumSize: limits.deliveriesPerPage,
        cursorLength: 1,
      });
      const found = await deliveries.list({
        jobId: query.job_id,
        runId: query.run_id,
        destinationId: query.destination_id,
        state: query.state,
        visibleTo,
        before: cursor?.[0],
        limit: size + 1,
      });
      const {
        entries,
        more: { next_page_token: next },
      } = buildPage('deliveries', found, size, (one) => [one.number]);
      return {
        deliveries: entries.map(toDeliveryView),
        ...(next !== undefined && { next_page_token: next }),
      };
    },
  });
}
