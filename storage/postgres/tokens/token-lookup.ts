/** Lookup of tokens for the authentication of requests, and the recording of their use. */
import { sql, type Kysely } from 'kysely';
import type { Scope } from '../../../engine/token/scopes.ts';
import { fixedLimits } from '../../../engine/limits.ts';
import type { StoredToken } from '../../../engine/token/token.ts';
import { bindDatabase } from '../bind-database.ts';
import type { Database } from '../schema.ts';

/**
 * True when the owner may use tokens: administrators always may, others while tokens are enabled and they
 * have the permission.
 */
const mayUseTokens = sql<boolean>`principals.admin or (
  not exists (select from workspace_settings where name = 'enableTokensConfig' and value = 'false')
  and exists (select from token_permissions as permission
    where permission.group_name = 'users' or permission.principal_id = principals.principal_id))`;

/** Finds a token, valid or not, by its hash. */
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
      'comment',
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
    comment: row.comment,
    autoscopeState: row.autoscope_state,
    inferredScopes: row.inferred_scopes,
    createdTime: row.created_time,
    expiryTime: row.expiry_time ?? undefined,
    revokedTime: row.revoked_time ?? undefined,
    lastAccessedTime: row.last_accessed_time,
  };
}

/** Creates the token lookup of the authentication. */
export function createTokenLookup(db: Kysely<Database>) {
  return bindDatabase(db, { find: findToken, noteAccess: recordTokenAccess, noteScope: recordTokenScope });
}

/** Records an access at `now` (epoch ms), at most once a minute. */
export async function recordTokenAccess(db: Kysely<Database>, tokenId: string, now: number): Promise<void> {
  await db
    .updateTable('tokens')
    .set({ last_accessed_time: now })
    .where('token_id', '=', tokenId)
    .where('last_accessed_time', '<=', now - fixedLimits.tokenAccessIntervalMs)
    .execute();
}

/** Adds a scope to the inferred scopes of an observed token, unless it is there. */
async function recordTokenScope(db: Kysely<Database>, tokenId: string, scope: Scope): Promise<void> {
  await db
    .updateTable('tokens')
    .set({ inferred_scopes: sql`array_append(inferred_scopes, ${scope})` })
    .where('token_id', '=', tokenId)
    .where('autoscope_state', '=', 'RUNNING')
    .where(sql<boolean>`${scope} <> all (inferred_scopes)`)
    .execute();
}
