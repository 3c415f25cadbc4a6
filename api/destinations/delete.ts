/** DELETE notification-destinations/{id}. */
import { Type } from 'typebox';
import { defineOperation, type Operation } from '../http/operation.ts';
import type { NotificationPorts } from '../http/ports.ts';
import { checkAdmin, destinationNotFound } from '../views/destination-view.ts';

/**
 * Deletes a destination. Jobs may still reference it; deliveries to it then fail.
 * @throws ServiceError PERMISSION_DENIED for callers other than administrators; RESOURCE_DOES_NOT_EXIST for
 * an unknown destination
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
      'Deletes a destination with its secrets. Later deliveries to it fail and stay in the log. For administrators.',
    request: Type.Object({ id: Type.String({ description: 'Id of the destination.' }) }),
    response: Type.Object({}),
    async handle({ id }, { caller }) {
      checkAdmin(caller);
      if (!(await destinations.remove(id))) throw destinationNotFound(id);
      return {};
    },
  });
}
