/** Stored tokens and the people who own them. */
import { sql, type Kysely, type Selectable } from 'kysely';
import type { Limits } from '../engine/limits.ts';
import { checkTokenQuota } from '../engine/token/request.ts';
import { newTokenId } from '../engine/token/secret.ts';
import { accessGrain, allApis, type KnownToken, type NewToken, type Token, type TokenChange } from '../engine/token/token.ts';
import type { Database, TokenTable } from './schema.ts';

/** The user who owns the bootstrap token. */
const bootstrapUser = 'admin';

/** The token with this hash, valid or not; undefined when there is none. */
export async function findToken(db: Kysely<Database>, hash: string): Promise<KnownToken | undefined> {
  const row = await db.selectFrom('tokens').innerJoin('principals', 'principals.principal_id', 'tokens.principal_id')
    .select(['token_id', 'principals.principal_id', 'user_name', 'admin', 'active', 'scopes', 'expiry_time', 'revoked_time', 'last_accessed_time'])
    .where('hash', '=', hash).executeTakeFirst();
  if (row === undefined) return undefined;
  return {
    tokenId: row.token_id, principalId: row.principal_id, userName: row.user_name, admin: row.admin, active: row.active, scopes: row.scopes,
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
        ...valid, hash: tokenHash, token_id: newTokenId(),
        comment: 'Token of the first administrator', created_time: now, last_accessed_time: 0,
      })
      .onConflict((conflict) => conflict.column('hash').doUpdateSet(valid))
      .execute();
  });
}

/** Tokens as their owners keep them. What is revoked or expired is no token any more. */
export function createTokenStore(db: Kysely<Database>) {
  return {
    create: (token: NewToken, quota: Pick<Limits, 'tokensPerUser'>) => createToken(db, token, quota),
    listOf: (principalId: number, now: number) => listTokens(db, principalId, now),
    revoke: (principalId: number, tokenId: string, now: number) => revokeToken(db, principalId, tokenId, now),
    change: (principalId: number, tokenId: string, change: TokenChange, now: number) => changeToken(db, principalId, tokenId, change, now),
  };
}

/** @throws ServiceError QUOTA_EXCEEDED when the owner has as many as may be; concurrent calls are counted one after the other */
function createToken(
  db: Kysely<Database>, { principalId, hash, comment, scopes, createdTime, expiryTime }: NewToken, quota: Pick<Limits, 'tokensPerUser'>,
): Promise<Token> {
  return db.transaction().execute(async (transaction) => {
    await transaction.selectFrom('principals').select('principal_id').where('principal_id', '=', principalId).forNoKeyUpdate().execute();
    const { count } = await transaction.selectFrom('tokens').select((row) => row.fn.countAll<number>().as('count'))
      .where(validOf(principalId, createdTime)).executeTakeFirstOrThrow();
    checkTokenQuota(count, quota);
    const row = await transaction.insertInto('tokens').values({
      principal_id: principalId, hash, token_id: newTokenId(), comment, scopes: [...scopes],
      created_time: createdTime, expiry_time: expiryTime ?? null, last_accessed_time: 0,
    }).returningAll().executeTakeFirstOrThrow();
    return tokenOf(row);
  });
}

async function listTokens(db: Kysely<Database>, principalId: number, now: number): Promise<Token[]> {
  const rows = await db.selectFrom('tokens').selectAll().where(validOf(principalId, now))
    .orderBy('created_time', 'desc').orderBy('token_id').execute();
  return rows.map(tokenOf);
}

/** False when the owner has no such token. */
async function revokeToken(db: Kysely<Database>, principalId: number, tokenId: string, now: number): Promise<boolean> {
  const { numUpdatedRows } = await db.updateTable('tokens').set({ revoked_time: now })
    .where(validOf(principalId, now)).where('token_id', '=', tokenId).executeTakeFirst();
  return numUpdatedRows > 0n;
}

/**
 * False when the owner has no such token.
 * @param tokenId the id, or the sha-256 of it in hex
 */
async function changeToken(
  db: Kysely<Database>, principalId: number, tokenId: string, { comment, scopes }: TokenChange, now: number,
): Promise<boolean> {
  const { numUpdatedRows } = await db.updateTable('tokens')
    .set({ ...(comment !== undefined && { comment }), ...(scopes !== undefined && { scopes: [...scopes] }) })
    .where(validOf(principalId, now))
    .where(({ or, eb }) => or([eb('token_id', '=', tokenId), eb(sql`encode(sha256(token_id::bytea), 'hex')`, '=', tokenId)]))
    .executeTakeFirst();
  return numUpdatedRows > 0n;
}

/** The tokens of an owner that are neither revoked nor expired at `now`. */
function validOf(principalId: number, now: number) {
  return sql<boolean>`principal_id = ${principalId} and revoked_time is null and coalesce(expiry_time > ${now}, true)`;
}

function tokenOf(row: Selectable<TokenTable>): Token {
  return {
    tokenId: row.token_id, comment: row.comment, scopes: row.scopes, createdTime: row.created_time,
    expiryTime: row.expiry_time ?? undefined, lastAccessedTime: row.last_accessed_time,
  };
}
