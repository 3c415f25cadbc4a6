/**
 * Webhooks do not reach private addresses: literal ones, resolved names, and names whose answer changes (DNS
 * rebinding).
 */
import { lookup as systemLookup, type LookupAddress } from 'node:dns';
import { describe, expect, test } from 'vitest';
import { isPrivateHost, isPublicAddress } from '../../../engine/notification/address.ts';
import { isEmailAddress } from '../../../engine/validation/email-address.ts';
import { systemClock } from '../../../engine/clock.ts';
import { postWebhook, createPublicLookup } from '../../../notifications/webhook.ts';
import { startHttpReceiver } from '../../harness/webhook-receiver.ts';

test.each([
  '127.0.0.1',
  '127.255.0.3',
  '10.0.0.1',
  '172.16.0.1',
  '172.31.255.255',
  '192.168.1.1',
  '169.254.169.254',
  '100.64.0.1',
  '0.0.0.0',
  '224.0.0.1',
  '255.255.255.255',
  '::1',
  '::',
  'fe80::1',
  'fc00::1',
  'fd12::1',
  '::ffff:127.0.0.1',
  '::ffff:10.0.0.1',
  '64:ff9b::a00:1',
  '2002:7f00:1::',
  'ff02::1',
  '::7f00:1',
  '::a9fe:a9fe',
  'nonsense',
])('%s is not public', (address) => expect(isPublicAddress(address)).toBe(false));

test.each(['1.1.1.1', '93.184.216.34', '2606:4700::1111', '172.32.0.1', '::ffff:1.1.1.1'])(
  '%s is public',
  (address) => expect(isPublicAddress(address)).toBe(true),
);

test.each([
  'http://127.1/',
  'http://0x7f000001/',
  'http://2130706433/',
  'http://[::1]/',
  'http://[::ffff:7f00:1]/',
  'http://[::127.0.0.1]/',
  'http://localhost/',
  'http://LOCALHOST./',
  'http://a.localhost/',
  'http://0/',
])('the host of %s is private', (url) => expect(isPrivateHost(new URL(url).hostname)).toBe(true));

test.each(['http://example.org/', 'http://1.1.1.1/', 'http://localhost.example.org/'])(
  'the host of %s may be public',
  (url) => expect(isPrivateHost(new URL(url).hostname)).toBe(false),
);

test.each<[string, boolean]>([
  ['a@x', true],
  ['ops+runyard@sub.example.org', true],
  ["o'neil@x.org", true],
  ['a@', false],
  ['@x', false],
  ['a b@x', false],
  ['a@x,b@y', false],
  ['a@x\n', false],
  ['größe@x', false],
])('%j as a mail address: %s', (address, expected) => expect(isEmailAddress(address)).toBe(expected));

describe('a delivery', () => {
  const call = (url: string) => ({
    deliveryId: 'd',
    body: '{}',
    target: { kind: 'SLACK' as const, url },
    destination: {
      destinationId: 'x',
      number: 1,
      displayName: 'x',
      target: { kind: 'SLACK' as const, url },
      secrets: undefined,
    },
  });
  /** Resolver that returns these answers, one after the other. */
  const answering = (...answers: LookupAddress[][]) => {
    let asked = 0;
    // Only the form with `all` is called.
    const lookup = ((
      _name: string,
      _options: unknown,
      callback: (error: null, found: LookupAddress[]) => void,
    ) => {
      callback(null, answers[Math.min(asked, answers.length - 1)] ?? []);
      asked += 1;
    }) as unknown as typeof systemLookup;
    return { lookup, asked: () => asked };
  };
  const loopback = { address: '127.0.0.1', family: 4 };
  const post = (url: string, lookup: typeof systemLookup, allowPrivate = false) =>
    postWebhook(
      { clock: systemClock, allowPrivate, timeoutMs: 1_000, lookup },
      call(url),
      new AbortController().signal,
    );

  test('to a name that resolves to a private address is refused without a retry', async () => {
    const receiver = await startHttpReceiver();
    const { port } = new URL(receiver.url);
    expect(await post(`http://inside.example.org:${port}/`, answering([loopback]).lookup)).toEqual({
      outcome: { kind: 'refused' },
      error:
        'inside.example.org resolves to 127.0.0.1; private and link-local addresses are allowed only with RUNYARD_WEBHOOK_ALLOW_PRIVATE=true.',
    });
    expect(receiver.calls).toEqual([]);
    await receiver.close();
  });

  test('connects to the checked address when the name resolves to another one later', async () => {
    const receiver = await startHttpReceiver();
    const { port } = new URL(receiver.url);
    // Nothing listens on the documentation address; a second lookup would have returned a private one.
    const rebinding = answering([{ address: '192.0.2.1', family: 4 }], [loopback]);
    const seen = await post(`http://rebinding.example.org:${port}/`, rebinding.lookup);
    expect(seen.outcome.kind).not.toBe('delivered');
    expect(receiver.calls).toEqual([]);
    await receiver.close();
  });

  test.each([true, false])('of several addresses only public ones are connected to (all: %s)', (all) => {
    const mixed = answering([loopback, { address: '1.1.1.1', family: 4 }, { address: 'fd00::1', family: 6 }]);
    const given: unknown[] = [];
    createPublicLookup(mixed.lookup)('mixed.example.org', { all }, (...answer) => {
      given.push(answer);
    });
    expect(given).toEqual([all ? [null, [{ address: '1.1.1.1', family: 4 }]] : [null, '1.1.1.1', 4]]);
    expect(mixed.asked()).toBe(1);
  });

  test.each(['http://127.0.0.1:1/', 'http://[::1]:1/', 'http://169.254.169.254/latest/meta-data/'])(
    'to %s is refused, though it was stored before',
    async (url) => {
      expect((await post(url, systemLookup)).outcome.kind).toBe('refused');
    },
  );
});
