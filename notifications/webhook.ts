/** Posts a signed notification to a URL, with a timeout, and by default never to a private address. */
import { lookup as resolve, type LookupAddress } from 'node:dns';
import type { LookupFunction } from 'node:net';
import type { PlainResponse } from 'got';
import type { Clock } from '../engine/clock.ts';
import { codeOf, messageOf } from '../engine/errors.ts';
import { isPrivateHost, isPublicAddress } from '../engine/notification/address.ts';
import type { Destination, DestinationTarget } from '../engine/notification/destination.ts';
import type { AttemptOutcome } from '../engine/notification/delivery-retry.ts';
import { createSignatureHeaders } from '../engine/notification/signature.ts';
import { toExcerpt, type SendResult } from './send-result.ts';
import { fixedLimits } from '../engine/limits.ts';

export interface WebhookPorts {
  readonly clock: Clock;
  /** True when private and link-local addresses are allowed. */
  readonly allowPrivate: boolean;
  /** Timeout of the whole request, in ms. */
  readonly timeoutMs: number;
  /** Resolver of host names; default: that of the system. */
  readonly lookup?: typeof resolve | undefined;
}

export interface WebhookRequest {
  readonly deliveryId: string;
  readonly body: string;
  readonly destination: Destination;
  readonly target: Exclude<DestinationTarget, { kind: 'EMAIL' }>;
}

class PrivateAddressError extends Error {}

/** Posts a message; network errors become results. Never rejects. */
export async function postWebhook(
  ports: WebhookPorts,
  request: WebhookRequest,
  signal: AbortSignal,
): Promise<SendResult> {
  const { clock, allowPrivate, timeoutMs, lookup = resolve } = ports;
  const { deliveryId, body, target, destination } = request;
  const url = new URL(target.url);
  if (!allowPrivate && isPrivateHost(url.hostname))
    return refusedAddressResult(`${url.hostname} is a private or local address`);
  const credentials =
    target.kind === 'WEBHOOK' && target.username !== undefined
      ? {
          authorization: `Basic ${Buffer.from(`${target.username}:${target.password ?? ''}`).toString('base64')}`,
        }
      : {};
  try {
    // Loaded with the first webhook: most services send none.
    const { default: got } = await import('got');
    const stream = got.stream.post(url, {
      body,
      signal,
      headers: {
        'content-type': 'application/json',
        'user-agent': 'runyard',
        ...credentials,
        ...(destination.secrets !== undefined &&
          createSignatureHeaders(destination.secrets, deliveryId, body, clock.now())),
      },
      timeout: { request: timeoutMs },
      retry: { limit: 0 },
      throwHttpErrors: false,
      maxRedirects: 3,
      methodRewriting: false,
      followRedirect: (response: PlainResponse) => isSameHostRedirect(url, response.headers.location),
      ...(!allowPrivate && { dnsLookup: createPublicLookup(lookup) }),
    });
    const status = await new Promise<{ code: number; retryAfter: string | undefined }>((done, failed) => {
      stream.once(
        'response',
        (response: { statusCode: number; headers: Record<string, string | undefined> }) =>
          done({ code: response.statusCode, retryAfter: response.headers['retry-after'] }),
      );
      stream.on('error', failed);
    });
    // The status decides, also when reading the body fails.
    const response = await readResponseStart(stream);
    return { ...outcomeOfStatus(status, clock.now()), status: status.code, response };
  } catch (error) {
    return toFailureResult(error, timeoutMs);
  }
}

async function readResponseStart(stream: AsyncIterable<Buffer> & { destroy(): void }): Promise<string> {
  const chunks: Buffer[] = [];
  let size = 0;
  try {
    for await (const chunk of stream) {
      chunks.push(chunk);
      size += chunk.length;
      if (size >= fixedLimits.webhookResponseBytes) break;
    }
  } catch {
    // The body was cut off or timed out: keep the part that arrived.
  }
  stream.destroy();
  return toExcerpt(Buffer.concat(chunks).subarray(0, fixedLimits.webhookResponseBytes).toString('utf8'));
}

/** Maps a status to an outcome: 2xx is delivered, 429 and 5xx are retried, everything else is refused. */
function outcomeOfStatus(
  { code, retryAfter }: { readonly code: number; readonly retryAfter: string | undefined },
  now: number,
): { outcome: AttemptOutcome; error?: string } {
  if (code >= 200 && code < 300) return { outcome: { kind: 'delivered' } };
  if (code >= 300 && code < 400)
    return {
      outcome: { kind: 'refused' },
      error: `The destination answered ${code}; only redirects on the same host are followed.`,
    };
  if (code >= 500 || code === 429) {
    return {
      outcome: { kind: 'again', retryAfterMs: parseRetryAfter(retryAfter, now) },
      error: `The destination answered ${code}.`,
    };
  }
  return {
    outcome: { kind: 'refused' },
    error: `The destination answered ${code}; the delivery is not retried.`,
  };
}

/** Parses a Retry-After header (seconds or a date) into ms; undefined for anything else. */
function parseRetryAfter(header: string | undefined, now: number): number | undefined {
  if (header === undefined) return undefined;
  if (/^\s*\d{1,9}\s*$/.test(header)) return Number(header) * 1_000;
  const at = Date.parse(header);
  return Number.isNaN(at) ? undefined : Math.max(0, at - now);
}

/** Allows redirects on the same host, but not from https to http. */
function isSameHostRedirect(from: URL, location: string | undefined): boolean {
  const to = URL.parse(location ?? '', from);
  return to !== null && to.host === from.host && (to.protocol === from.protocol || to.protocol === 'https:');
}

/**
 * Creates a resolver that returns public addresses only. The connection uses the returned address, so a
 * second DNS answer cannot redirect it (DNS rebinding).
 */
export function createPublicLookup(lookup: typeof resolve): LookupFunction {
  return (hostname, options, callback) => {
    lookup(hostname, { ...options, all: true }, (error, found) => {
      const addresses: LookupAddress[] =
        error === null ? found.filter(({ address }) => isPublicAddress(address)) : [];
      const [first] = addresses;
      if (error !== null) callback(error, '');
      else if (first === undefined)
        callback(
          new PrivateAddressError(
            `${hostname} resolves to ${found.map(({ address }) => address).join(', ')}`,
          ),
          '',
        );
      else if (options.all === true) callback(null, addresses);
      else callback(null, first.address, first.family);
    });
  };
}

function refusedAddressResult(subject: string): SendResult {
  return {
    outcome: { kind: 'refused' },
    error: `${subject}; private and link-local addresses are allowed only with RUNYARD_WEBHOOK_ALLOW_PRIVATE=true.`,
  };
}

function toFailureResult(error: unknown, timeoutMs: number): SendResult {
  const cause = error instanceof Error && error.cause instanceof Error ? error.cause : error;
  if (cause instanceof PrivateAddressError || error instanceof PrivateAddressError)
    return refusedAddressResult(messageOf(cause));
  if (error instanceof Error && error.name === 'TimeoutError')
    return {
      outcome: { kind: 'again' },
      error: `The destination did not answer within ${timeoutMs / 1_000} s.`,
    };
  const code = codeOf(error);
  return {
    outcome: { kind: 'again' },
    error: toExcerpt(
      code === undefined || messageOf(error).includes(code)
        ? messageOf(error)
        : `${messageOf(error)} (${code})`,
    ),
  };
}
