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
 * Updates name or configuration. A destination that becomes a generic webhook gets a signing secret, which
 * is not shown again.
 * @throws ServiceError PERMISSION_DENIED for callers other than administrators; RESOURCE_DOES_NOT_EXIST; an
 * empty or invalid change
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
    summary: 'Update a notification destination',
    description:
      'Updates the given fields. Omitted fields of a config of the same type keep their values. Pending deliveries use the new values. For administrators.',
    request: Type.Object({
      id: Type.String({ description: 'Id of the destination.' }),
      display_name: Type.Optional(Type.String({ description: 'New name.' })),
      config: Type.Optional(DestinationConfig),
    }),
    response: Type.Object({ ...DestinationDocument.properties, signing_secret: signingSecretField }),
    async handle({ id, display_name: name, config }, { caller }) {
      checkAdmin(caller);
      // Some clients send PATCH without a body; success would hide that nothing changed.
      if (name === undefined && config === undefined)
        throw invalid('Neither display_name nor config is given; at least one is required.');
      if (name !== undefined) checkDisplayName(name, rules);
      let newSecret: string | undefined;
      const changed = await destinations.update(id, (before) => {
        const target = config === undefined ? before.target : parseTarget(config, rules, before.target);
        if (target.kind !== 'WEBHOOK')
          return { ...before, displayName: name ?? before.displayName, target, secrets: undefined };
        newSecret = before.secrets === undefined ? generateSigningSecret() : undefined;
        return {
          ...before,
          displayName: name ?? before.displayName,
          target,
          secrets: newSecret === undefined ? before.secrets : { current: newSecret },
        };
      });
      if (changed === undefined) throw destinationNotFound(id);
      return {
        ...toDestinationView(changed, caller),
        ...(newSecret !== undefined && { signing_secret: newSecret }),
      };
    },
  });
}
