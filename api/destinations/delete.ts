/** DELETE notification-destinations/{id}. */
import { Type } from 'typebox';
import { defineOperation, type Operation } from '../http/operation.ts';
import type { NotificationPorts } from '../http/ports.ts';
import { checkAdmin, destinationNotFound } from '../views/destination-view.ts';

/**
 * Removes a destination. Jobs may still name it: what is told to it from then on fails, and the log says so.
 */
export function deleteDestinationOperation({
  destinations,
}: Pick<NotificationPorts, 'destinations'>): Operation {
  return defineOperation({
    method: 'DELETE',
    path: '/notification-destinations/:id',
    versions: ['2.0'],
    scope: 'notifications',
    summary: 'Delete a notification destination',
    description:
      'Removes a destination with its secrets. Deliveries to it fail from then on, and stay in the log. For administrators.',
    request: Type.Object({ id: Type.String({ description: 'The destination.' }) }),
    response: Type.Object({}),
    async handle({ id }, { caller }) {
      checkAdmin(caller);
      if (!(await destinations.remove(id))) throw destinationNotFound(id);
      return {};
    },
  });
}
