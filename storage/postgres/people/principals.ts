/**
 * Users and service principals. A deleted principal disappears at once; its name is removed from stored runs
 * in the background.
 */
import { sql, type Kysely, type Selectable, type Transaction } from 'kysely';
import { ServiceError } from '../../../engine/errors.ts';
import { quote } from '../../../engine/validation/messages.ts';
import {
  checkAdminRemains,
  type NewPerson,
  type Person,
  type PersonChange,
  type PersonFilter,
  type PersonKind,
} from '../../../engine/token/person.ts';
import type { PrincipalTable } from './people-schema.ts';
import type { Database } from '../schema.ts';

/** One page of a list, with the total number of entries. */
interface PersonPage {
  readonly people: readonly Person[];
  readonly total: number;
}

export function createPersonStore(db: Kysely<Database>) {
  return {
    create: (person: NewPerson, now: number) => createPerson(db, person, now),
    find: (kind: PersonKind, id: number) => findPerson(db, kind, id),
    named: (userName: string) => findPersonByName(db, userName),
    list: (kind: PersonKind, filter: PersonFilter | undefined, offset: number, limit: number) =>
      listPeople(db, kind, filter, offset, limit),
    change: (kind: PersonKind, id: number, change: (before: Person) => PersonChange) =>
      changePerson(db, kind, id, change),
    remove: (kind: PersonKind, id: number, now: number) => removePerson(db, kind, id, now),
  };
}

const toNullableEmail = (email: string | undefined): string | null => email ?? null;

/** @throws ServiceError RESOURCE_ALREADY_EXISTS when the name is taken */
async function createPerson(
  db: Kysely<Database>,
  { kind, userName, displayName, email, admin, active }: NewPerson,
  now: number,
): Promise<Person> {
  const gone = await db
    .selectFrom('principals')
    .select(['principal_id', 'user_name'])
    .where('user_name', '=', userName)
    .where('deleted_time', 'is not', null)
    .executeTakeFirst();
  // Runs of a deleted principal with the same name must not be attributed to the new one.
  if (gone !== undefined) await purgePrincipal(db, gone.principal_id, gone.user_name);
  const row = await db
    .insertInto('principals')
    .values({
      kind,
      user_name: userName,
      display_name: displayName,
      email: toNullableEmail(email),
      admin,
      active,
      created_time: now,
    })
    .onConflict((conflict) => conflict.column('user_name').doNothing())
    .returningAll()
    .executeTakeFirst();
  if (row === undefined)
    throw new ServiceError('RESOURCE_ALREADY_EXISTS', `userName ${quote(userName)} is taken.`);
  return personOf(row);
}

async function findPerson(db: Kysely<Database>, kind: PersonKind, id: number): Promise<Person | undefined> {
  const row = await existingPrincipals(db)
    .selectAll()
    .where('kind', '=', kind)
    .where('principal_id', '=', id)
    .executeTakeFirst();
  return row === undefined ? undefined : personOf(row);
}

async function findPersonByName(db: Kysely<Database>, userName: string): Promise<Person | undefined> {
  const row = await existingPrincipals(db).selectAll().where('user_name', '=', userName).executeTakeFirst();
  return row === undefined ? undefined : personOf(row);
}

/** Lists principals by id. Names are compared case-insensitively, as SCIM requires. */
async function listPeople(
  db: Kysely<Database>,
  kind: PersonKind,
  filter: PersonFilter | undefined,
  offset: number,
  limit: number,
): Promise<PersonPage> {
  let found = existingPrincipals(db).where('kind', '=', kind);
  if (filter !== undefined) {
    const { attribute, value } = filter;
    const lower = value.toLowerCase();
    found = found.where(
      (
        {
          userName: sql<boolean>`lower(user_name) = ${lower}`,
          applicationId: sql<boolean>`lower(user_name) = ${lower}`,
          displayName: sql<boolean>`lower(display_name) = ${lower}`,
          id: sql<boolean>`principal_id::text = ${value}`,
          active: sql<boolean>`active::text = ${lower}`,
        } as const
      )[attribute],
    );
  }
  const { total } = await found
    .select((row) => row.fn.countAll<number>().as('total'))
    .executeTakeFirstOrThrow();
  const rows = await found.selectAll().orderBy('principal_id').offset(offset).limit(limit).execute();
  return { people: rows.map(personOf), total };
}

/**
 * Changes a principal; returns undefined when there is none.
 * @throws ServiceError INVALID_STATE when no active administrator would be left; errors of `change`
 */
function changePerson(
  db: Kysely<Database>,
  kind: PersonKind,
  id: number,
  change: (before: Person) => PersonChange,
): Promise<{ readonly before: Person; readonly after: Person } | undefined> {
  return db.transaction().execute(async (transaction) => {
    const before = await lockPerson(transaction, kind, id);
    if (before === undefined) return undefined;
    const after = { ...before, ...change(before) };
    checkAdminRemains(before, after, await countOtherAdmins(transaction, id));
    await transaction
      .updateTable('principals')
      .set({
        display_name: after.displayName,
        email: toNullableEmail(after.email),
        admin: after.admin,
        active: after.active,
      })
      .where('principal_id', '=', id)
      .execute();
    return { before, after };
  });
}

/**
 * Removes a principal with its tokens and permissions; returns false when there is none. Its jobs stay,
 * without a creator.
 * @throws ServiceError INVALID_STATE when no active administrator would be left
 */
async function removePerson(
  db: Kysely<Database>,
  kind: PersonKind,
  id: number,
  now: number,
): Promise<boolean> {
  const person = await db.transaction().execute(async (transaction) => {
    const found = await lockPerson(transaction, kind, id);
    if (found === undefined) return undefined;
    checkAdminRemains(found, { admin: false, active: false }, await countOtherAdmins(transaction, id));
    await transaction.deleteFrom('tokens').where('principal_id', '=', id).execute();
    await transaction.deleteFrom('job_permissions').where('principal_id', '=', id).execute();
    await transaction.deleteFrom('token_permissions').where('principal_id', '=', id).execute();
    await transaction
      .updateTable('jobs')
      .set({ creator: '' })
      .where('creator', '=', found.userName)
      .execute();
    await transaction
      .updateTable('principals')
      .set({ active: false, admin: false, deleted_time: now })
      .where('principal_id', '=', id)
      .execute();
    return found;
  });
  if (person === undefined) return false;
  await purgePrincipal(db, id, person.userName);
  return true;
}

/** Finishes deletions that another engine did not complete. */
export async function purgeDeletedPrincipals(db: Kysely<Database>): Promise<void> {
  const gone = await db
    .selectFrom('principals')
    .select(['principal_id', 'user_name'])
    .where('deleted_time', 'is not', null)
    .execute();
  for (const { principal_id: id, user_name: userName } of gone) await purgePrincipal(db, id, userName);
}

/** Runs in one statement; state writes of these runs wait for it. */
const batchSize = 1_000;

/**
 * Removes the name of a deleted principal from the runs, in batches that hold their locks briefly, and then
 * the principal.
 */
async function purgePrincipal(db: Kysely<Database>, id: number, userName: string): Promise<void> {
  for (let after: number | undefined = 0; after !== undefined;) {
    const page: readonly { run_id: number }[] = await db
      .selectFrom('runs')
      .select('run_id')
      .where('run_id', '>', after)
      .where('creator', '=', userName)
      .orderBy('run_id')
      .limit(batchSize)
      .execute();
    const ids = page.map((run) => run.run_id);
    if (ids.length > 0)
      await db.updateTable('runs').set({ creator: '' }).where('run_id', 'in', ids).execute();
    after = ids.length < batchSize ? undefined : ids.at(-1);
  }
  await db
    .deleteFrom('principals')
    .where('principal_id', '=', id)
    .where('deleted_time', 'is not', null)
    .execute();
}

/** Locks administrators in a fixed order, so that two of them cannot remove each other at the same time. */
async function lockPerson(
  transaction: Transaction<Database>,
  kind: PersonKind,
  id: number,
): Promise<Person | undefined> {
  await existingPrincipals(transaction)
    .select('principal_id')
    .where('admin', '=', true)
    .orderBy('principal_id')
    .forUpdate()
    .execute();
  const row = await existingPrincipals(transaction)
    .selectAll()
    .where('kind', '=', kind)
    .where('principal_id', '=', id)
    .forUpdate()
    .executeTakeFirst();
  return row === undefined ? undefined : personOf(row);
}

async function countOtherAdmins(transaction: Transaction<Database>, id: number): Promise<number> {
  const { count } = await existingPrincipals(transaction)
    .select((row) => row.fn.countAll<number>().as('count'))
    .where('admin', '=', true)
    .where('active', '=', true)
    .where('principal_id', '<>', id)
    .executeTakeFirstOrThrow();
  return count;
}

function existingPrincipals(db: Kysely<Database>) {
  return db.selectFrom('principals').where('deleted_time', 'is', null);
}

function personOf(row: Selectable<PrincipalTable>): Person {
  return {
    id: row.principal_id,
    kind: row.kind,
    userName: row.user_name,
    displayName: row.display_name === '' ? row.user_name : row.display_name,
    email: row.email ?? undefined,
    admin: row.admin,
    active: row.active,
  };
}
