/** Principals that access control lists name. */
import type { Transaction } from 'kysely';
import { invalid } from '../../../engine/errors.ts';
import type { Grantee } from '../../../engine/job/permissions.ts';
import { quote } from '../../../engine/validation/messages.ts';
import type { Database } from '../schema.ts';

/** Group of all users. */
export const everyoneGroup = 'users';

/** Returns the principal ids of grantees; groups and unknown names are missing. */
export async function listPrincipalIds(
  db: Transaction<Database>,
  grantees: readonly Grantee[],
): Promise<ReadonlyMap<string, number>> {
  const names = grantees.filter(({ kind }) => kind !== 'group').map(({ name }) => name);
  if (names.length === 0) return new Map();
  const rows = await db
    .selectFrom('principals')
    .select(['principal_id', 'kind', 'user_name'])
    .where('user_name', 'in', names)
    .where('deleted_time', 'is', null)
    .execute();
  return new Map(rows.map((row) => [`${row.kind} ${row.user_name}`, row.principal_id]));
}

/** Returns the principal id of a grantee. @throws ServiceError for an unknown user or service principal */
export function requirePrincipalId(principals: ReadonlyMap<string, number>, { kind, name }: Grantee): number {
  const id = principals.get(`${kind} ${name}`);
  if (id === undefined)
    throw invalid(
      `access_control_list names the ${kind.replace('_', ' ')} ${quote(name)}, which does not exist.`,
    );
  return id;
}
