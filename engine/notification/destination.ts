/** Notification destinations: configuration, validation and display without secrets. */
import { Type, type Static } from 'typebox';
import { invalid } from '../errors.ts';
import { checkAsciiList } from '../validation/ascii.ts';
import type { Limits } from '../limits.ts';
import { stringList } from '../validation/scalars.ts';
import {
  checkMaxBytes,
  checkMaxItems,
  checkNotBlank,
  checkExactlyOne,
  isNonEmpty,
  missingField,
  quote,
} from '../validation/messages.ts';
import { isEmailAddress } from '../validation/email-address.ts';
import { isPrivateHost } from './address.ts';

export const destinationKinds = ['EMAIL', 'WEBHOOK', 'SLACK', 'MICROSOFT_TEAMS'] as const;
export type DestinationKind = (typeof destinationKinds)[number];

const writeOnlyString = (description: string) =>
  Type.Optional(Type.String({ description: `${description} Write-only.` }));

/** Configuration of a destination; exactly one of the kinds. */
export const DestinationConfig = Type.Object(
  {
    email: Type.Optional(
      Type.Object(
        { addresses: stringList('Addresses that receive one common mail.') },
        { description: 'E-mail.' },
      ),
    ),
    generic_webhook: Type.Optional(
      Type.Object(
        {
          url: writeOnlyString('URL that receives notifications as signed JSON.'),
          username: writeOnlyString('User name of HTTP basic authentication; an empty string removes it.'),
          password: writeOnlyString('Password of HTTP basic authentication; an empty string removes it.'),
        },
        { description: 'An HTTP receiver.' },
      ),
    ),
    slack: Type.Optional(
      Type.Object(
        { url: writeOnlyString('URL of an incoming webhook of Slack.') },
        { description: 'A Slack channel.' },
      ),
    ),
    microsoft_teams: Type.Optional(
      Type.Object(
        { url: writeOnlyString('URL of a webhook of Microsoft Teams.') },
        { description: 'A Teams channel.' },
      ),
    ),
  },
  { description: 'Exactly one of email, generic_webhook, slack and microsoft_teams.' },
);
export type DestinationConfig = Static<typeof DestinationConfig>;

/** Config key -> kind. */
const kindByConfigKey = {
  email: 'EMAIL',
  generic_webhook: 'WEBHOOK',
  slack: 'SLACK',
  microsoft_teams: 'MICROSOFT_TEAMS',
} as const satisfies Record<keyof DestinationConfig, DestinationKind>;

/** Config keys of the destinations that are HTTP receivers. */
const webhookKeys = ['generic_webhook', 'slack', 'microsoft_teams'] as const;

const configKeys = ['email', ...webhookKeys] as const satisfies readonly (keyof typeof kindByConfigKey)[];

/** Known kinds of other services that are refused, because ignoring them would look like success. */
const unsupportedKinds = ['pagerduty'];

/** Target of a destination. */
export type DestinationTarget =
  | { readonly kind: 'EMAIL'; readonly addresses: readonly string[] }
  | { readonly kind: 'WEBHOOK'; readonly url: string; readonly username?: string; readonly password?: string }
  | { readonly kind: 'SLACK' | 'MICROSOFT_TEAMS'; readonly url: string };

/** Signing secrets of a generic webhook. */
export interface SigningSecrets {
  /** `whsec_` and base64. */
  readonly current: string;
  /** Previous secret, which signs beside the current one until `until`. */
  readonly previous?: { readonly secret: string; readonly until: number } | undefined;
}

export interface Destination {
  readonly destinationId: string;
  /** Sequence number. */
  readonly number: number;
  readonly displayName: string;
  readonly target: DestinationTarget;
  readonly secrets: SigningSecrets | undefined;
}

export interface DestinationRules {
  readonly limits: Pick<Limits, 'destinationNameBytes' | 'destinationAddresses' | 'destinationUrlBytes'>;
  /** True when webhooks may reach private and link-local addresses. */
  readonly allowPrivate: boolean;
}

/** @throws ServiceError for a blank or too long name */
export function checkDisplayName(name: string, { limits }: DestinationRules): void {
  checkNotBlank('display_name', name);
  checkMaxBytes('display_name', name, limits.destinationNameBytes);
}

/**
 * Parses the target of a destination. Missing fields keep the values of `before` if it has the same kind,
 * because clients cannot read the secrets that they do not change.
 * @throws ServiceError that names field, value and rule
 */
export function parseTarget(
  config: DestinationConfig,
  rules: DestinationRules,
  before?: DestinationTarget,
): DestinationTarget {
  const unsupported = unsupportedKinds.find((key) => Object.hasOwn(config, key));
  if (unsupported !== undefined)
    throw invalid(`config.${unsupported} is not supported; use one of ${configKeys.join(', ')}.`);
  checkExactlyOne(
    'config',
    configKeys.filter((key) => config[key] !== undefined),
    configKeys,
  );
  if (config.email !== undefined)
    return { kind: 'EMAIL', addresses: parseAddresses(config.email.addresses, rules) };
  const key = webhookKeys.find((name) => config[name] !== undefined) ?? 'generic_webhook';
  const kind = kindByConfigKey[key];
  const kept = before?.kind === kind ? before : undefined;
  const given = config[key] ?? {};
  if ('oauth_token' in given && isNonEmpty(given.oauth_token))
    throw invalid(`config.${key}.oauth_token is not supported; give the url of an incoming webhook.`);
  const url = parseUrl(
    `config.${key}.url`,
    given.url ?? (kept !== undefined && 'url' in kept ? kept.url : undefined),
    rules,
  );
  return kind === 'WEBHOOK'
    ? { kind, url, ...parseCredentials(config.generic_webhook, kept) }
    : { kind, url };
}

function parseCredentials(
  given: DestinationConfig['generic_webhook'],
  kept: DestinationTarget | undefined,
): { username?: string; password?: string } {
  const before = kept?.kind === 'WEBHOOK' ? kept : undefined;
  const [username = '', password = ''] = [
    given?.username ?? before?.username,
    given?.password ?? before?.password,
  ];
  if (username === '' && password !== '') throw missingField('config.generic_webhook.username');
  if (username.includes(':'))
    throw invalid('config.generic_webhook.username has a colon, which basic authentication does not allow.');
  return { ...(username !== '' && { username }), ...(password !== '' && { password }) };
}

function parseAddresses(addresses: readonly string[], { limits }: DestinationRules): readonly string[] {
  const field = 'config.email.addresses';
  if (addresses.length === 0) throw invalid(`${field} is empty; at least one address is required.`);
  checkMaxItems(field, addresses, limits.destinationAddresses);
  checkAsciiList(field, addresses);
  const wrong = addresses.findIndex((one) => !isEmailAddress(one));
  if (wrong >= 0)
    throw invalid(
      `${field}[${wrong}] is ${quote(addresses[wrong])}; it must be a mail address such as ops@example.org.`,
    );
  return addresses;
}

/** Parses a URL. Error messages do not quote it, because the URL of a chat webhook is a secret. */
function parseUrl(
  field: string,
  given: string | undefined,
  { limits, allowPrivate }: DestinationRules,
): string {
  if (given === undefined || given === '') throw missingField(field);
  checkMaxBytes(field, given, limits.destinationUrlBytes);
  const url = URL.parse(given);
  if (url?.protocol !== 'https:' && url?.protocol !== 'http:')
    throw invalid(`${field} must be a URL that starts with https:// or http://.`);
  if (url.username !== '' || url.password !== '')
    throw invalid(`${field} has a user name or password; give them as username and password.`);
  if (!allowPrivate && isPrivateHost(url.hostname)) {
    throw invalid(
      `${field} has the private or local host ${quote(url.hostname)}; only public addresses are allowed unless RUNYARD_WEBHOOK_ALLOW_PRIVATE is true.`,
    );
  }
  return url.href;
}

/** Renders a config for clients. It shows which secrets are set, not their values. */
export function renderConfig(target: DestinationTarget): object {
  switch (target.kind) {
    case 'EMAIL':
      return { email: { addresses: target.addresses } };
    case 'WEBHOOK':
      return {
        generic_webhook: {
          url_set: true,
          ...(target.username !== undefined && { username_set: true }),
          ...(target.password !== undefined && { password_set: true }),
        },
      };
    case 'SLACK':
      return { slack: { url_set: true } };
    case 'MICROSOFT_TEAMS':
      return { microsoft_teams: { url_set: true } };
    default:
      return target satisfies never;
  }
}
