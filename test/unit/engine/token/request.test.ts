/** The rules of making and changing a token, as tables of cases. */
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

/** The message of what a call throws. */
function refusalOf(call: () => unknown): string {
  try {
    call();
  } catch (error) {
    return String(error);
  }
  throw new Error('It was taken.');
}

describe('what is asked for', () => {
  test.each([
    [
      'spec 4.2, 8: without a lifetime it lives 730 days, without scopes it permits everything',
      {},
      { comment: '', scopes: ['all-apis'], expiryTime: now + 730 * day * 1_000 },
    ],
    [
      'its lifetime is in seconds',
      { lifetime_seconds: 1 },
      { comment: '', scopes: ['all-apis'], expiryTime: now + 1_000 },
    ],
    [
      'the longest lifetime may be asked for',
      { lifetime_seconds: 730 * day },
      { comment: '', scopes: ['all-apis'], expiryTime: now + 730 * day * 1_000 },
    ],
    [
      'comment and scopes are kept as they are',
      { comment: ' für ☃ ', scopes: ['sql', 'unity-catalog', 'scim'] },
      { comment: ' für ☃ ', scopes: ['sql', 'unity-catalog', 'scim'], expiryTime: now + 730 * day * 1_000 },
    ],
    [
      'automatic scopes may be declined',
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
      'spec 5.7: automatic scopes beside chosen ones',
      { autoscope_enabled: true, scopes: ['jobs'] },
      /autoscope_enabled is true beside scopes; leave one of them out/,
    ],
    [
      'spec 5.7: automatic scopes of less than 30 days',
      { autoscope_enabled: true, lifetime_seconds: 30 * day - 1 },
      /lifetime_seconds is 2591999; only a token of at least 2592000 \(30 days\)/,
    ],
    [
      'spec 5.6: a scope that there is not',
      { scopes: ['jobs', 'everything'] },
      /scopes\[1\] is "everything", which is no scope; there are all-apis, access-management, /,
    ],
    [
      'a lifetime beyond the longest',
      { lifetime_seconds: 730 * day + 1 },
      /lifetime_seconds is 63072001; at most 63072000 \(730 days\) are allowed\.$/,
    ],
    ['no scope at all', { scopes: [] }, /scopes is empty; name at least one/],
    [
      'a scope that is no name',
      { scopes: ['jobs', 'All APIs'] },
      /scopes\[1\] is "All APIs", which is no scope/,
    ],
    ['an empty scope', { scopes: [''] }, /scopes\[0\] is ""/],
    [
      'a scope that is named twice',
      { scopes: ['jobs', 'sql', 'jobs'] },
      /scopes\[2\] is "jobs", as an entry before it is; name each scope once\.$/,
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

describe('spec 4.3: what is to be changed', () => {
  const token = { comment: 'new', scopes: ['sql'] };

  test.each([
    ['scopes', { scopes: ['sql'] }],
    ['comment', { comment: 'new' }],
    ['scopes,comment', token],
    [' comment , scopes ', token],
    ['comment,comment', { comment: 'new' }],
    ['*', token],
  ])('update_mask "%s" names the fields', (mask, change) => {
    expect(parseTokenUpdate(token, mask, defaultLimits)).toEqual(change);
  });

  test('a comment can be emptied, and * takes what is there', () => {
    expect(parseTokenUpdate({ comment: '' }, 'comment', defaultLimits)).toEqual({ comment: '' });
    expect(parseTokenUpdate({ comment: '' }, '*', defaultLimits)).toEqual({ comment: '' });
  });

  test('what the mask does not name is not looked at', () => {
    expect(parseTokenUpdate({ comment: 'new', scopes: [] }, 'comment', defaultLimits)).toEqual({
      comment: 'new',
    });
  });

  test.each([
    [
      'a mask that names something else',
      token,
      'scopes,token_id',
      /update_mask names "token_id"; it may name comment, scopes, or be "\*"/,
    ],
    ['an empty mask', token, '', /update_mask names ""/],
    ['* beside a name', token, '*,scopes', /update_mask names "\*"/],
    ['a field that is not there', { comment: 'new' }, 'scopes', /Missing required field: token\.scopes\.$/],
    ['* with nothing there', {}, '*', /update_mask is "\*" and token has none of comment, scopes/],
    ['no scope at all', { scopes: [] }, 'scopes', /token\.scopes is empty/],
    ['a scope that is no name', { scopes: ['Jobs'] }, '*', /token\.scopes\[0\] is "Jobs"/],
    ['a comment that is too long', { comment: 'x'.repeat(4_097) }, '*', /token\.comment is 4097 bytes/],
  ])('%s is refused', (_, fields, mask, message) => {
    expect(refusalOf(() => parseTokenUpdate(fields, mask, defaultLimits))).toMatch(message);
  });
});

test('spec 8: the 601st token of a user is refused', () => {
  expect(() => checkTokenQuota(599, defaultLimits)).not.toThrow();
  expect(refusalOf(() => checkTokenQuota(600, defaultLimits))).toMatch(/The current quota is 600\.$/);
});

test('a value is known by its beginning; an id is 64 hex digits and no hash of a value', () => {
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
