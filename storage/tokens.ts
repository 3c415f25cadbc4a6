/** Stored tokens and the people who own them. */
import { randomBytes } from 'node:crypto';
import type { Kysely } from 'kysely';
import { accessGrain, allApis, type KnownToken } from '../engine/token/token.ts';
import type { Database } from './schema.ts';

/** The user who owns the bootstrap token. */
const bootstrapUser = 'admin';

/** The token with this hash, valid or not; undefined when there is none. */
export async function findToken(db: Kysely<Database>, hash: string): Promise<KnownToken | undefined> {
  const row = await db.selectFrom('tokens').innerJoin('principals', 'principals.principal_id', 'tokens.principal_id')
    .select(['token_id', 'user_name', 'admin', 'active', 'scopes', 'expiry_time', 'revoked_time', 'last_accessed_time'])
    .where('hash', '=', hash).executeTakeFirst();
  if (row === undefined) return undefined;
  return {
    tokenId: row.token_id, userName: row.user_name, admin: row.admin, active: row.active, scopes: row.scopes,
    expiryTime: row.expiry_time ?? undefined,
    revokedTime: row.revoked_time ?? undefined,
    lastAccessedTime: row.last_accessed_time,
  };
}

/** Notes that a token was used at `now` (epoch ms), unless that was noted within the last minute. */
export async function noteTokenAccess(db: Kysely<Database>, tokenId: string, now: number): Promise<void> {
  await db.updateTable('tokens').set({ last_accessed_time: now })
    .where('token_id', '=', tokenId).where('last_accessed_time', '<=', now - accessGrain).execute();
}

/**
 * Makes sure that the user `admin` exists and that the token with this hash is a valid all-apis token of theirs without
 * end. Idempotent, and safe while several engines start at once.
 */
export function ensureBootstrapAdmin(db: Kysely<Database>, tokenHash: string, now: number): Promise<void> {
  return db.transaction().execute(async (transaction) => {
    const { principal_id: principalId } = await transaction.insertInto('principals')
      .values({ user_name: bootstrapUser, admin: true, active: true, created_time: now })
      .onConflict((conflict) => conflict.column('user_name').doUpdateSet({ admin: true, active: true }))
      .returning('principal_id').executeTakeFirstOrThrow();
    const valid = { principal_id: principalId, scopes: [allApis], expiry_time: null, revoked_time: null };
    await transaction.insertInto('tokens')
      .values({
        ...valid, hash: tokenHash, token_id: randomBytes(32).toString('hex'),
        comment: 'Token of the first administrator', created_time: now, last_accessed_time: 0,
      })
      .onConflict((conflict) => conflict.column('hash').doUpdateSet(valid))
      .execute();
  });
}
