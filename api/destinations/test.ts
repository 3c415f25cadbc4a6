/** POST notification-destinations/{id}/test. */
import { Type } from 'typebox';
import { defineOperation, type Operation } from '../http/operation.ts';
import type { NotificationPorts } from '../http/ports.ts';
import { checkAdmin, destinationNotFound } from '../views/destination-view.ts';

/**
 * Sends a test notification; the log of deliveries contains its result.
 * @throws ServiceError PERMISSION_DENIED for callers other than administrators; RESOURCE_DOES_NOT_EXIST for
 * an unknown destination
 */
export function testDestinationOperation({
  destinations,
  clock,
}: Pick<NotificationPorts, 'destinations' | 'clock'>): Operation {
  return defineOperation({
    method: 'POST',
    path: '/notification-destinations/:id/test',
    versions: ['2.0'],
    scope: 'notifications',
    summary: 'Test a notification destination',
    description:
      'Sends a test notification and returns immediately. notifications/deliveries shows the result. For administrators.',
    request: Type.Object({ id: Type.String({ description: 'Id of the destination.' }) }),
    response: Type.Object({
      delivery_id: Type.String({ description: 'Id of the delivery of the test notification.' }),
    }),
    async handle({ id }, { caller }) {
      checkAdmin(caller);
      if ((await destinations.find(id)) === undefined) throw destinationNotFound(id);
      return { delivery_id: await destinations.createTestDelivery(id, clock.now()) };
    },
  });
}
