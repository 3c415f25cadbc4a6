/** Stored tokens and their owners. */
import { sql, type Kysely, type Selectable } from 'kysely';
import type { Limits } from '../../../engine/limits.ts';
import { checkTokenQuota } from '../../../engine/token/token-request.ts';
import { allApisScope } from '../../../engine/token/scopes.ts';
import { generateTokenId } from '../../../engine/token/generate-token.ts';
import { type NewToken, type OwnedToken, type Token, type TokenChange } from '../../../engine/token/token.ts';
import { bindDatabase } from '../bind-database.ts';
import type { TokenTable } from '../people/people-schema.ts';
import type { Database } from '../schema.ts';

/** Name of the user who owns the bootstrap token. */
const bootstrapUser = 'admin';

/**
 * Ensures that the user `admin` exists and that the token with this hash is a valid all-apis token of that
 * user without expiry. Idempotent, and safe while several engines start at once. Each start renews the token,
 * also after a revocation.
 */
export function ensureBootstrapAdmin(db: Kysely<Database>, tokenHash: string, now: number): Promise<void> {
  return db.transaction().execute(async (transaction) => {
    const { principal_id: principalId } = await transaction
      .insertInto('principals')
      .values({ user_name: bootstrapUser, admin: true, active: true, created_time: now })
      .onConflict((conflict) =>
        conflict
          .column('user_name')
          .doUpdateSet({ kind: 'user', admin: true, active: true, deleted_time: null }),
      )
      .returning('principal_id')
      .executeTakeFirstOrThrow();
    const valid = {
      principal_id: principalId,
      scopes: [String(allApisScope)],
      autoscope_state: 'DISABLED' as const,
      expiry_time: null,
      revoked_time: null,
    };
    await transaction
      .insertInto('tokens')
      .values({
        ...valid,
        hash: tokenHash,
        token_id: generateTokenId(),
        comment: 'Token of the first administrator',
        created_time: now,
        last_accessed_time: 0,
      })
      // A new created_time keeps the token from being revoked as unused.
      .onConflict((conflict) => conflict.column('hash').doUpdateSet({ ...valid, created_time: now }))
      .execute();
  });
}

/** Creates the store of tokens for owners and administrators. It leaves out revoked and expired tokens. */
export function createTokenStore(db: Kysely<Database>) {
  return bindDatabase(db, {
    create: createToken,
    listOf: listTokens,
    revoke: revokeToken,
    change: changeToken,
    listAll: listAllTokens,
  });
}

/** Filter of the token list of administrators; undefined fields match all tokens. */
interface OwnedTokenFilter {
  readonly tokenId?: string | undefined;
  readonly createdById?: number | undefined;
  readonly createdByName?: string | undefined;
}

/**
 * Creates a token. Concurrent calls for one owner run one after the other, so that the quota is exact.
 * @throws ServiceError QUOTA_EXCEEDED when the owner has the maximum number of tokens
 */
function createToken(
  db: Kysely<Database>,
  { principalId, createdBy, hash, comment, scopes, autoscopeState, createdTime, expiryTime }: NewToken,
  quota: Pick<Limits, 'tokensPerUser'>,
): Promise<Token> {
  return db.transaction().execute(async (transaction) => {
    await transaction
      .selectFrom('principals')
      .select('principal_id')
      .where('principal_id', '=', principalId)
      .forNoKeyUpdate()
      .execute();
    const { count } = await transaction
      .selectFrom('tokens')
      .select((row) => row.fn.countAll<number>().as('count'))
      .where(isValidAt(createdTime))
      .where('principal_id', '=', principalId)
      .executeTakeFirstOrThrow();
    checkTokenQuota(count, quota);
    const row = await transaction
      .insertInto('tokens')
      .values({
        principal_id: principalId,
        created_by: createdBy,
        hash,
        token_id: generateTokenId(),
        comment,
        scopes: [...scopes],
        autoscope_state: autoscopeState,
        autoscope_started_time: autoscopeState === 'RUNNING' ? createdTime : null,
        created_time: createdTime,
        expiry_time: expiryTime ?? null,
        last_accessed_time: 0,
      })
      .returningAll()
      .executeTakeFirstOrThrow();
    return tokenOf(row);
  });
}

async function listTokens(db: Kysely<Database>, principalId: number, now: number): Promise<Token[]> {
  const rows = await db
    .selectFrom('tokens')
    .selectAll()
    .where(isValidAt(now))
    .where('principal_id', '=', principalId)
    .orderBy('created_time', 'desc')
    .orderBy('token_id')
    .execute();
  return rows.map(tokenOf);
}

/**
 * Revokes a token. Returns false when the owner has no such token.
 * @param principalId undefined revokes the token of any owner
 */
async function revokeToken(
  db: Kysely<Database>,
  principalId: number | undefined,
  tokenId: string,
  now: number,
): Promise<boolean> {
  let update = db
    .updateTable('tokens')
    .set({ revoked_time: now })
    .where(isValidAt(now))
    .where('token_id', '=', tokenId);
  if (principalId !== undefined) update = update.where('principal_id', '=', principalId);
  return (await update.executeTakeFirst()).numUpdatedRows > 0n;
}

/**
 * Changes a token; explicit scopes end autoscoping of the token. Returns the token before the change, or
 * undefined when the owner has no such token.
 * @param principalId undefined changes the token of any owner
 * @param tokenId the id, or its sha-256 in hex
 */
function changeToken(
  db: Kysely<Database>,
  principalId: number | undefined,
  tokenId: string,
  { comment, scopes }: TokenChange,
  now: number,
): Promise<Token | undefined> {
  return db.transaction().execute(async (transaction) => {
    let found = transaction
      .selectFrom('tokens')
      .selectAll()
      .where(isValidAt(now))
      .where(({ or, eb }) =>
        or([eb('token_id', '=', tokenId), eb(sql`encode(sha256(token_id::bytea), 'hex')`, '=', tokenId)]),
      );
    if (principalId !== undefined) found = found.where('principal_id', '=', principalId);
    const row = await found.forUpdate().executeTakeFirst();
    if (row === undefined) return undefined;
    await transaction
      .updateTable('tokens')
      .set({
        ...(comment !== undefined && { comment }),
        ...(scopes !== undefined && { scopes: [...scopes], autoscope_state: 'USER_SELECTED' as const }),
      })
      .where('token_id', '=', row.token_id)
      .execute();
    return tokenOf(row);
  });
}

async function listAllTokens(
  db: Kysely<Database>,
  { tokenId, createdById, createdByName }: OwnedTokenFilter,
  now: number,
): Promise<OwnedToken[]> {
  let query = db
    .selectFrom('tokens')
    .innerJoin('principals as owner', 'owner.principal_id', 'tokens.principal_id')
    .leftJoin('principals as token_creator', 'token_creator.principal_id', 'tokens.created_by')
    .selectAll('tokens')
    .select(['owner.user_name as owner_name', 'token_creator.user_name as creator_name'])
    .where(isValidAt(now))
    .where('owner.deleted_time', 'is', null)
    .orderBy('tokens.created_time', 'desc')
    .orderBy('token_id');
  if (tokenId !== undefined) query = query.where('token_id', '=', tokenId);
  if (createdById !== undefined) query = query.where('tokens.created_by', '=', createdById);
  if (createdByName !== undefined) query = query.where('token_creator.user_name', '=', createdByName);
  return (await query.execute()).map((row) => ({
    ...tokenOf(row),
    ownerId: row.principal_id,
    ownerName: row.owner_name,
    createdBy:
      row.created_by === null || row.creator_name === null
        ? undefined
        : { id: row.created_by, userName: row.creator_name },
  }));
}

/** Condition for tokens that are neither revoked nor expired at `now`. */
function isValidAt(now: number) {
  return sql<boolean>`revoked_time is null and coalesce(expiry_time > ${now}, true)`;
}

function tokenOf(row: Selectable<TokenTable>): Token {
  return {
    tokenId: row.token_id,
    comment: row.comment,
    scopes: row.scopes,
    createdTime: row.created_time,
    autoscopeState: row.autoscope_state,
    inferredScopes: row.inferred_scopes,
    expiryTime: row.expiry_time ?? undefined,
    lastAccessedTime: row.last_accessed_time,
  };
}
