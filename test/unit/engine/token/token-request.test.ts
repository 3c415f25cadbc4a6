/** Validation of requests that create and update tokens. */
import { describe, expect, test } from 'vitest';
import { defaultLimits } from '../../../../engine/limits.ts';
import {
  checkTokenQuota,
  parseTokenUpdate,
  parseTokenRequest,
} from '../../../../engine/token/token-request.ts';
import { generateTokenId, generateTokenValue } from '../../../../engine/token/generate-token.ts';
import { isTokenId, hashToken } from '../../../../engine/token/token.ts';

const now = 1_770_000_000_000;
const day = 86_400;

/** Returns the message of the error that a call throws. */
function refusalOf(call: () => unknown): string {
  try {
    call();
  } catch (error) {
    return String(error);
  }
  throw new Error('The call did not throw.');
}

describe('a request for a token', () => {
  test.each([
    [
      'spec 4.2, 8: without a lifetime the token lives 730 days, without scopes it permits everything',
      {},
      { comment: '', scopes: ['all-apis'], expiryTime: now + 730 * day * 1_000 },
    ],
    [
      'the lifetime is in seconds',
      { lifetime_seconds: 1 },
      { comment: '', scopes: ['all-apis'], expiryTime: now + 1_000 },
    ],
    [
      'the maximum lifetime is accepted',
      { lifetime_seconds: 730 * day },
      { comment: '', scopes: ['all-apis'], expiryTime: now + 730 * day * 1_000 },
    ],
    [
      'comment and scopes are stored unchanged',
      { comment: ' für ☃ ', scopes: ['sql', 'unity-catalog', 'scim'] },
      { comment: ' für ☃ ', scopes: ['sql', 'unity-catalog', 'scim'], expiryTime: now + 730 * day * 1_000 },
    ],
    [
      'auto-scoping can be declined',
      { autoscope_enabled: false },
      { comment: '', scopes: ['all-apis'], expiryTime: now + 730 * day * 1_000 },
    ],
  ])('%s', (_, request, expected) => {
    expect(parseTokenRequest(request, now, defaultLimits)).toEqual({
      ...expected,
      createdTime: now,
      autoscopeState: expect.any(String),
    });
  });

  test.each([
    [
      'spec 5.7: auto-scoping together with scopes',
      { autoscope_enabled: true, scopes: ['jobs'] },
      /autoscope_enabled is true and scopes are given; only one of them is allowed\.$/,
    ],
    [
      'spec 5.7: auto-scoping of a token that lives less than 30 days',
      { autoscope_enabled: true, lifetime_seconds: 30 * day - 1 },
      /lifetime_seconds is 2591999; auto-scoping requires at least 2592000 \(30 days\)/,
    ],
    [
      'spec 5.6: an unknown scope',
      { scopes: ['jobs', 'everything'] },
      /scopes\[1\] is "everything"; it must be one of all-apis, access-management, /,
    ],
    [
      'a lifetime above the maximum',
      { lifetime_seconds: 730 * day + 1 },
      /lifetime_seconds is 63072001; at most 63072000 \(730 days\) are allowed\.$/,
    ],
    ['an empty list of scopes', { scopes: [] }, /scopes is empty; at least one scope is required/],
    [
      'a scope with a space',
      { scopes: ['jobs', 'All APIs'] },
      /scopes\[1\] is "All APIs"; it must be one of/,
    ],
    ['an empty scope', { scopes: [''] }, /scopes\[0\] is ""/],
    [
      'a repeated scope',
      { scopes: ['jobs', 'sql', 'jobs'] },
      /scopes\[2\] is "jobs", which repeats an earlier entry; name each scope once\.$/,
    ],
    [
      'too many scopes',
      { scopes: Array.from({ length: 101 }, (_, index) => `s${index}`) },
      /scopes has 101 entries; at most 100 are allowed\.$/,
    ],
    [
      'a comment that is too long',
      { comment: '☃'.repeat(1_366) },
      /comment is 4098 bytes of UTF-8; at most 4096 are allowed\.$/,
    ],
  ])('%s is refused', (_, request, message) => {
    expect(refusalOf(() => parseTokenRequest(request, now, defaultLimits))).toMatch(message);
  });
});

describe('spec 4.3: an update of a token', () => {
  const token = { comment: 'new', scopes: ['sql'] };

  test.each([
    ['scopes', { scopes: ['sql'] }],
    ['comment', { comment: 'new' }],
    ['scopes,comment', token],
    [' comment , scopes ', token],
    ['comment,comment', { comment: 'new' }],
    ['*', token],
  ])('update_mask "%s" selects the fields', (mask, change) => {
    expect(parseTokenUpdate(token, mask, defaultLimits)).toEqual(change);
  });

  test('an empty comment is accepted, and * selects the given fields', () => {
    expect(parseTokenUpdate({ comment: '' }, 'comment', defaultLimits)).toEqual({ comment: '' });
    expect(parseTokenUpdate({ comment: '' }, '*', defaultLimits)).toEqual({ comment: '' });
  });

  test('fields that the mask does not name are ignored', () => {
    expect(parseTokenUpdate({ comment: 'new', scopes: [] }, 'comment', defaultLimits)).toEqual({
      comment: 'new',
    });
  });

  test.each([
    [
      'a mask with an unknown field',
      token,
      'scopes,token_id',
      /update_mask names "token_id"; it may name comment, scopes, or be "\*"/,
    ],
    ['an empty mask', token, '', /update_mask names ""/],
    ['* beside a name', token, '*,scopes', /update_mask names "\*"/],
    ['a missing field', { comment: 'new' }, 'scopes', /Missing required field: token\.scopes\.$/],
    ['* without fields', {}, '*', /update_mask is "\*" and token has none of comment, scopes/],
    ['an empty list of scopes', { scopes: [] }, 'scopes', /token\.scopes is empty/],
    ['an unknown scope', { scopes: ['Jobs'] }, '*', /token\.scopes\[0\] is "Jobs"/],
    ['a comment that is too long', { comment: 'x'.repeat(4_097) }, '*', /token\.comment is 4097 bytes/],
  ])('%s is refused', (_, fields, mask, message) => {
    expect(refusalOf(() => parseTokenUpdate(fields, mask, defaultLimits))).toMatch(message);
  });
});

test('spec 8: the 601st token of a user is refused', () => {
  expect(() => checkTokenQuota(599, defaultLimits)).not.toThrow();
  expect(refusalOf(() => checkTokenQuota(600, defaultLimits))).toMatch(/The current quota is 600\.$/);
});

test('a token value starts with runyard_, and a token id is 64 hex digits', () => {
  const value = generateTokenValue();
  expect(value).toMatch(/^runyard_[0-9a-f]{40}$/);
  expect(generateTokenValue()).not.toBe(value);
  expect(
    [
      generateTokenId(),
      hashToken(value),
      value,
      `${generateTokenId()}0`,
      generateTokenId().toUpperCase().replace('0', 'A'),
    ].map(isTokenId),
  ).toEqual([true, true, false, false, false]);
});
