/** Security headers of all responses. */

/** Headers of API responses: no loading, no framing, no caching. Pages and their assets override them. */
export const securityHeaders = {
  'content-security-policy': "default-src 'none'; frame-ancestors 'none'",
  'x-content-type-options': 'nosniff',
  'x-frame-options': 'DENY',
  'referrer-policy': 'no-referrer',
  'cache-control': 'no-store',
} as const satisfies Record<string, string>;

/** Headers over TLS: browsers use HTTPS only for one year (HSTS). */
export const tlsHeaders = { 'strict-transport-security': 'max-age=31536000' } as const satisfies Record<
  string,
  string
>;
