/** Headers that every answer carries, so that a browser makes nothing of it but what it is. */

/** An answer of the API loads nothing and is shown nowhere; a page has a policy of its own. */
export const securityHeaders = {
  'content-security-policy': "default-src 'none'; frame-ancestors 'none'",
  'x-content-type-options': 'nosniff',
  'x-frame-options': 'DENY',
  'referrer-policy': 'no-referrer',
} as const satisfies Record<string, string>;
