/** Tokens and the first administrator, on a real database. */
import { afterAll, beforeAll, expect, test } from 'vitest';
import { hashToken } from '../../../engine/token/token.ts';
import { findToken, recordTokenAccess } from '../../../storage/postgres/tokens/token-lookup.ts';
import { ensureBootstrapAdmin } from '../../../storage/postgres/tokens/tokens.ts';
import { createTestDatabase, type TestDatabase } from '../../harness/test-database.ts';

const now = 1_770_000_000_000;
const hash = hashToken('bootstrap');
let database: TestDatabase;

beforeAll(async () => {
  database = await createTestDatabase();
  await ensureBootstrapAdmin(database.db, hash, now);
});
afterAll(() => database.drop());

test('the bootstrap token belongs to the administrator, has all scopes and does not expire', async () => {
  expect(await findToken(database.db, hash)).toMatchObject({
    principalId: expect.any(Number),
    userName: 'admin',
    admin: true,
    active: true,
    scopes: ['all-apis'],
    expiryTime: undefined,
    revokedTime: undefined,
  });
});

test('an unknown hash matches no token', async () => {
  expect(await findToken(database.db, hashToken('other'))).toBeUndefined();
});

test('creating the bootstrap token again, also by several engines at once, renews only that token', async () => {
  const before = await findToken(database.db, hash);
  await Promise.all([1, 2, 3].map(() => ensureBootstrapAdmin(database.db, hash, now + 1)));
  expect(await findToken(database.db, hash)).toEqual({ ...before, createdTime: now + 1 });
  expect(await database.db.selectFrom('principals').selectAll().execute()).toHaveLength(1);
});

test('a revoked bootstrap token is valid again after the next start, beside a second one', async () => {
  await database.db.updateTable('tokens').set({ revoked_time: now }).where('hash', '=', hash).execute();
  await ensureBootstrapAdmin(database.db, hash, now);
  await ensureBootstrapAdmin(database.db, hashToken('second'), now);
  expect(await findToken(database.db, hash)).toMatchObject({ revokedTime: undefined });
  expect(await findToken(database.db, hashToken('second'))).toMatchObject({ userName: 'admin' });
});

test('the last access is stored at most once a minute', async () => {
  const { tokenId = '' } = (await findToken(database.db, hash)) ?? {};
  const noted = async (at: number): Promise<number | undefined> => {
    await recordTokenAccess(database.db, tokenId, at);
    return (await findToken(database.db, hash))?.lastAccessedTime;
  };
  expect(await noted(now)).toBe(now);
  expect(await noted(now + 59_999)).toBe(now);
  expect(await noted(now + 60_000)).toBe(now + 60_000);
});

test('a token id is not derived from the token', async () => {
  expect(await findToken(database.db, hash)).toMatchObject({
    tokenId: expect.stringMatching(/^[0-9a-f]{64}$/),
  });
  expect((await findToken(database.db, hash))?.tokenId).not.toBe(hash);
});
