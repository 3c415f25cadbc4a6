/** Users and tokens, written directly to the database. */
import type { Kysely } from 'kysely';
import type { Database } from '../../storage/postgres/schema.ts';
import { hashToken } from '../../engine/token/token.ts';

/** Creates a user with a token and returns the token value. */
export async function addUser(
  db: Kysely<Database>,
  userName: string,
  { admin = false, scopes = ['all-apis'] }: { readonly admin?: boolean; readonly scopes?: string[] } = {},
): Promise<string> {
  const value = `token-of-${userName}-for-${scopes.join('-')}`;
  const { principal_id } = await db
    .insertInto('principals')
    .values({ user_name: userName, admin, active: true, created_time: 0 })
    .onConflict((conflict) => conflict.column('user_name').doUpdateSet({ admin }))
    .returning('principal_id')
    .executeTakeFirstOrThrow();
  await db
    .insertInto('tokens')
    .values({
      principal_id,
      hash: hashToken(value),
      token_id: hashToken(`id of ${value}`),
      comment: '',
      scopes,
      created_time: 0,
      expiry_time: null,
      last_accessed_time: Date.now(),
      revoked_time: null,
    })
    .execute();
  return value;
}
