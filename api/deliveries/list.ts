/** GET notifications/deliveries. */
import { Type } from 'typebox';
import { Id, int32 } from '../../engine/validation/scalars.ts';
import { deliveryStates } from '../../engine/notification/delivery.ts';
import { defineOperation, type Operation } from '../http/operation.ts';
import { buildPage, parsePageRequest } from '../http/paging.ts';
import type { NotificationPorts } from '../http/ports.ts';
import { DeliveryDocument, toDeliveryView } from '../views/delivery-view.ts';

const defaultPageSize = 20;

/** Lists deliveries, newest first, with every try. */
export function listDeliveriesOperation({
  deliveries,
  destinationRules: { limits },
}: Pick<NotificationPorts, 'deliveries' | 'destinationRules'>): Operation {
  return defineOperation({
    method: 'GET',
    path: '/notifications/deliveries',
    versions: ['2.0'],
    scope: 'notifications',
    summary: 'List deliveries of notices',
    description:
      'What was told to whom, newest first, with every try and its answer. Kept for 30 days. Under job access control: those of jobs that the caller may see.',
    request: Type.Object({
      job_id: Type.Optional(Type.Integer({ ...Id, description: 'Only those about this job.' })),
      run_id: Type.Optional(
        Type.Integer({ ...Id, description: 'Only those about this run with its tasks, or this task run.' }),
      ),
      destination_id: Type.Optional(Type.String({ description: 'Only those to this destination.' })),
      state: Type.Optional(Type.Enum([...deliveryStates], { description: 'Only those in this state.' })),
      limit: Type.Optional(int32(0, 'Deliveries per page, at most 1000; 0 means 1000. Default: 20.')),
      page_token: Type.Optional(
        Type.String({ description: 'next_page_token of the page before; empty for the first page.' }),
      ),
    }),
    response: Type.Object({
      deliveries: Type.Array(DeliveryDocument, { description: 'One page.' }),
      next_page_token: Type.Optional(
        Type.String({ description: 'page_token of the next page, when there is one.' }),
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
