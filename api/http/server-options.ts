/** Network options of the server: TLS, trusted proxies, and timeouts of slow requests. */
import type { Limits } from '../../engine/limits.ts';

export interface NetworkOptions {
  readonly limits: Pick<Limits, 'requestHeadSeconds' | 'requestSeconds'>;
  /** Certificate and key in PEM. Undefined: plain HTTP. */
  readonly tls?: { readonly cert: string; readonly key: string } | undefined;
  /** Addresses of proxies whose X-Forwarded-For header is trusted. */
  readonly trustedProxies?: readonly string[] | undefined;
}

/** Maximum interval of the check for stalled requests, ms. */
const maximumCheckIntervalMs = 5_000;

/**
 * Returns the options of the server. Timeouts apply to receiving requests (slow clients), not to responses: a
 * log may be followed for hours.
 */
export function serverOptions({ limits, tls, trustedProxies = [] }: NetworkOptions) {
  const requestTimeout = limits.requestSeconds * 1_000;
  const headersTimeout = Math.min(limits.requestHeadSeconds * 1_000, requestTimeout);
  const timeouts = {
    headersTimeout,
    connectionsCheckingInterval: Math.min(maximumCheckIntervalMs, headersTimeout / 4),
  };
  return {
    requestTimeout,
    trustProxy: trustedProxies.length === 0 ? false : [...trustedProxies],
    ...(tls === undefined
      ? { http: timeouts }
      : { https: { ...timeouts, ...tls, minVersion: 'TLSv1.2' as const } }),
  };
}
