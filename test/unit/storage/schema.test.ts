/** CHECK constraints of the schema: each refuses the states that the engine excludes. */
import { sql, type Kysely } from 'kysely';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Database } from '../../../storage/postgres/schema.ts';
import { createTestDatabase, type TestDatabase } from '../../harness/test-database.ts';
import { graphSettings, createTestRunStore, createSubmittedRun } from './run-fixtures.ts';

let database: TestDatabase;

/** One row in every table that has CHECKs. */
beforeAll(async () => {
  database = await createTestDatabase();
  await createSubmittedRun(createTestRunStore(database.db), graphSettings('a'));
  await sql`insert into principals (user_name, admin, active, created_time) values ('ann', true, true, 1)`.execute(
    database.db,
  );
  await sql`insert into tokens (token_id, principal_id, hash, comment, scopes, created_time, last_accessed_time)
    select ${'b'.repeat(64)}, principal_id, ${'a'.repeat(64)}, '', '{jobs}', 1, 1 from principals`.execute(
    database.db,
  );
  await sql`insert into clusters (cluster_id, kind, state, job_run_id, spec, created_time, requested_nodes, granted_nodes) values ('c', 'JOB', 'RUNNING', 1, '{}', 1, 1, 1)`.execute(
    database.db,
  );
  await sql`insert into repairs (repair_id, run_id, start_time, ended_state, ended_result, ended_message, ended_time)
    select 99, run_id, 9, 'TERMINATED', 'FAILED', '', 9 from runs`.execute(database.db);
  await sql`insert into outbox (event, channel, recipient, job_id, created_time) values ('on_start', 'email', 'a@x', 1, 1)`.execute(
    database.db,
  );
  await sql`insert into destinations (display_name, target, created_time) values ('d', '{"kind": "SLACK"}', 1)`.execute(
    database.db,
  );
  await sql`with one as (insert into deliveries (event, channel, queue_key, ordering_key, address, created_time, facts, next_attempt_time)
    values ('on_start', 'email', 'email', 'l', 'a@x', 1, '{}', 1) returning delivery_id)
    insert into delivery_attempts (delivery_id, number, time, duration_ms) select delivery_id, 1, 1, 1 from one`.execute(
    database.db,
  );
  await sql`insert into cluster_libraries (cluster_id, library_key, library, status, requested, spark_context_id, changed_time)
    values ('c', 'k', '{}', 'PENDING', true, '1', 1)`.execute(database.db);
  await sql`insert into cluster_environments (cluster_id, version, spark_context_id, installed, paths) values ('c', 1, '1', '[]', '{}')`.execute(
    database.db,
  );
  await sql`with one as (insert into pipelines (pipeline_id, name, creator, created_time, modified_time, document)
    values (gen_random_uuid(), 'p', 'ann', 1, 1, '{}') returning pipeline_id)
    insert into pipeline_updates (update_id, pipeline_id, run_id, cause, request, created_time)
    select gen_random_uuid(), pipeline_id, (select min(run_id) from task_runs), 'API_CALL', '{}', 1 from one`.execute(
    database.db,
  );
  await sql`insert into schedules (job_id, next_fire_at) select job_id, 10 from jobs`.execute(database.db);
});
afterAll(() => database.drop());

/** CHECK -> assignments that it refuses. For runs and task_runs alike: `of` puts the table's name into it. */
const progressChecks = (table: string): [string, string][] =>
  [
    ['state_known', "state = 'BLOCKED', active = false, end_time = 9e15"],
    ['active_means_not_terminal', 'active = false, end_time = 9e15'],
    ['active_means_not_terminal', "state = 'SKIPPED'"],
    ['result_known', "state = 'TERMINATING', result = 'SUCCESSFUL'"],
    ['result_when_available', "result = 'SUCCESS'"],
    ['result_when_available', "state = 'RUNNING', result = 'SUCCESS'"],
    ['result_when_available', "state = 'TERMINATING'"],
    ['result_when_available', "state = 'TERMINATED', active = false, end_time = 9e15"],
    ['result_when_available', "state = 'SKIPPED', active = false, end_time = 9e15, result = 'FAILED'"],
    ['end_time_means_terminal', 'end_time = 9e15'],
    ['end_time_means_terminal', "state = 'SKIPPED', active = false"],
    ['times_in_order', 'start_time = 10, running_time = 9'],
    ['times_in_order', 'start_time = 10, terminating_time = 9'],
    ['times_in_order', 'start_time = 10, running_time = 20, terminating_time = 19'],
    ['times_in_order', "state = 'INTERNAL_ERROR', active = false, start_time = 10, end_time = 9"],
    [
      'times_in_order',
      "state = 'INTERNAL_ERROR', active = false, start_time = 10, running_time = 20, end_time = 19",
    ],
    [
      'times_in_order',
      "state = 'INTERNAL_ERROR', active = false, start_time = 1, running_time = 2, terminating_time = 9, end_time = 8",
    ],
    ['fence_positive', 'fence = 0'],
  ].map(([name, change]) => [`${table}_${name}`, `${table} set ${change}`]);

const checks: [string, string][] = [
  ...progressChecks('runs'),
  ...progressChecks('task_runs'),
  ['principals_user_name_given', "principals set user_name = ''"],
  ['cluster_libraries_status_known', "cluster_libraries set status = 'RESTORED'"],
  ['cluster_libraries_failure_has_reason', "cluster_libraries set status = 'FAILED'"],
  ['cluster_environments_version_positive', 'cluster_environments set version = 0'],
  ['tokens_id_is_hex', "tokens set token_id = 'x'"],
  ['tokens_hash_is_sha256', "tokens set hash = 'x'"],
  ['principals_kind_known', "principals set kind = 'robot'"],
  ['principals_deleted_are_inactive', 'principals set deleted_time = 1'],
  ['tokens_autoscope_state_known', "tokens set autoscope_state = 'ON'"],
  ['tokens_observed_have_start', "tokens set autoscope_state = 'RUNNING'"],
  ['token_permissions_one_grantee', 'token_permissions set group_name = null'],
  ['token_permissions_group_known', "token_permissions set group_name = 'staff'"],
  ['tokens_have_scopes', "tokens set scopes = '{}'"],
  ['tokens_expire_after_creation', 'tokens set expiry_time = 1'],
  ['jobs_format_known', "jobs set format = 'BOTH'"],
  ['jobs_api_version_known', "jobs set api_version = '1.9'"],
  ['runs_have_start_time', 'runs set start_time = null'],
  ['runs_have_settings', 'runs set settings = null, settings_revision = null'],
  ['runs_format_known', "runs set format = 'BOTH'"],
  ['runs_type_known', "runs set run_type = 'RUN'"],
  ['runs_trigger_known', "runs set trigger = 'MANUAL'"],
  ['runs_stop_reason_known', "runs set stop_reason = 'bored'"],
  ['runs_attempt_not_negative', 'runs set attempt = -1'],
  ['runs_repair_columns_together', 'runs set repair_id = 5'],
  [
    'runs_repair_count_positive',
    'runs set repair_id = 5, repair_count = 0, repair_start_time = 9e15, earlier_duration = 0',
  ],
  [
    'runs_repair_after_start',
    'runs set start_time = 10, repair_id = 5, repair_count = 1, repair_start_time = 9, earlier_duration = 0',
  ],
  [
    'runs_earlier_duration_not_negative',
    'runs set repair_id = 5, repair_count = 1, repair_start_time = 9e15, earlier_duration = -1',
  ],
  ['runs_queue_code_known', "runs set state = 'QUEUED', queue_code = 'FULL'"],
  ['runs_queue_code_means_queued', "runs set state = 'QUEUED'"],
  ['runs_queue_code_means_queued', "runs set queue_code = 'MAX_CONCURRENT_RUNS_REACHED'"],
  ['runs_admitted_after_start', 'runs set start_time = 10, admitted_time = 9'],
  ['runs_retries_have_original', 'runs set attempt = 1, original_attempt_run_id = run_id - 1'],
  ['runs_retries_have_original', "runs set trigger = 'RETRY'"],
  ['runs_retries_have_original', "runs set attempt = 1, trigger = 'RETRY'"],
  ['runs_scheduled_have_time', "runs set trigger = 'PERIODIC'"],
  ['schedules_fire_forward', 'schedules set last_fire_at = next_fire_at'],
  ['schedules_invalid_do_not_fire', "schedules set problem = 'x'"],
  ['task_runs_stop_reason_known', "task_runs set stop_reason = 'bored'"],
  ['task_runs_attempt_not_negative', 'task_runs set attempt = -1'],
  ['repairs_ended_state_known', "repairs set ended_state = 'RUNNING'"],
  ['repairs_ended_result_known', "repairs set ended_result = 'SUCCESSFUL'"],
  ['repairs_ended_result_when_available', 'repairs set ended_result = null'],
  ['repairs_start_after_end', 'repairs set start_time = 8'],
  ['clusters_kind_known', "clusters set kind = 'SQL', job_run_id = null"],
  ['clusters_state_known', "clusters set state = 'RESIZING'"],
  ['clusters_job_has_run', 'clusters set job_run_id = null'],
  ['clusters_job_has_run', "clusters set kind = 'ALL_PURPOSE'"],
  ['clusters_terminated_has_time', "clusters set state = 'TERMINATED', granted_nodes = 0"],
  ['clusters_terminated_has_time', 'clusters set terminated_time = 5'],
  ['clusters_granted_nodes_in_range', 'clusters set granted_nodes = 2'],
  ['clusters_terminated_have_no_nodes', "clusters set state = 'TERMINATED', terminated_time = 5"],
  ['outbox_channel_known', "outbox set channel = 'pager'"],
  ['destinations_name_given', "destinations set display_name = ''"],
  ['destinations_kind_known', `destinations set target = '{"kind": "PAGER"}'`],
  ['destinations_webhooks_are_signed', `destinations set target = '{"kind": "WEBHOOK"}'`],
  ['destinations_webhooks_are_signed', "destinations set secrets = '{}'"],
  ['deliveries_channel_known', "deliveries set channel = 'pager'"],
  ['deliveries_state_known', "deliveries set state = 'lost', next_attempt_time = null"],
  ['deliveries_one_recipient', 'deliveries set address = null'],
  ['deliveries_one_recipient', 'deliveries set destination_id = gen_random_uuid()'],
  ['deliveries_pending_has_time', 'deliveries set next_attempt_time = null'],
  ['deliveries_pending_has_time', "deliveries set state = 'failed'"],
  [
    'deliveries_claimed_is_pending',
    "deliveries set state = 'failed', next_attempt_time = null, claimed_by = 'n'",
  ],
  ['deliveries_counts_not_negative', 'deliveries set round_attempts = 1'],
  ['pipelines_name_given', "pipelines set name = ''"],
  ['pipelines_one_source', 'pipelines set document = null'],
  ['pipelines_one_source', "pipelines set spec_path = '/x'"],
  ['pipeline_updates_cause_known', "pipeline_updates set cause = 'BOREDOM'"],
  ['delivery_attempts_number_positive', 'delivery_attempts set number = 0'],
  ['delivery_attempts_duration_not_negative', 'delivery_attempts set duration_ms = -1'],
];

test.each(checks)('%s refuses: update %s', async (constraint, change) => {
  await expect(sql.raw(`update ${change}`).execute(database.db)).rejects.toMatchObject({ constraint });
});

/** Applies a change and rolls it back. */
async function tried(db: Kysely<Database>, change: string): Promise<void> {
  await db.transaction().execute(async (transaction) => {
    await sql.raw(`update ${change}`).execute(transaction);
    throw new Error('accepted');
  });
}

describe('the changes of a run from start to end are accepted', () => {
  const start = 'start_time = 10';
  const lives = [
    `state = 'RUNNING', ${start}, running_time = 10`,
    `state = 'TERMINATING', result = 'CANCELED', ${start}, terminating_time = 10`,
    `state = 'TERMINATED', active = false, result = 'SUCCESS', ${start}, running_time = 11, terminating_time = 12, end_time = 13`,
    `state = 'TERMINATED', active = false, result = 'CANCELED', ${start}, end_time = 10`,
    `state = 'SKIPPED', active = false, ${start}, end_time = 10`,
    `state = 'INTERNAL_ERROR', active = false, ${start}, end_time = 10`,
    `state = 'INTERNAL_ERROR', active = false, result = 'FAILED', ${start}, running_time = 11, end_time = 13`,
  ];
  test.each(['runs', 'task_runs'].flatMap((table) => lives.map((life) => `${table} set ${life}`)))(
    '%s',
    async (change) => {
      await expect(tried(database.db, change)).rejects.toThrow('accepted');
    },
  );

  test.each([
    "runs set state = 'QUEUED', start_time = 10, queue_code = 'MAX_CONCURRENT_RUNS_REACHED'",
    "task_runs set state = 'QUEUED'",
    'runs set start_time = 10, admitted_time = 10',
    "runs set attempt = 1, trigger = 'RETRY', original_attempt_run_id = run_id - 1",
    "task_runs set stop_reason = 'timeout', due_time = 5, warned_time = 7",
  ])('%s', async (change) => {
    await expect(tried(database.db, change)).rejects.toThrow('accepted');
  });

  test('a task run that was skipped has no start', async () => {
    await expect(
      tried(database.db, "task_runs set state = 'SKIPPED', active = false, end_time = 5"),
    ).rejects.toThrow('accepted');
  });
});

test('every CHECK constraint of the listed tables has a test', async () => {
  const tables = [
    'principals',
    'tokens',
    'jobs',
    'runs',
    'task_runs',
    'repairs',
    'clusters',
    'outbox',
    'destinations',
    'deliveries',
    'delivery_attempts',
    'schedules',
    'workspace_settings',
    'token_permissions',
    'audit_events',
    'cluster_libraries',
    'cluster_environments',
    'pipelines',
    'pipeline_updates',
  ];
  const { rows } = await sql<{ name: string }>`select conname as name from pg_constraint
    where contype = 'c' and conrelid::regclass::text in (${sql.join(tables)})`.execute(database.db);
  expect([...new Set(checks.map(([name]) => name))].toSorted()).toEqual(
    rows.map(({ name }) => name).toSorted(),
  );
});
