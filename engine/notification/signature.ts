/** Signatures of webhooks (Standard Webhooks). Receivers verify origin, integrity and age of a request. */
import { createHmac, randomBytes } from 'node:crypto';
import type { SigningSecrets } from './destination.ts';
import { fixedLimits } from '../limits.ts';

const prefix = 'whsec_';

/** Generates a signing secret in the format of receivers. */
export function generateSigningSecret(): string {
  return prefix + randomBytes(32).toString('base64');
}

/** Returns the secrets after a rotation at `now` (epoch ms). */
export function rotateSecrets(secrets: SigningSecrets | undefined, now: number): SigningSecrets {
  const current = generateSigningSecret();
  return secrets === undefined
    ? { current }
    : { current, previous: { secret: secrets.current, until: now + fixedLimits.previousSecretLifetimeMs } };
}

/** Creates the three headers of a signed request. @param now epoch ms */
export function createSignatureHeaders(
  secrets: SigningSecrets,
  deliveryId: string,
  body: string,
  now: number,
): Record<string, string> {
  const timestamp = String(Math.floor(now / 1_000));
  const { current, previous } = secrets;
  const valid = [current, ...(previous !== undefined && previous.until > now ? [previous.secret] : [])];
  const signed = valid.map((secret) => {
    const mac = createHmac('sha256', Buffer.from(secret.slice(prefix.length), 'base64'));
    return `v1,${mac.update(`${deliveryId}.${timestamp}.${body}`).digest('base64')}`;
  });
  return { 'webhook-id': deliveryId, 'webhook-timestamp': timestamp, 'webhook-signature': signed.join(' ') };
}
