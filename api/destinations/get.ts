/** GET notification-destinations/{id}. */
import { Type } from 'typebox';
import { defineOperation, type Operation } from '../http/operation.ts';
import type { NotificationPorts } from '../http/ports.ts';
import { DestinationDocument, toDestinationView, destinationNotFound } from '../views/destination-view.ts';

/** Shows one destination; how it is configured to administrators alone. */
export function getDestinationOperation({
  destinations,
}: Pick<NotificationPorts, 'destinations'>): Operation {
  return defineOperation({
    method: 'GET',
    path: '/notification-destinations/:id',
    versions: ['2.0'],
    scope: 'notifications',
    summary: 'Get a notification destination',
    description: 'One destination. Administrators see how it is configured, and nobody its secrets.',
    request: Type.Object({ id: Type.String({ description: 'The destination.' }) }),
    response: DestinationDocument,
    async handle({ id }, { caller }) {
      const destination = await destinations.find(id);
      if (destination === undefined) throw destinationNotFound(id);
      return toDestinationView(destination, caller);
    },
  });
}
