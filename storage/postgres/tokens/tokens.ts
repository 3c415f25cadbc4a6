/** Stored tokens and the people who own them. */
import { sql, type Kysely, type Selectable } from 'kysely';
import { fixedLimits, type Limits } from '../../../engine/limits.ts';
import { checkTokenQuota } from '../../../engine/token/token-request.ts';
import { allApisScope, type Scope } from '../../../engine/token/scopes.ts';
import { generateTokenId } from '../../../engine/token/generate-token.ts';
import {
  type StoredToken,
  type NewToken,
  type OwnedToken,
  type Token,
  type TokenChange,
} from '../../../engine/token/token.ts';
import type { Database, TokenTable } from '../schema.ts';

/** The user who owns the bootstrap token. */
const bootstrapUser = 'admin';

/**
 * Whether the owner may use tokens at all: administrators always, others while tokens are enabled and
 * somebody gave them the permission.
 */
const mayUseTokens = sql<boolean>`principals.admin or (
  not exists (select from workspace_settings where name = 'enableTokensConfig' and value = 'false')
  and exists (select from token_permissions as held where held.group_name = 'users' or held.principal_id = principals.principal_id))`;

/** The token with this hash, valid or not; undefined when there is none. */
export async function findToken(db: Kysely<Database>, hash: string): Promise<StoredToken | undefined> {
  const row = await db
    .selectFrom('tokens')
    .innerJoin('principals', 'principals.principal_id', 'tokens.principal_id')
    .select([
      'token_id',
      'principals.principal_id',
      'user_name',
      'admin',
      'active',
      'scopes',
      'tokens.created_time',
      'expiry_time',
      'revoked_time',
      'last_accessed_time',
      'autoscope_state',
      'inferred_scopes',
    ])
    .select(mayUseTokens.as('may_use_tokens'))
    .where('hash', '=', hash)
    .executeTakeFirst();
  if (row === undefined) return undefined;
  return {
    tokenId: row.token_id,
    principalId: row.principal_id,
    userName: row.user_name,
    admin: row.admin,
    active: row.active,
    mayUseTokens: row.may_use_tokens,
    scopes: row.scopes,
    autoscopeState: row.autoscope_state,
    inferredScopes: row.inferred_scopes,
    createdTime: row.created_time,
    expiryTime: row.expiry_time ?? undefined,
    revokedTime: row.revoked_time ?? undefined,
    lastAccessedTime: row.last_accessed_time,
  };
}

/** Tokens as calls are checked with them. */
export function createTokenLookup(db: Kysely<Database>) {
  return {
    find: (hash: string) => findToken(db, hash),
    noteAccess: (tokenId: string, now: number) => recordTokenAccess(db, tokenId, now),
    noteScope: (tokenId: string, scope: Scope) => recordTokenScope(db, tokenId, scope),
  };
}

/** Notes that a token was used at `now` (epoch ms), unless that was noted within the last minute. */
export async function recordTokenAccess(db: Kysely<Database>, tokenId: string, now: number): Promise<void> {
  await db
    .updateTable('tokens')
    .set({ last_accessed_time: now })
    .where('token_id', '=', tokenId)
    .where('last_accessed_time', '<=', now - fixedLimits.tokenAccessIntervalMs)
    .execute();
}

/** Notes that an observed token was used for something; nothing happens when that is known. */
async function recordTokenScope(db: Kysely<Database>, tokenId: string, scope: Scope): Promise<void> {
  await db
    .updateTable('tokens')
    .set({ inferred_scopes: sql`array_append(inferred_scopes, ${scope})` })
    .where('token_id', '=', tokenId)
    .where('autoscope_state', '=', 'RUNNING')
    .where(sql<boolean>`${scope} <> all (inferred_scopes)`)
    .execute();
}

/**
 * Makes sure that the user `admin` exists and that the token with this hash is a valid all-apis token of
 * theirs without end. Idempotent, and safe while several engines start at once. Each start renews it: whoever
 * starts the service has it.
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
      // The time of its making counts when it is looked for tokens that nobody uses.
      .onConflict((conflict) => conflict.column('hash').doUpdateSet({ ...valid, created_time: now }))
      .execute();
  });
}

/**
 * Tokens as their owners keep them, and as administrators see all of them. What is revoked or expired is no
 * token any more.
 */
export function createTokenStore(db: Kysely<Database>) {
  return {
    create: (token: NewToken, quota: Pick<Limits, 'tokensPerUser'>) => createToken(db, token, quota),
    listOf: (principalId: number, now: number) => listTokens(db, principalId, now),
    revoke: (principalId: number | undefined, tokenId: string, now: number) =>
      revokeToken(db, principalId, tokenId, now),
    change: (principalId: number | undefined, tokenId: string, change: TokenChange, now: number) =>
      changeToken(db, principalId, tokenId, change, now),
    ofEverybody: (filter: OwnedTokenFilter, now: number) => listAllTokens(db, filter, now),
  };
}

/** Which tokens administrators are shown; undefined: of everybody. */
interface OwnedTokenFilter {
  readonly tokenId?: string | undefined;
  readonly createdById?: number | undefined;
  readonly createdByName?: string | undefined;
}

/**
 * @throws ServiceError QUOTA_EXCEEDED when the owner has as many as may be; concurrent calls are counted one
 * after the other
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
 * False when the owner has no such token.
 * @param principalId undefined: whoever owns it
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
 * Changes a token; chosen scopes end automatic ones for good. Returns what it was before; undefined when the
 * owner has no such token.
 * @param principalId undefined: whoever owns it
 * @param tokenId the id, or the sha-256 of it in hex
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
    .leftJoin('principals as maker', 'maker.principal_id', 'tokens.created_by')
    .selectAll('tokens')
    .select(['owner.user_name as owner_name', 'maker.user_name as maker_name'])
    .where(isValidAt(now))
    .where('owner.deleted_time', 'is', null)
    .orderBy('tokens.created_time', 'desc')
    .orderBy('token_id');
  if (tokenId !== undefined) query = query.where('token_id', '=', tokenId);
  if (createdById !== undefined) query = query.where('tokens.created_by', '=', createdById);
  if (createdByName !== undefined) query = query.where('maker.user_name', '=', createdByName);
  return (await query.execute()).map((row) => ({
    ...tokenOf(row),
    ownerId: row.principal_id,
    ownerName: row.owner_name,
    createdBy:
      row.created_by === null || row.maker_name === null
        ? undefined
        : { id: row.created_by, userName: row.maker_name },
  }));
}

/** Tokens that are neither revoked nor expired at `now`. */
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
