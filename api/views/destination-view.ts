/** Notification destination in responses, and the check for administrators. */
import { Type } from 'typebox';
import { ServiceError } from '../../engine/errors.ts';
import { truncateText } from '../../engine/validation/messages.ts';
import { destinationKinds, renderConfig, type Destination } from '../../engine/notification/destination.ts';
import type { Caller } from '../http/auth.ts';

const isSetField = (field: string) =>
  Type.Optional(Type.Boolean({ description: `Whether ${field} is set; its value is never shown.` }));

const ConfigView = Type.Object(
  {
    email: Type.Optional(
      Type.Object(
        { addresses: Type.Array(Type.String(), { description: 'E-mail addresses.' }) },
        { description: 'E-mail recipients.' },
      ),
    ),
    generic_webhook: Type.Optional(
      Type.Object(
        {
          url_set: isSetField('the URL'),
          username_set: isSetField('the user name'),
          password_set: isSetField('the password'),
        },
        { description: 'HTTP receiver.' },
      ),
    ),
    slack: Type.Optional(Type.Object({ url_set: isSetField('the URL') }, { description: 'Slack channel.' })),
    microsoft_teams: Type.Optional(
      Type.Object({ url_set: isSetField('the URL') }, { description: 'Teams channel.' }),
    ),
  },
  { description: 'Configuration without secrets; only for administrators.' },
);

const summaryFields = {
  id: Type.String({ description: 'Id to use in webhook_notifications.' }),
  display_name: Type.String({ description: 'Name of the destination.' }),
  destination_type: Type.Enum([...destinationKinds], { description: 'Type of the destination.' }),
};

export const DestinationSummary = Type.Object(summaryFields, { description: 'Destination in a list.' });

export const DestinationDocument = Type.Object(
  { ...summaryFields, config: Type.Optional(ConfigView) },
  { description: 'Destination without its secrets.' },
);

export const signingSecretField = Type.Optional(
  Type.String({ description: 'Signing secret of a generic webhook; not shown again.' }),
);

/** Returns the list entry of a destination. */
export function toDestinationSummary({ destinationId, displayName, target }: Destination): object {
  return { id: destinationId, display_name: displayName, destination_type: target.kind };
}

/** Returns the document of a destination; administrators get its configuration. */
export function toDestinationView(destination: Destination, { admin }: Pick<Caller, 'admin'>): object {
  return { ...toDestinationSummary(destination), ...(admin && { config: renderConfig(destination.target) }) };
}

/** Returns the error of an unknown destination. */
export function destinationNotFound(id: string): ServiceError {
  return new ServiceError(
    'RESOURCE_DOES_NOT_EXIST',
    `Notification destination ${truncateText(id)} does not exist.`,
  );
}

/** @throws ServiceError PERMISSION_DENIED for callers other than administrators */
export function checkAdmin({ admin, userName }: Pick<Caller, 'admin' | 'userName'>): void {
  if (!admin)
    throw new ServiceError(
      'PERMISSION_DENIED',
      `Only administrators manage notification destinations; user ${userName} is not an administrator.`,
    );
}
