/** POST notification-destinations/{id}/test. */
import { Type } from 'typebox';
import { defineOperation, type Operation } from '../http/operation.ts';
import type { NotificationPorts } from '../http/ports.ts';
import { checkAdmin, destinationNotFound } from '../views/destination-view.ts';

/** Sends a test notice. What comes of it stands in the log of deliveries. */
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
      'Sends a test notice and returns at once; notifications/deliveries shows what came of it. For administrators.',
    request: Type.Object({ id: Type.String({ description: 'The destination.' }) }),
    response: Type.Object({ delivery_id: Type.String({ description: 'The delivery of the test notice.' }) }),
    async handle({ id }, { caller }) {
      checkAdmin(caller);
      if ((await destinations.find(id)) === undefined) throw destinationNotFound(id);
      return { delivery_id: await destinations.createTestDelivery(id, clock.now()) };
    },
  });
}
