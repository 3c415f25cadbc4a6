/** Sends e-mails through an SMTP server, or writes them to files when none is configured. */
import { mkdir, rename, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type * as nodemailer from 'nodemailer';
import { codeOf, messageOf } from '../engine/errors.ts';
import { isEmailAddress } from '../engine/validation/email-address.ts';
import type { DeliveryMessage } from '../engine/notification/delivery.ts';
import type { AttemptOutcome } from '../engine/notification/delivery-retry.ts';
import { toExcerpt, type SendResult } from './send-result.ts';
import { fixedLimits } from '../engine/limits.ts';

export interface MailSettings {
  /** smtp[s]://user:password@host:port; undefined writes e-mails to files. */
  readonly smtpUrl: string | undefined;
  readonly from: string;
  /** Maximum e-mails per second. */
  readonly perSecond: number;
  /** Directory of the e-mail files. */
  readonly directory: string;
  /** Further trusted certificates, in PEM. */
  readonly ca?: string | undefined;
}

export interface Mail {
  readonly deliveryId: string;
  readonly to: readonly string[];
  readonly message: Extract<DeliveryMessage, { kind: 'mail' }>;
}

export interface Mailer {
  /** Never rejects. */
  send(mail: Mail): Promise<SendResult>;
  close(): void;
}

/** Maximum SMTP connections, and maximum e-mail deliveries in progress. */
export const mailConcurrency = 5;

export function createMailer(settings: MailSettings): Mailer {
  return settings.smtpUrl === undefined
    ? createFileMailer(settings)
    : createSmtpMailer(settings, new URL(settings.smtpUrl));
}

/** Creates a transport with the first e-mail: most services send none, and the library has many modules. */
function createLazyTransport<Transport extends { close(): void }>(
  create: (library: typeof nodemailer) => Transport,
): { open(): Promise<Transport>; close(): void } {
  let opened: Promise<Transport> | undefined;
  return {
    open: () => (opened ??= import('nodemailer').then(create)),
    close: () => void opened?.then((transport) => transport.close()),
  };
}

function createSmtpMailer(settings: MailSettings, url: URL): Mailer {
  const secure = url.protocol === 'smtps:';
  const user = decodeURIComponent(url.username);
  const host = url.hostname.replace(/^\[|\]$/g, '');
  const transport = createLazyTransport(({ createTransport }) =>
    createTransport({
      pool: true,
      maxConnections: mailConcurrency,
      maxMessages: 100,
      rateDelta: 1_000,
      rateLimit: settings.perSecond,
      host,
      port: url.port === '' ? (secure ? 465 : 587) : Number(url.port),
      secure,
      // A password is sent without TLS only to the local host.
      requireTLS: !secure && user !== '' && !['localhost', '127.0.0.1', '::1'].includes(host),
      ...(user !== '' && { auth: { user, pass: decodeURIComponent(url.password) } }),
      connectionTimeout: fixedLimits.smtpTimeoutMs,
      greetingTimeout: fixedLimits.smtpTimeoutMs,
      socketTimeout: fixedLimits.smtpTimeoutMs,
      dnsTimeout: fixedLimits.smtpTimeoutMs,
      ...(settings.ca !== undefined && { tls: { ca: settings.ca } }),
      disableFileAccess: true,
      disableUrlAccess: true,
    }),
  );
  return {
    async send(mail) {
      const invalid = mail.to.find((address) => !isEmailAddress(address));
      if (invalid !== undefined) return invalidAddressResult(invalid);
      try {
        const { response } = await (await transport.open()).sendMail(composeMail(mail, settings.from));
        return { outcome: { kind: 'delivered' }, status: statusOf(response), response: toExcerpt(response) };
      } catch (error) {
        return toFailureResult(error);
      }
    },
    close: transport.close,
  };
}

function createFileMailer(settings: MailSettings): Mailer {
  const transport = createLazyTransport(({ createTransport }) =>
    createTransport({
      streamTransport: true,
      buffer: true,
      newline: 'windows',
      disableFileAccess: true,
      disableUrlAccess: true,
    }),
  );
  return {
    async send(mail) {
      const invalid = mail.to.find((address) => !isEmailAddress(address));
      if (invalid !== undefined) return invalidAddressResult(invalid);
      try {
        const { message } = await (await transport.open()).sendMail(composeMail(mail, settings.from));
        if (!Buffer.isBuffer(message)) throw new TypeError('The e-mail was not composed as a buffer.');
        await mkdir(settings.directory, { recursive: true, mode: 0o700 });
        const path = join(settings.directory, `${mail.deliveryId}.eml`);
        await writeFile(`${path}.part`, message, { mode: 0o600 });
        await rename(`${path}.part`, path);
        return { outcome: { kind: 'delivered' }, response: `Saved as ${path}; RUNYARD_SMTP_URL is not set.` };
      } catch (error) {
        return { outcome: { kind: 'again' }, error: toExcerpt(messageOf(error)) };
      }
    },
    close: transport.close,
  };
}

/**
 * Composes an e-mail. Addresses are passed as objects: nodemailer would parse a string for lists and names.
 */
function composeMail({ deliveryId, to, message }: Mail, from: string) {
  return {
    from,
    to: to.map((address) => ({ name: '', address })),
    subject: message.subject,
    text: message.text,
    html: message.html,
    // The same id on every attempt lets mail programs deduplicate.
    messageId: `<${deliveryId}@${domainOf(from)}>`,
    ...(message.inReplyTo !== undefined && {
      inReplyTo: `<${message.inReplyTo}@${domainOf(from)}>`,
      references: [`<${message.inReplyTo}@${domainOf(from)}>`],
    }),
    headers: { 'Auto-Submitted': 'auto-generated', 'X-Runyard-Delivery': deliveryId },
  };
}

function domainOf(from: string): string {
  return /@([\w.-]+)>?\s*$/.exec(from)?.[1] ?? 'runyard';
}

function invalidAddressResult(address: string): SendResult {
  return {
    outcome: { kind: 'refused' },
    error: `${JSON.stringify(address.slice(0, 100))} is not an e-mail address.`,
  };
}

function statusOf(response: string): number | undefined {
  const code = /^\d{3}/.exec(response)?.[0];
  return code === undefined ? undefined : Number(code);
}

/**
 * Converts a failure. A 5xx reply about the recipient or the content is final; all other failures, such as a
 * wrong password, are retried.
 */
function toFailureResult(error: unknown): SendResult {
  const status =
    typeof error === 'object' &&
    error !== null &&
    'responseCode' in error &&
    typeof error.responseCode === 'number'
      ? error.responseCode
      : undefined;
  const isAboutMail = ['EENVELOPE', 'EMESSAGE'].includes(codeOf(error) ?? '');
  const outcome: AttemptOutcome =
    isAboutMail && status !== undefined && status >= 500 ? { kind: 'refused' } : { kind: 'again' };
  return { outcome, status, error: toExcerpt(messageOf(error)) };
}
