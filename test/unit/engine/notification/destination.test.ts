/** Validation and display of notification destinations. */
import { describe, expect, test } from 'vitest';
import { defaultLimits } from '../../../../engine/limits.ts';
import {
  renderConfig,
  parseTarget,
  type DestinationConfig,
  type DestinationTarget,
} from '../../../../engine/notification/destination.ts';

const rules = { limits: defaultLimits, allowPrivate: false };
const url = 'https://desk.example.org/hook';

test.each<[DestinationConfig, DestinationTarget, object]>([
  [
    { email: { addresses: ['a@x.org', 'b@x.org'] } },
    { kind: 'EMAIL', addresses: ['a@x.org', 'b@x.org'] },
    { email: { addresses: ['a@x.org', 'b@x.org'] } },
  ],
  [{ generic_webhook: { url } }, { kind: 'WEBHOOK', url }, { generic_webhook: { url_set: true } }],
  [
    { generic_webhook: { url, username: 'u', password: 'p' } },
    { kind: 'WEBHOOK', url, username: 'u', password: 'p' },
    { generic_webhook: { url_set: true, username_set: true, password_set: true } },
  ],
  [{ slack: { url } }, { kind: 'SLACK', url }, { slack: { url_set: true } }],
  [{ microsoft_teams: { url } }, { kind: 'MICROSOFT_TEAMS', url }, { microsoft_teams: { url_set: true } }],
])('%j is accepted and shown without secrets', (config, target, shown) => {
  expect(parseTarget(config, rules)).toEqual(target);
  expect(renderConfig(target)).toEqual(shown);
});

test.each<[object, RegExp]>([
  [{}, /^config has none of email, generic_webhook, slack, microsoft_teams; exactly one is required\.$/],
  [{ slack: { url }, microsoft_teams: { url } }, /^config has slack and microsoft_teams; exactly one/],
  [
    { pagerduty: { integration_key: 'k' } },
    /^config\.pagerduty is not supported; use one of email, generic_webhook/,
  ],
  [
    { slack: { oauth_token: 'x', channel_id: 'c' } },
    /^config\.slack\.oauth_token is not supported; give the url/,
  ],
  [{ email: { addresses: [] } }, /^config\.email\.addresses is empty/],
  [{ email: { addresses: ['größe@x.org'] } }, /addresses\[0\] is "größe@x\.org"; only ASCII/],
  [
    { email: { addresses: ['a@x.org', 'no-address'] } },
    /addresses\[1\] is "no-address"; it must be a mail address/,
  ],
  [{ generic_webhook: {} }, /^Missing required field: config\.generic_webhook\.url\.$/],
  [
    { generic_webhook: { url: 'ftp://x/secret' } },
    /^config\.generic_webhook\.url must be a URL that starts with https:\/\/ or http:\/\/\.$/,
  ],
  [{ generic_webhook: { url: 'secret' } }, /^config\.generic_webhook\.url must be a URL/],
  [
    { generic_webhook: { url: 'https://u:secret@x.org/' } },
    /^config\.generic_webhook\.url has a user name or password/,
  ],
  [
    { generic_webhook: { url: 'http://169.254.169.254/secret' } },
    /has the private or local host "169\.254\.169\.254"/,
  ],
  [
    { slack: { url: 'http://localhost/secret' } },
    /^config\.slack\.url has the private or local host "localhost"/,
  ],
  [
    { generic_webhook: { url: `https://x.org/${'a'.repeat(3_000)}` } },
    /^config\.generic_webhook\.url is \d+ bytes of UTF-8; at most 2048/,
  ],
  [
    { generic_webhook: { url, password: 'secret' } },
    /^Missing required field: config\.generic_webhook\.username\.$/,
  ],
  [{ generic_webhook: { url, username: 'a:b' } }, /username has a colon/],
])('%j is refused with a message that contains no secret', (config, message) => {
  expect(() => parseTarget(config, rules)).toThrow(message);
  expect(() => parseTarget(config, rules)).not.toThrow(/secret/);
});

test('a private address is accepted when allowPrivate is true', () => {
  expect(parseTarget({ slack: { url: 'http://10.0.0.1/' } }, { ...rules, allowPrivate: true })).toEqual({
    kind: 'SLACK',
    url: 'http://10.0.0.1/',
  });
});

describe('an update of a destination', () => {
  const before: DestinationTarget = { kind: 'WEBHOOK', url, username: 'u', password: 'p' };
  test.each<[DestinationConfig, DestinationTarget]>([
    [{ generic_webhook: { password: 'q' } }, { ...before, password: 'q' }],
    [{ generic_webhook: { username: '', password: '' } }, { kind: 'WEBHOOK', url }],
    [
      { generic_webhook: { url: 'https://new.example.org/' } },
      { ...before, url: 'https://new.example.org/' },
    ],
    [{ slack: { url } }, { kind: 'SLACK', url }],
  ])('%j keeps the fields that it does not name', (config, after) =>
    expect(parseTarget(config, rules, before)).toEqual(after),
  );

  test('to another kind requires all fields', () => {
    expect(() => parseTarget({ slack: {} }, rules, before)).toThrow(
      'Missing required field: config.slack.url.',
    );
  });
});
