/**
 * How the server meets the network: TLS, whom it believes where a request came from, and how long it waits
 * for slow ones.
 */
import type { Limits } from '../../engine/limits.ts';

export interface NetworkOptions {
  readonly limits: Pick<Limits, 'requestHeadSeconds' | 'requestSeconds'>;
  /** Certificate and key in PEM; undefined: plain HTTP. */
  readonly tls?: { readonly cert: string; readonly key: string } | undefined;
  /** Addresses of proxies whose word counts about where a request came from. */
  readonly trustedProxies?: readonly string[] | undefined;
}

/** How often connections are looked at whose requests do not get on, ms. */
const maximumCheckIntervalMs = 5_000;

/**
 * Whoever sends a request byte by byte holds a connection no longer than the limits say. Answers may take as
 * long as they take: a log is followed for hours.
 */
export function serverOptions({ limits, tls, trustedProxies = [] }: NetworkOptions) {
  const requestTimeout = limits.requestSeconds * 1_000;
  const headersTimeout = Math.min(limits.requestHeadSeconds * 1_000, requestTimeout);
  const waiting = {
    headersTimeout,
    connectionsCheckingInterval: Math.min(maximumCheckIntervalMs, headersTimeout / 4),
  };
  return {
    requestTimeout,
    trustProxy: trustedProxies.length === 0 ? false : [...trustedProxies],
    ...(tls === undefined
      ? { http: waiting }
      : { https: { ...waiting, ...tls, minVersion: 'TLSv1.2' as const } }),
  };
}
