/** GET notification-destinations/{id}. */
import { Type } from 'typebox';
import { defineOperation, type Operation } from '../http/operation.ts';
import type { NotificationPorts } from '../http/ports.ts';
import { DestinationDocument, toDestinationView, destinationNotFound } from '../views/destination-view.ts';

/**
 * Returns a destination; its configuration is visible to administrators only.
 * @throws ServiceError RESOURCE_DOES_NOT_EXIST for an unknown destination
 */
export function getDestinationOperation({
  destinations,
}: Pick<NotificationPorts, 'destinations'>): Operation {
  return defineOperation({
    method: 'GET',
    path: '/notification-destinations/:id',
    versions: ['2.0'],
    scope: 'notifications',
    summary: 'Get a notification destination',
    description: 'Returns a destination. Only administrators see its configuration; secrets are never shown.',
    request: Type.Object({ id: Type.String({ description: 'Id of the destination.' }) }),
    response: DestinationDocument,
    async handle({ id }, { caller }) {
      const destination = await destinations.find(id);
      if (destination === undefined) throw destinationNotFound(id);
      return toDestinationView(destination, caller);
    },
  });
}
