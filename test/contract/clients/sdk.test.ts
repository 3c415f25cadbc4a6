/** Jobs through the unmodified JavaScript SDK of the vendor, configured with address and token only. */
import { WorkspaceClient, type jobs } from '@databricks/sdk-experimental';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { addDestinations, knownDestinations } from '../../harness/destinations.ts';
import { startTestService, type TestService } from '../../harness/test-service.ts';
import { collectAll, apiErrorOf } from './sdk-results.ts';

let runyard: TestService;

let client: WorkspaceClient;

beforeAll(async () => {
  runyard = await startTestService();
  client = clientWith(runyard.token);
  await addDestinations(runyard.database.db);
  await client.dbfs.put({ path: '/program.py', contents: base64(program), overwrite: true });
  await client.workspace.mkdirs({ path: '/notebooks' });
  await client.workspace.import({
    path: '/notebooks/greet',
    language: 'PYTHON',
    format: 'SOURCE',
    overwrite: true,
    content: base64(notebook),
  });
});

afterAll(() => runyard.stop());

/** Program that prints its argument; `wait` runs until stopped, `wish` fails until the file /wish exists. */
const program = `
import os, sys, time
print("program", sys.argv[1], flush=True)
if sys.argv[1] == "wait": time.sleep(600)
if sys.argv[1] == "wish" and not os.path.exists(os.environ["RUNYARD_MANAGED_FS"] + "/wish"): sys.exit("no wish")
`;

const notebook = `# Databricks notebook source
who = dbutils.widgets.get("who")
print("greeting", who)
# COMMAND ----------
dbutils.notebook.exit("hello " + who)
`;

const cluster = { spark_version: '16.4.x-scala2.12', node_type_id: 'standard-2', num_workers: 1 };

function clientWith(token: string): WorkspaceClient {
  return new WorkspaceClient({ env: { DATABRICKS_HOST: runyard.url, DATABRICKS_TOKEN: token } });
}

function base64(text: string): string {
  return Buffer.from(text).toString('base64');
}

/** Returns a task that runs the program. */
function says(word: string, fields: Partial<jobs.Task> = {}): jobs.Task & jobs.SubmitTask {
  return {
    task_key: word,
    existing_cluster_id: 'sdk',
    spark_python_task: { python_file: 'dbfs:/program.py', parameters: [word] },
    ...fields,
  };
}

/** Returns a job with these tasks. */
async function jobOf(tasks: jobs.Task[], settings: jobs.CreateJob = {}): Promise<number> {
  return given((await client.jobs.create({ name: 'sdk', tasks, ...settings })).job_id);
}

/** Returns a value that is optional in the SDK types but present in every response. */
function given<Value>(value: Value | undefined): Value {
  if (value === undefined) throw new Error('The answer lacks it.');
  return value;
}

describe('jobs', () => {
  const settings: jobs.CreateJob = {
    name: 'nightly',
    max_concurrent_runs: 2,
    timeout_seconds: 3_600,
    tags: { team: 'data' },
    queue: { enabled: false },
    description: 'What it is for',
    parameters: [{ name: 'city', default: 'Oslo' }],
    format: 'MULTI_TASK',
    edit_mode: 'EDITABLE',
    email_notifications: { on_failure: ['ann@example.org'], no_alert_for_skipped_runs: true },
    webhook_notifications: { on_success: [{ id: given(knownDestinations[0]) }] },
    health: { rules: [{ metric: 'RUN_DURATION_SECONDS', op: 'GREATER_THAN', value: 60 }] },
    job_clusters: [
      {
        job_cluster_key: 'shared',
        new_cluster: { ...cluster, custom_tags: { a: 'b' }, aws_attributes: { availability: 'SPOT' } },
      },
    ],
    tasks: [
      {
        task_key: 'a',
        job_cluster_key: 'shared',
        notebook_task: {
          notebook_path: '/notebooks/greet',
          source: 'WORKSPACE',
          base_parameters: { who: 'all' },
        },
        run_if: 'ALL_SUCCESS',
        max_retries: 1,
      },
      {
        task_key: 'b',
        depends_on: [{ task_key: 'a' }],
        new_cluster: cluster,
        spark_python_task: { python_file: 'dbfs:/program.py', parameters: ['ok'] },
        libraries: [{ pypi: { package: 'x==1' } }],
        run_if: 'ALL_DONE',
      },
    ],
  };

  test('are created, returned as written, and listed', async () => {
    const { job_id } = await client.jobs.create({ ...settings });
    const job = await client.jobs.get({ job_id: given(job_id) });
    expect(job).toMatchObject({
      job_id,
      creator_user_name: 'admin',
      run_as_user_name: 'admin',
      created_time: expect.any(Number),
      settings,
    });
    const listed = await collectAll(client.jobs.list({ name: 'NIGHTLY', expand_tasks: true }));
    expect(listed).toMatchObject([
      { job_id, settings: { name: 'nightly', tasks: [{ task_key: 'a' }, { task_key: 'b' }] } },
    ]);
    expect((await client.jobs.create({ ...job.settings })).job_id).toBeGreaterThan(given(job_id));
  });

  test('are listed completely, page by page', async () => {
    for (const index of Array.from({ length: 5 }).keys())
      await jobOf([says('ok')], { name: `page ${index}` });
    const names = (await collectAll(client.jobs.list({ limit: 2 }))).map((job) => job.settings?.name);
    expect(names.slice(0, 5)).toEqual(['page 4', 'page 3', 'page 2', 'page 1', 'page 0']);
    expect(await collectAll(client.jobs.list({ name: 'no such job' }))).toEqual([]);
  });

  test('are updated by field and reset completely', async () => {
    const { job_id } = await client.jobs.create({ ...settings });
    const jobId = given(job_id);
    await client.jobs.update({
      job_id: jobId,
      new_settings: { name: 'weekly', tasks: [says('c')] },
      fields_to_remove: ['tags', 'tasks/b'],
    });
    const updated = given((await client.jobs.get({ job_id: jobId })).settings);
    expect(updated).toMatchObject({ name: 'weekly', max_concurrent_runs: 2, timeout_seconds: 3_600 });
    expect(updated.tags).toBeUndefined();
    expect(updated.tasks?.map(({ task_key: key }) => key)).toEqual(['a', 'c']);
    await client.jobs.reset({ job_id: jobId, new_settings: { name: 'again', tasks: [says('d')] } });
    const reset = given((await client.jobs.get({ job_id: jobId })).settings);
    expect(reset).toMatchObject({
      name: 'again',
      max_concurrent_runs: 1,
      timeout_seconds: 0,
      tasks: [{ task_key: 'd' }],
    });
    expect(reset.job_clusters).toBeUndefined();
  });

  test('are deleted, and a second delete succeeds', async () => {
    const jobId = await jobOf([says('ok')]);
    await client.jobs.delete({ job_id: jobId });
    await client.jobs.delete({ job_id: jobId });
    expect(await apiErrorOf(client.jobs.get({ job_id: jobId }))).toEqual({
      statusCode: 400,
      errorCode: 'INVALID_PARAMETER_VALUE',
      message: `Job ${jobId} does not exist.`,
    });
  });

  test('have permissions', async () => {
    const jobId = await jobOf([says('ok')], {
      access_control_list: [{ group_name: 'users', permission_level: 'CAN_VIEW' }],
    });
    const inId = { job_id: String(jobId) };
    const ofUsers = (list: jobs.JobPermissions) =>
      given(list.access_control_list).find((entry) => entry.group_name === 'users');
    expect(ofUsers(await client.jobs.getPermissions(inId))).toMatchObject({
      all_permissions: [{ permission_level: 'CAN_VIEW', inherited: false }],
    });
    const changed = await client.jobs.setPermissions({
      ...inId,
      access_control_list: [{ group_name: 'users', permission_level: 'CAN_MANAGE_RUN' }],
    });
    expect(changed.object_id).toBe(`/jobs/${jobId}`);
    expect(ofUsers(changed)).toMatchObject({ all_permissions: [{ permission_level: 'CAN_MANAGE_RUN' }] });
    const { permission_levels: levels } = await client.jobs.getPermissionLevels(inId);
    expect(levels?.map((level) => level.permission_level)).toEqual(
      expect.arrayContaining(['CAN_VIEW', 'CAN_MANAGE_RUN', 'CAN_MANAGE', 'IS_OWNER']),
    );
  });
});
