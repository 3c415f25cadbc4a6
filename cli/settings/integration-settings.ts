/** Settings of external services: object store, mail server and webhooks. */
import {
  integerBetween,
  parseBoolean,
  parseHost,
  parseMailFrom,
  parsePublicUrl,
  parseSecretText,
  parseSmtpUrl,
} from './parsers.ts';
import { defineSetting } from './setting.ts';

export const integrationSettings = {
  objstoreEndpoint: defineSetting<string | undefined>({
    variable: 'RUNYARD_OBJSTORE_ENDPOINT',
    parse: parsePublicUrl,
    defaultValue: undefined,
    defaultDescription: 'objstore is a directory',
    description: 'S3-compatible server behind objstore://bucket/path.',
  }),
  objstoreAccessKey: defineSetting<string | undefined>({
    variable: 'RUNYARD_OBJSTORE_ACCESS_KEY',
    parse: parseSecretText,
    defaultValue: undefined,
    defaultDescription: 'none',
    description: 'Access key of the S3-compatible server.',
  }),
  objstoreSecretKey: defineSetting<string | undefined>({
    variable: 'RUNYARD_OBJSTORE_SECRET_KEY',
    parse: parseSecretText,
    defaultValue: undefined,
    defaultDescription: 'none',
    description: 'Secret key of the S3-compatible server.',
  }),
  objstoreRegion: defineSetting({
    variable: 'RUNYARD_OBJSTORE_REGION',
    parse: parseHost,
    defaultValue: 'us-east-1',
    description: 'Region for the signatures of S3 requests.',
  }),
  smtpUrl: defineSetting<string | undefined>({
    variable: 'RUNYARD_SMTP_URL',
    parse: parseSmtpUrl,
    defaultValue: undefined,
    defaultDescription: 'mails are stored as files',
    description:
      'Mail server, as smtp://user:password@host:587 (STARTTLS) or smtps://user:password@host:465.',
  }),
  mailFrom: defineSetting<string | undefined>({
    variable: 'RUNYARD_MAIL_FROM',
    parse: parseMailFrom,
    defaultValue: undefined,
    defaultDescription: 'Runyard <runyard@host>',
    description: 'Sender of mails: an address, or a name with the address in angle brackets.',
  }),
  mailsPerSecond: defineSetting({
    variable: 'RUNYARD_MAILS_PER_SECOND',
    parse: integerBetween(1, 1_000),
    defaultValue: 10,
    description: 'Maximum number of mails per second to the mail server.',
  }),
  webhookAllowPrivate: defineSetting({
    variable: 'RUNYARD_WEBHOOK_ALLOW_PRIVATE',
    parse: parseBoolean,
    defaultValue: false,
    description: 'Allows webhooks to private, local and link-local addresses.',
  }),
};
