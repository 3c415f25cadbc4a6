/** POST notification-destinations/{id}/rotate-secret. */
import { Type } from 'typebox';
import { invalid } from '../../engine/errors.ts';
import { rotateSecrets } from '../../engine/notification/signature.ts';
import { defineOperation, type Operation } from '../http/operation.ts';
import type { NotificationPorts } from '../http/ports.ts';
import { checkAdmin, destinationNotFound } from '../views/destination-view.ts';

/** Gives a generic webhook another signing secret; the one before keeps signing beside it for 24 hours. */
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
      'Makes another secret and shows it this once. Calls carry signatures by both for 24 hours. For administrators.',
    request: Type.Object({ id: Type.String({ description: 'The destination; a generic webhook.' }) }),
    response: Type.Object({
      signing_secret: Type.String({ description: 'The new secret.' }),
      previous_secret_until: Type.Integer({
        description: 'Until when the one before signs, too; epoch milliseconds.',
      }),
    }),
    async handle({ id }, { caller }) {
      checkAdmin(caller);
      const now = clock.now();
      const changed = await destinations.update(id, (before) => {
        if (before.target.kind !== 'WEBHOOK')
          throw invalid(
            `Notification destination ${id} is of the kind ${before.target.kind}; only calls of WEBHOOK destinations are signed.`,
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
