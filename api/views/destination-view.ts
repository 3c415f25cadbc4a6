/** A destination as it is shown, who may change it, and the refusal of one that does not exist. */
import { Type } from 'typebox';
import { ServiceError } from '../../engine/errors.ts';
import { truncateText } from '../../engine/validation/messages.ts';
import { destinationKinds, renderConfig, type Destination } from '../../engine/notification/destination.ts';
import type { Caller } from '../http/auth.ts';

const isSetField = (what: string) =>
  Type.Optional(Type.Boolean({ description: `Whether ${what} is set; what it is, is never shown.` }));

const ConfigView = Type.Object(
  {
    email: Type.Optional(
      Type.Object(
        { addresses: Type.Array(Type.String(), { description: 'Addresses.' }) },
        { description: 'E-mail.' },
      ),
    ),
    generic_webhook: Type.Optional(
      Type.Object(
        {
          url_set: isSetField('the URL'),
          username_set: isSetField('the user name'),
          password_set: isSetField('the password'),
        },
        { description: 'An HTTP receiver.' },
      ),
    ),
    slack: Type.Optional(
      Type.Object({ url_set: isSetField('the URL') }, { description: 'A Slack channel.' }),
    ),
    microsoft_teams: Type.Optional(
      Type.Object({ url_set: isSetField('the URL') }, { description: 'A Teams channel.' }),
    ),
  },
  { description: 'How it is configured, without its secrets; for administrators alone.' },
);

const summaryFields = {
  id: Type.String({ description: 'Id, as webhook_notifications name it.' }),
  display_name: Type.String({ description: 'Name.' }),
  destination_type: Type.Enum([...destinationKinds], { description: 'Kind.' }),
};

export const DestinationSummary = Type.Object(summaryFields, { description: 'A destination in a list.' });

export const DestinationDocument = Type.Object(
  { ...summaryFields, config: Type.Optional(ConfigView) },
  { description: 'A destination without its secrets.' },
);

export const signingSecretField = Type.Optional(
  Type.String({ description: 'Secret of the signatures of a generic webhook, shown this once.' }),
);

export function toDestinationSummary({ destinationId, displayName, target }: Destination): object {
  return { id: destinationId, display_name: displayName, destination_type: target.kind };
}

export function toDestinationView(destination: Destination, { admin }: Pick<Caller, 'admin'>): object {
  return { ...toDestinationSummary(destination), ...(admin && { config: renderConfig(destination.target) }) };
}

export function destinationNotFound(id: string): ServiceError {
  return new ServiceError(
    'RESOURCE_DOES_NOT_EXIST',
    `Notification destination ${truncateText(id)} does not exist.`,
  );
}

/** @throws ServiceError PERMISSION_DENIED for everybody but administrators */
export function checkAdmin({ admin, userName }: Pick<Caller, 'admin' | 'userName'>): void {
  if (!admin)
    throw new ServiceError(
      'PERMISSION_DENIED',
      `Notification destinations are managed by administrators, and user ${userName} is none.`,
    );
}
