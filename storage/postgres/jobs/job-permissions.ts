/** Permissions on jobs: access control lists, and the level that a user has by them. */
import { sql, type Kysely, type Transaction } from 'kysely';
import type { Clock } from '../../../engine/clock.ts';
import { findOwner, grantsAfterReplace, type Grant } from '../../../engine/job/permissions.ts';
import type {
  HeldPermissions,
  PermissionReader,
  PermissionStore,
} from '../../../engine/ports/permissions.ts';
import type { Log } from '../../../engine/ports/log.ts';
import { everyoneGroup, listPrincipalIds, requirePrincipalId } from '../people/grantees.ts';
import { retryTransient } from '../transient-errors.ts';
import type { Database } from '../schema.ts';

export function createPermissionStore(db: Kysely<Database>): PermissionStore {
  return {
    findLevels: (on, id, userName) => levelsOn(db, on, id, userName),
    isAdmin: async (userName) => {
      const user = await db
        .selectFrom('principals')
        .select('admin')
        .where('user_name', '=', userName)
        .where('active', '=', true)
        .executeTakeFirst();
      return user?.admin ?? false;
    },
    listOwners: (jobIds) => ownersOf(db, jobIds),
    listGrants: async (jobId) => {
      const job = await existingJobs(db).where('jobs.job_id', '=', jobId).executeTakeFirst();
      return job === undefined ? undefined : grantsOn(db, jobId);
    },
    update: (jobId, change) =>
      db.transaction().execute(async (transaction) => {
        const job = await existingJobs(transaction)
          .where('jobs.job_id', '=', jobId)
          .forUpdate()
          .executeTakeFirst();
        if (job === undefined) return undefined;
        await replaceGrants(transaction, jobId, change(await grantsOn(transaction, jobId)));
        return grantsOn(transaction, jobId);
      }),
  };
}

/**
 * Creates the reader of permissions for the engine. Calls retry while the database is unavailable.
 */
export function createRetryingPermissionReader(
  db: Kysely<Database>,
  clock: Clock,
  log: Log,
): PermissionReader {
  const { findLevels: levels, isAdmin, listOwners: owners } = createPermissionStore(db);
  return {
    findLevels: (on, id, userName) => retryTransient(clock, log, () => levels(on, id, userName)),
    isAdmin: (userName) => retryTransient(clock, log, () => isAdmin(userName)),
    listOwners: (jobIds) => retryTransient(clock, log, () => owners(jobIds)),
  };
}

/**
 * Stores the access control list of a new job: the creator owns it unless the list names another owner.
 * @throws ServiceError for an unknown user
 */
export async function grantOnNewJob(
  db: Transaction<Database>,
  jobId: number,
  creator: string,
  wanted: readonly Grant[] = [],
): Promise<void> {
  await sql`insert into job_permissions (job_id, principal_id, level)
    select ${jobId}, principal_id, 'IS_OWNER' from principals where user_name = ${creator}`.execute(db);
  if (wanted.length > 0)
    await replaceGrants(db, jobId, grantsAfterReplace(await grantsOn(db, jobId), wanted));
}

/** Subquery of the jobs on which a user has any permission, for `where job_id in (...)`. */
export function jobsVisibleTo(db: Kysely<Database>, userName: string) {
  return permissionsHeldBy(db, userName).select('job_permissions.job_id');
}

async function levelsOn(
  db: Kysely<Database>,
  on: 'job_id' | 'run_id',
  id: number,
  userName: string,
): Promise<HeldPermissions | undefined> {
  const jobId = on === 'job_id' ? id : await jobOfRun(db, id);
  const job =
    jobId === undefined
      ? undefined
      : await existingJobs(db).where('jobs.job_id', '=', jobId).executeTakeFirst();
  if (job === undefined) return undefined;
  const rows = await permissionsHeldBy(db, userName)
    .select('level')
    .where('job_permissions.job_id', '=', job.job_id)
    .execute();
  return { jobId: job.job_id, levels: rows.map((row) => row.level) };
}

/** Finds the job by the id of a run or of one of its task runs. */
async function jobOfRun(db: Kysely<Database>, runId: number): Promise<number | undefined> {
  const run =
    (await db.selectFrom('runs').select('job_id').where('run_id', '=', runId).executeTakeFirst()) ??
    (await db
      .selectFrom('task_runs')
      .innerJoin('runs', 'runs.run_id', 'task_runs.job_run_id')
      .select('job_id')
      .where('task_runs.run_id', '=', runId)
      .executeTakeFirst());
  return run?.job_id;
}

async function ownersOf(
  db: Kysely<Database>,
  jobIds: readonly number[],
): Promise<ReadonlyMap<number, string>> {
  if (jobIds.length === 0) return new Map();
  const rows = await db
    .selectFrom('job_permissions')
    .innerJoin('principals', 'principals.principal_id', 'job_permissions.principal_id')
    .select(['job_id', 'user_name'])
    .where('level', '=', 'IS_OWNER')
    .where('job_id', 'in', jobIds)
    .execute();
  return new Map(rows.map((row) => [row.job_id, row.user_name]));
}

async function grantsOn(db: Kysely<Database>, jobId: number): Promise<Grant[]> {
  const rows = await db
    .selectFrom('job_permissions')
    .leftJoin('principals', 'principals.principal_id', 'job_permissions.principal_id')
    .select(['user_name', 'kind', 'group_name', 'level'])
    .where('job_id', '=', jobId)
    .orderBy('user_name', (by) => by.asc().nullsLast())
    .orderBy('group_name')
    .execute();
  const grants = rows.map(({ user_name: user, kind, group_name: group, level }): Grant => ({
    // A CHECK of the table guarantees that one of the two is set.
    grantee: group === null ? { kind: kind ?? 'user', name: user ?? '' } : { kind: 'group', name: group },
    level,
  }));
  const owner = findOwner(grants);
  return owner === undefined ? grants : [owner, ...grants.filter((grant) => grant !== owner)];
}

async function replaceGrants(
  db: Transaction<Database>,
  jobId: number,
  grants: readonly Grant[],
): Promise<void> {
  await db.deleteFrom('job_permissions').where('job_id', '=', jobId).execute();
  if (grants.length === 0) return;
  const principals = await listPrincipalIds(
    db,
    grants.map(({ grantee }) => grantee),
  );
  await db
    .insertInto('job_permissions')
    .values(
      grants.map(({ grantee, level }) => ({
        job_id: jobId,
        level,
        principal_id: grantee.kind === 'group' ? null : requirePrincipalId(principals, grantee),
        group_name: grantee.kind === 'group' ? grantee.name : null,
      })),
    )
    .execute();
}

/** Subquery of jobs that are not deleted, including hidden ones. */
function existingJobs(db: Kysely<Database>) {
  return db.selectFrom('jobs').select('jobs.job_id').where('deleted_time', 'is', null);
}

/** Condition for grants to a user, directly or through the group of all users. */
function permissionsHeldBy(db: Kysely<Database>, userName: string) {
  return db
    .selectFrom('job_permissions')
    .leftJoin('principals', 'principals.principal_id', 'job_permissions.principal_id')
    .where((row) => row.or([row('group_name', '=', everyoneGroup), row('user_name', '=', userName)]));
}
