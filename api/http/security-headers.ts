/** Headers that every answer carries, so that a browser makes nothing of it but what it is. */

/**
 * An answer of the API loads nothing, is shown nowhere, and is kept by nobody; a page and its files say it
 * otherwise.
 */
export const securityHeaders = {
  'content-security-policy': "default-src 'none'; frame-ancestors 'none'",
  'x-content-type-options': 'nosniff',
  'x-frame-options': 'DENY',
  'referrer-policy': 'no-referrer',
  'cache-control': 'no-store',
} as const satisfies Record<string, string>;

/** Over TLS, a browser asks for nothing in the clear for a year from then on. */
export const tlsHeaders = { 'strict-transport-security': 'max-age=31536000' } as const satisfies Record<
  string,
  string
>;
