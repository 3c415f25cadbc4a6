/** POST notification-destinations/{id}/rotate-secret. */
import { Type } from 'typebox';
import { invalid } from '../../engine/errors.ts';
import { rotateSecrets } from '../../engine/notification/signature.ts';
import { defineOperation, type Operation } from '../http/operation.ts';
import type { NotificationPorts } from '../http/ports.ts';
import { checkAdmin, destinationNotFound } from '../views/destination-view.ts';

/**
 * Creates a new signing secret of a generic webhook. The previous secret stays valid for 24 hours.
 * @throws ServiceError PERMISSION_DENIED for callers other than administrators; RESOURCE_DOES_NOT_EXIST; a
 * destination of another type
 */
export function rotateDestinationSecretOperation({
  destinations,
  clock,
}: Pick<NotificationPorts, 'destinations' | 'clock'>): Operation {
  return defineOperation({
    method: 'POST',
    path: '/notification-destinations/:id/rotate-secret',
    versions: ['2.0'],
    scope: 'notifications',
    summary: 'Rotate the signing secret of a webhook',
    description:
      'Creates a new signing secret and returns it once. For 24 hours, calls carry signatures by both secrets. For administrators.',
    request: Type.Object({
      id: Type.String({ description: 'Id of the destination, which must be a generic webhook.' }),
    }),
    response: Type.Object({
      signing_secret: Type.String({ description: 'The new secret.' }),
      previous_secret_until: Type.Integer({
        description: 'End of the validity of the previous secret, epoch milliseconds.',
      }),
    }),
    async handle({ id }, { caller }) {
      checkAdmin(caller);
      const now = clock.now();
      const changed = await destinations.update(id, (before) => {
        if (before.target.kind !== 'WEBHOOK')
          throw invalid(
            `Notification destination ${id} has type ${before.target.kind}; only WEBHOOK destinations have a signing secret.`,
          );
        return { ...before, secrets: rotateSecrets(before.secrets, now) };
      });
      if (changed === undefined) throw destinationNotFound(id);
      return {
        signing_secret: changed.secrets?.current,
        previous_secret_until: changed.secrets?.previous?.until ?? now,
      };
    },
  });
}
