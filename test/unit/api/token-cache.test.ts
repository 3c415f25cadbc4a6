/** Cache of token lookups: lifetime and invalidation. */
import { beforeEach, expect, test } from 'vitest';
import type { AuthPorts } from '../../../api/http/auth.ts';
import { cacheTokenLookups } from '../../../api/http/token-cache.ts';
import type { StoredToken } from '../../../engine/token/token.ts';
import { createManualClock, type ManualClock } from '../../harness/manual-clock.ts';

const known: StoredToken = {
  tokenId: 'id',
  principalId: 1,
  userName: 'ann',
  admin: false,
  active: true,
  mayUseTokens: true,
  scopes: ['jobs'],
  autoscopeState: 'RUNNING',
  inferredScopes: [],
  createdTime: 0,
  expiryTime: undefined,
  revokedTime: undefined,
  lastAccessedTime: 0,
};
let clock: ManualClock;
let lookups: string[];
let tokens: AuthPorts['tokens'];
let answer: () => Promise<StoredToken | undefined>;
beforeEach(() => {
  clock = createManualClock();
  lookups = [];
  answer = async () => known;
  tokens = cacheTokenLookups(
    {
      find: (hash) => {
        lookups.push(hash);
        return answer();
      },
      noteAccess: async () => undefined,
      noteScope: async () => undefined,
    },
    clock,
  );
});

test('a token is looked up once per second', async () => {
  await tokens.find('a');
  clock.advance(999);
  expect(await tokens.find('a')).toBe(known);
  clock.advance(1);
  await tokens.find('a');
  await tokens.find('b');
  expect(lookups).toEqual(['a', 'a', 'b']);
});

test('a clock that steps back does not extend the lifetime of an entry', async () => {
  await tokens.find('a');
  clock.setTime(clock.now() - 60_000);
  await tokens.find('a');
  expect(lookups).toEqual(['a', 'a']);
});

test('an unknown token is not cached', async () => {
  answer = async () => undefined;
  expect([await tokens.find('a'), await tokens.find('a')]).toEqual([undefined, undefined]);
  expect(lookups).toEqual(['a', 'a']);
});

test('a change invalidates the cache, including lookups in progress', async () => {
  await tokens.find('a');
  tokens.changed?.();
  const slow = Promise.withResolvers<StoredToken>();
  answer = () => slow.promise;
  const before = tokens.find('a');
  tokens.changed?.();
  slow.resolve(known);
  await before;
  answer = async () => ({ ...known, revokedTime: 1 });
  expect((await tokens.find('a'))?.revokedTime).toBe(1);
});

test('a recorded access updates the cached token', async () => {
  await tokens.find('a');
  await tokens.noteAccess('id', 7);
  expect((await tokens.find('a'))?.lastAccessedTime).toBe(7);
  await tokens.noteScope('id', 'jobs');
  await tokens.find('a');
  expect(lookups).toEqual(['a', 'a']);
});
