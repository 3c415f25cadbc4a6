/** PATCH notification-destinations/{id}. */
import { Type } from 'typebox';
import { invalid } from '../../engine/errors.ts';
import { checkDisplayName, DestinationConfig, parseTarget } from '../../engine/notification/destination.ts';
import { generateSigningSecret } from '../../engine/notification/signature.ts';
import { defineOperation, type Operation } from '../http/operation.ts';
import type { NotificationPorts } from '../http/ports.ts';
import {
  checkAdmin,
  DestinationDocument,
  toDestinationView,
  signingSecretField,
  destinationNotFound,
} from '../views/destination-view.ts';

/**
 * Changes name or configuration. A destination that becomes a generic webhook gets a secret, shown this once.
 */
export function updateDestinationOperation({
  destinations,
  destinationRules: rules,
}: Pick<NotificationPorts, 'destinations' | 'destinationRules'>): Operation {
  return defineOperation({
    method: 'PATCH',
    path: '/notification-destinations/:id',
    versions: ['2.0'],
    scope: 'notifications',
    summary: 'Change a notification destination',
    description:
      'Changes what is given. Within a config of the same kind, fields that are left out keep their values; deliveries that are under way use the new ones. For administrators.',
    request: Type.Object({
      id: Type.String({ description: 'The destination.' }),
      display_name: Type.Optional(Type.String({ description: 'Name.' })),
      config: Type.Optional(DestinationConfig),
    }),
    response: Type.Object({ ...DestinationDocument.properties, signing_secret: signingSecretField }),
    async handle({ id, display_name: name, config }, { caller }) {
      checkAdmin(caller);
      // Some clients send no body with a PATCH: that it did nothing must not look like success.
      if (name === undefined && config === undefined)
        throw invalid('Neither display_name nor config is given; give what is to be changed.');
      if (name !== undefined) checkDisplayName(name, rules);
      let fresh: string | undefined;
      const changed = await destinations.update(id, (before) => {
        const target = config === undefined ? before.target : parseTarget(config, rules, before.target);
        if (target.kind !== 'WEBHOOK')
          return { ...before, displayName: name ?? before.displayName, target, secrets: undefined };
        fresh = before.secrets === undefined ? generateSigningSecret() : undefined;
        return {
          ...before,
          displayName: name ?? before.displayName,
          target,
          secrets: fresh === undefined ? before.secrets : { current: fresh },
        };
      });
      if (changed === undefined) throw destinationNotFound(id);
      return { ...toDestinationView(changed, caller), ...(fresh !== undefined && { signing_secret: fresh }) };
    },
  });
}
