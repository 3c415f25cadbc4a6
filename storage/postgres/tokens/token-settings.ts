/** Token settings of the workspace: its configuration, and the principals and groups that may use tokens. */
import type { Kysely } from 'kysely';
import { invalid } from '../../../engine/errors.ts';
import type { Grantee } from '../../../engine/job/permissions.ts';
import { quote } from '../../../engine/validation/messages.ts';
import { workspaceConfOf, type WorkspaceConf } from '../../../engine/token/workspace-conf.ts';
import { bindDatabase } from '../bind-database.ts';
import type { Database } from '../schema.ts';

export function createTokenSettingsStore(db: Kysely<Database>) {
  return bindDatabase(db, {
    conf: readConf,
    changeConf,
    users: listTokenUsers,
    changeUsers: changeTokenUsers,
  });
}

async function readConf(db: Kysely<Database>): Promise<WorkspaceConf> {
  const rows = await db.selectFrom('workspace_settings').selectAll().execute();
  return workspaceConfOf(new Map(rows.map(({ name, value }) => [name, value])));
}

/** Changes the configuration. Returns the configuration before the change. */
function changeConf(db: Kysely<Database>, change: Partial<WorkspaceConf>): Promise<WorkspaceConf> {
  return db.transaction().execute(async (transaction) => {
    const before = await readConf(transaction);
    await transaction
      .insertInto('workspace_settings')
      .values(Object.entries(change).map(([name, value]) => ({ name, value })))
      .onConflict((conflict) =>
        conflict.column('name').doUpdateSet((row) => ({ value: row.ref('excluded.value') })),
      )
      .execute();
    return before;
  });
}

/** Lists the principals and groups that may create and use tokens; administrators always may. */
async function listTokenUsers(db: Kysely<Database>): Promise<Grantee[]> {
  const rows = await db
    .selectFrom('token_permissions')
    .leftJoin('principals', 'principals.principal_id', 'token_permissions.principal_id')
    .select(['user_name', 'kind', 'group_name'])
    .orderBy('user_name', (by) => by.asc().nullsLast())
    .orderBy('group_name')
    .execute();
  return rows.map(({ user_name: name, kind, group_name: group }): Grantee =>
    // A CHECK of the table guarantees that one of the two is set.
    group === null ? { kind: kind ?? 'user', name: name ?? '' } : { kind: 'group', name: group },
  );
}

/** @throws ServiceError for an unknown principal */
function changeTokenUsers(
  db: Kysely<Database>,
  change: (current: readonly Grantee[]) => readonly Grantee[],
): Promise<{ readonly before: Grantee[]; readonly after: Grantee[] }> {
  return db.transaction().execute(async (transaction) => {
    // Serializes concurrent changes: the second one starts from the result of the first.
    await transaction
      .selectFrom('principals')
      .select('principal_id')
      .where('admin', '=', true)
      .orderBy('principal_id')
      .forUpdate()
      .execute();
    const before = await listTokenUsers(transaction);
    const grantees = change(before);
    await transaction.deleteFrom('token_permissions').execute();
    for (const grantee of grantees) {
      const id = grantee.kind === 'group' ? undefined : await principalIdOf(transaction, grantee);
      await transaction
        .insertInto('token_permissions')
        .values({ principal_id: id ?? null, group_name: grantee.kind === 'group' ? grantee.name : null })
        .execute();
    }
    return { before, after: await listTokenUsers(transaction) };
  });
}

async function principalIdOf(db: Kysely<Database>, { kind, name }: Grantee): Promise<number> {
  const row = await db
    .selectFrom('principals')
    .select('principal_id')
    .where('user_name', '=', name)
    .where('deleted_time', 'is', null)
    .where('kind', '=', kind === 'user' ? 'user' : 'service_principal')
    .executeTakeFirst();
  if (row === undefined)
    throw invalid(
      `access_control_list names the ${kind.replace('_', ' ')} ${quote(name)}, which does not exist.`,
    );
  return row.principal_id;
}
