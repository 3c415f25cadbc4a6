/** POST notification-destinations (spec 2.9). */
import { Type } from 'typebox';
import { checkDisplayName, DestinationConfig, parseTarget } from '../../engine/notification/destination.ts';
import { generateSigningSecret } from '../../engine/notification/signature.ts';
import { defineOperation, type Operation } from '../http/operation.ts';
import type { NotificationPorts } from '../http/ports.ts';
import {
  checkAdmin,
  DestinationDocument,
  toDestinationView,
  signingSecretField,
} from '../views/destination-view.ts';

/**
 * Creates a destination. The response contains the signing secret of a generic webhook, which is not shown
 * again.
 * @throws ServiceError PERMISSION_DENIED for callers other than administrators; QUOTA_EXCEEDED at the
 * maximum; an invalid name or configuration
 */
export function createDestinationOperation({
  destinations,
  destinationRules: rules,
  clock,
}: NotificationPorts): Operation {
  return defineOperation({
    method: 'POST',
    path: '/notification-destinations',
    versions: ['2.0'],
    scope: 'notifications',
    summary: 'Create a notification destination',
    description:
      'Creates a destination: an HTTP receiver, Slack, Teams, or e-mail addresses. For administrators. Secrets are not shown again.',
    request: Type.Object({
      display_name: Type.String({ description: 'Name of the destination.' }),
      config: DestinationConfig,
    }),
    response: Type.Object({ ...DestinationDocument.properties, signing_secret: signingSecretField }),
    async handle({ display_name: displayName, config }, { caller }) {
      checkAdmin(caller);
      checkDisplayName(displayName, rules);
      const target = parseTarget(config, rules);
      const secrets = target.kind === 'WEBHOOK' ? { current: generateSigningSecret() } : undefined;
      const destinationId = await destinations.create(
        { displayName, target, secrets, now: clock.now() },
        rules.limits.destinations,
      );
      return {
        ...toDestinationView({ destinationId, number: 0, displayName, target, secrets }, caller),
        ...(secrets !== undefined && { signing_secret: secrets.current }),
      };
    },
  });
}
