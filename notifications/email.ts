/** Sends mails: through an SMTP server, or into files where none is configured. */
import { mkdir, rename, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { createTransport } from 'nodemailer';
import { codeOf, messageOf } from '../engine/errors.ts';
import { isEmailAddress } from '../engine/notification/address.ts';
import type { DeliveryMessage } from '../engine/notification/delivery.ts';
import type { AttemptOutcome } from '../engine/notification/retry.ts';
import { excerpt, type SendResult } from './send-result.ts';

export interface MailSettings {
  /** smtp[s]://user:password@host:port; undefined: mails are kept as files. */
  readonly smtpUrl: string | undefined;
  readonly from: string;
  /** Mails a second, at most. */
  readonly perSecond: number;
  /** Where files of mails are kept. */
  readonly directory: string;
  /** Certificates to trust beside the known ones, in PEM. */
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

/** Connections at a time: as many as deliveries that are under way. */
export const mailsAtOnce = 5;

/** One step of the talk with the server may take so long (ms). */
const stepMs = 20_000;

export function createMailer(settings: MailSettings): Mailer {
  return settings.smtpUrl === undefined
    ? fileMailer(settings)
    : smtpMailer(settings, new URL(settings.smtpUrl));
}

function smtpMailer(settings: MailSettings, url: URL): Mailer {
  const secure = url.protocol === 'smtps:';
  const user = decodeURIComponent(url.username);
  const host = url.hostname.replace(/^\[|\]$/g, '');
  const transport = createTransport({
    pool: true,
    maxConnections: mailsAtOnce,
    maxMessages: 100,
    rateDelta: 1_000,
    rateLimit: settings.perSecond,
    host,
    port: url.port === '' ? (secure ? 465 : 587) : Number(url.port),
    secure,
    // A password never travels in the clear, but on this machine.
    requireTLS: !secure && user !== '' && !['localhost', '127.0.0.1', '::1'].includes(host),
    ...(user !== '' && { auth: { user, pass: decodeURIComponent(url.password) } }),
    connectionTimeout: stepMs,
    greetingTimeout: stepMs,
    socketTimeout: stepMs,
    dnsTimeout: stepMs,
    ...(settings.ca !== undefined && { tls: { ca: settings.ca } }),
    disableFileAccess: true,
    disableUrlAccess: true,
  });
  return {
    async send(mail) {
      const wrong = mail.to.find((address) => !isEmailAddress(address));
      if (wrong !== undefined) return noAddress(wrong);
      try {
        const { response } = await transport.sendMail(composed(mail, settings.from));
        return { outcome: { kind: 'delivered' }, status: statusOf(response), answer: excerpt(response) };
      } catch (error) {
        return failure(error);
      }
    },
    close: () => transport.close(),
  };
}

function fileMailer(settings: MailSettings): Mailer {
  const transport = createTransport({
    streamTransport: true,
    buffer: true,
    newline: 'windows',
    disableFileAccess: true,
    disableUrlAccess: true,
  });
  return {
    async send(mail) {
      const wrong = mail.to.find((address) => !isEmailAddress(address));
      if (wrong !== undefined) return noAddress(wrong);
      try {
        const { message } = await transport.sendMail(composed(mail, settings.from));
        if (!Buffer.isBuffer(message)) throw new TypeError('The mail was not composed as a whole.');
        await mkdir(settings.directory, { recursive: true, mode: 0o700 });
        const path = join(settings.directory, `${mail.deliveryId}.eml`);
        await writeFile(`${path}.part`, message, { mode: 0o600 });
        await rename(`${path}.part`, path);
        return { outcome: { kind: 'delivered' }, answer: `Kept as ${path}; RUNYARD_SMTP_URL is not set.` };
      } catch (error) {
        return { outcome: { kind: 'again' }, error: excerpt(messageOf(error)) };
      }
    },
    close: () => transport.close(),
  };
}

/** What a mail holds. Addresses are given as parts: as one text they would be parsed for lists and names. */
function composed({ deliveryId, to, message }: Mail, from: string) {
  return {
    from,
    to: to.map((address) => ({ name: '', address })),
    subject: message.subject,
    text: message.text,
    html: message.html,
    // Sent twice, it is the same mail.
    messageId: `<${deliveryId}@${domainOf(from)}>`,
    headers: { 'Auto-Submitted': 'auto-generated', 'X-Runyard-Delivery': deliveryId },
  };
}

function domainOf(from: string): string {
  return /@([\w.-]+)>?\s*$/.exec(from)?.[1] ?? 'runyard';
}

function noAddress(address: string): SendResult {
  return {
    outcome: { kind: 'refused' },
    error: `${JSON.stringify(address.slice(0, 100))} is no mail address.`,
  };
}

function statusOf(response: string): number | undefined {
  const code = /^\d{3}/.exec(response)?.[0];
  return code === undefined ? undefined : Number(code);
}

/**
 * What the server says of recipient or content with 5xx stays so; everything else may be mended, a wrong
 * password among it.
 */
function failure(error: unknown): SendResult {
  const status =
    typeof error === 'object' &&
    error !== null &&
    'responseCode' in error &&
    typeof error.responseCode === 'number'
      ? error.responseCode
      : undefined;
  const about = ['EENVELOPE', 'EMESSAGE'].includes(codeOf(error) ?? '');
  const outcome: AttemptOutcome =
    about && status !== undefined && status >= 500 ? { kind: 'refused' } : { kind: 'again' };
  return { outcome, status, error: excerpt(messageOf(error)) };
}
