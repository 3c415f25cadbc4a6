/** The vendor's own SDK, unmodified and knowing nothing but address and token, drives the running service. */
import { WorkspaceClient, type jobs } from '@databricks/sdk-experimental';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { addDestinations, knownDestinations } from '../../harness/destinations.ts';
import { createApiClient } from '../../harness/api-client.ts';
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

/** Says its argument; `wait` does so until it is stopped, `wish` fails until the file /wish is there. */
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

/** A task that runs the program. */
function says(word: string, fields: Partial<jobs.Task> = {}): jobs.Task & jobs.SubmitTask {
  return {
    task_key: word,
    existing_cluster_id: 'sdk',
    spark_python_task: { python_file: 'dbfs:/program.py', parameters: [word] },
    ...fields,
  };
}

/** A job with these tasks. */
async function jobOf(tasks: jobs.Task[], settings: jobs.CreateJob = {}): Promise<number> {
  return given((await client.jobs.create({ name: 'sdk', tasks, ...settings })).job_id);
}

/** What the SDK's types call optional and every answer has. */
function given<Value>(value: Value | undefined): Value {
  if (value === undefined) throw new Error('The answer lacks it.');
  return value;
}

test('the caller is known', async () => {
  expect(await client.currentUser.me()).toMatchObject({
    userName: 'admin',
    active: true,
    groups: expect.arrayContaining([{ display: 'admins' }]),
  });
});

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

  test('are created, shown as they were written, and listed', async () => {
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

  test('are listed page by page until the end', async () => {
    for (const index of Array.from({ length: 5 }).keys())
      await jobOf([says('ok')], { name: `page ${index}` });
    const names = (await collectAll(client.jobs.list({ limit: 2 }))).map((job) => job.settings?.name);
    expect(names.slice(0, 5)).toEqual(['page 4', 'page 3', 'page 2', 'page 1', 'page 0']);
    expect(await collectAll(client.jobs.list({ name: 'no such job' }))).toEqual([]);
  });

  test('are updated field by field, and reset as a whole', async () => {
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

  test('are deleted, and a second time as well', async () => {
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

describe('runs', () => {
  test('run-now waits for the end, and every task has its output', async () => {
    const jobId = await jobOf([
      {
        task_key: 'greet',
        new_cluster: cluster,
        notebook_task: { notebook_path: '/notebooks/greet', base_parameters: { who: 'nobody' } },
      },
      says('ok', { depends_on: [{ task_key: 'greet' }] }),
    ]);
    const seen: (string | undefined)[] = [];
    const started = await client.jobs.runNow({
      job_id: jobId,
      notebook_params: { who: 'you' },
      idempotency_token: 'sdk-run-now',
    });
    expect(started).toMatchObject({ run_id: expect.any(Number), number_in_job: 1 });
    const run = await started.wait({
      onProgress: async ({ state }) => {
        seen.push(state?.life_cycle_state);
      },
    });
    expect(run).toMatchObject({
      run_id: started.run_id,
      job_id: jobId,
      run_type: 'JOB_RUN',
      trigger: 'ONE_TIME',
      run_page_url: expect.stringMatching(/^http/),
      state: { life_cycle_state: 'TERMINATED', result_state: 'SUCCESS', state_message: '' },
      status: { state: 'TERMINATED', termination_details: { code: 'SUCCESS' } },
      overriding_parameters: { notebook_params: { who: 'you' } },
    });
    expect(seen.at(-1)).toBe('TERMINATED');
    const [greet, ok] = given(run.tasks);
    const output = await client.jobs.getRunOutput({ run_id: given(greet?.run_id) });
    expect(output).toMatchObject({
      notebook_output: { result: 'hello you', truncated: false },
      metadata: { run_id: greet?.run_id },
    });
    expect(await client.jobs.getRunOutput({ run_id: given(ok?.run_id) })).toMatchObject({
      logs: 'program ok\n',
      logs_truncated: false,
    });
    expect((await client.jobs.getRun({ run_id: given(ok?.run_id) })).run_id).toBe(ok?.run_id);
    const again = await client.jobs.runNow({
      job_id: jobId,
      notebook_params: { who: 'you' },
      idempotency_token: 'sdk-run-now',
    });
    expect(again.run_id).toBe(run.run_id);
    const { views } = await client.jobs.exportRun({ run_id: given(greet?.run_id), views_to_export: 'ALL' });
    expect(views).toMatchObject([
      { type: 'NOTEBOOK', name: 'greet', content: expect.stringContaining('greeting you') },
      { type: 'DASHBOARD' },
    ]);
  });

  test('submit waits for the end', async () => {
    const started = await client.jobs.submit({
      run_name: 'once',
      idempotency_token: 'sdk-submit',
      timeout_seconds: 600,
      tasks: [
        {
          task_key: 'ok',
          new_cluster: cluster,
          spark_python_task: { python_file: 'dbfs:/program.py', parameters: ['ok'] },
        },
      ],
    });
    const run = await started.wait();
    expect(run).toMatchObject({
      run_name: 'once',
      run_type: 'SUBMIT_RUN',
      job_id: expect.any(Number),
      state: { result_state: 'SUCCESS' },
    });
    expect(await client.jobs.getRunOutput({ run_id: given(run.tasks?.[0]?.run_id) })).toMatchObject({
      logs: 'program ok\n',
    });
    expect(
      (await collectAll(client.jobs.listRuns({ run_type: 'SUBMIT_RUN' }))).map((one) => one.run_id),
    ).toEqual([run.run_id]);
  });

  test('are listed page by page, newest first, and deleted', async () => {
    const jobId = await jobOf([says('ok')], { max_concurrent_runs: 10 });
    const started = [];
    for (const _ of Array.from({ length: 5 })) started.unshift(await client.jobs.runNow({ job_id: jobId }));
    const ids = (await Promise.all(started.map((run) => run.wait()))).map((run) => given(run.run_id));
    expect(
      (await collectAll(client.jobs.listRuns({ job_id: jobId, limit: 2 }))).map((run) => run.run_id),
    ).toEqual(ids);
    expect(await collectAll(client.jobs.listRuns({ job_id: jobId, active_only: true }))).toEqual([]);
    const expanded = await collectAll(
      client.jobs.listRuns({ job_id: jobId, completed_only: true, expand_tasks: true, start_time_from: 0 }),
    );
    expect(expanded.map((run) => run.tasks?.length)).toEqual([1, 1, 1, 1, 1]);
    await client.jobs.deleteRun({ run_id: given(ids[0]) });
    expect((await apiErrorOf(client.jobs.getRun({ run_id: given(ids[0]) }))).message).toBe(
      `Run ${ids[0]} does not exist.`,
    );
    expect((await collectAll(client.jobs.listRuns({ job_id: jobId }))).map((run) => run.run_id)).toEqual(
      ids.slice(1),
    );
  });

  test('cancel waits for the end; an active run cannot be deleted', async () => {
    const jobId = await jobOf([says('wait'), says('ok', { depends_on: [{ task_key: 'wait' }] })]);
    const run_id = given((await client.jobs.runNow({ job_id: jobId })).run_id);
    expect(await apiErrorOf(client.jobs.deleteRun({ run_id }))).toMatchObject({
      statusCode: 400,
      errorCode: 'INVALID_STATE',
    });
    const cancelled = await (await client.jobs.cancelRun({ run_id })).wait();
    expect(cancelled.state).toMatchObject({
      life_cycle_state: 'TERMINATED',
      result_state: 'CANCELED',
      user_cancelled_or_timedout: true,
    });
  });

  test('cancel-all ends every run of a job; one over the limit was skipped', async () => {
    const jobId = await jobOf([says('wait')], { max_concurrent_runs: 2, queue: { enabled: false } });
    const [first, second, third] = [
      await client.jobs.runNow({ job_id: jobId }),
      await client.jobs.runNow({ job_id: jobId }),
      await client.jobs.runNow({ job_id: jobId }),
    ];
    expect((await third.wait()).state).toMatchObject({ life_cycle_state: 'SKIPPED' });
    await client.jobs.cancelAllRuns({ job_id: jobId });
    const ended = await Promise.all([first.wait(), second.wait()]);
    expect(ended.map((run) => run.state?.result_state)).toEqual(['CANCELED', 'CANCELED']);
  });

  test('a failed run is repaired, and its history tells', async () => {
    const jobId = await jobOf([
      says('ok'),
      says('wish', { depends_on: [{ task_key: 'ok' }] }),
      says('after', { depends_on: [{ task_key: 'wish' }] }),
    ]);
    const failed = await (await client.jobs.runNow({ job_id: jobId })).wait();
    expect(failed.state).toMatchObject({ life_cycle_state: 'TERMINATED', result_state: 'FAILED' });
    const wish = given(given(failed.tasks).find((task) => task.task_key === 'wish'));
    expect((await client.jobs.getRunOutput({ run_id: given(wish.run_id) })).error).toMatch(/no wish|exit/);
    await client.dbfs.put({ path: '/wish', contents: base64('granted'), overwrite: true });
    const repair = await client.jobs.repairRun({
      run_id: given(failed.run_id),
      rerun_all_failed_tasks: true,
    });
    expect(repair.repair_id).toEqual(expect.any(Number));
    const repaired = await repair.wait();
    expect(repaired).toMatchObject({
      run_id: failed.run_id,
      state: { life_cycle_state: 'TERMINATED', result_state: 'SUCCESS' },
    });
    const { repair_history: history } = await client.jobs.getRun({
      run_id: given(failed.run_id),
      include_history: true,
    });
    expect(history).toMatchObject([
      { type: 'ORIGINAL', state: { result_state: 'FAILED' } },
      { type: 'REPAIR', id: repair.repair_id, state: { result_state: 'SUCCESS' } },
    ]);
  });

  test('a refusal reaches the caller at once, as what it is', async () => {
    expect(await apiErrorOf(client.jobs.getRun({ run_id: 987_654 }))).toEqual({
      statusCode: 400,
      errorCode: 'INVALID_PARAMETER_VALUE',
      message: 'Run 987654 does not exist.',
    });
    expect(await apiErrorOf(client.jobs.create({ tasks: [{ task_key: 'a' }] }))).toMatchObject({
      statusCode: 400,
      errorCode: 'INVALID_PARAMETER_VALUE',
    });
    expect(await apiErrorOf(clientWith('unknown').jobs.get({ job_id: 1 }))).toEqual({
      statusCode: 403,
      errorCode: 'PERMISSION_DENIED',
      message: 'Invalid access token.',
    });
  });
});

describe('tokens', () => {
  test('are created, used, listed and deleted', async () => {
    const { token_value: value, token_info: info } = await client.tokens.create({
      comment: 'of the sdk',
      lifetime_seconds: 3_600,
    });
    expect(info).toMatchObject({
      comment: 'of the sdk',
      expiry_time: given(info?.creation_time) + 3_600_000,
    });
    const other = clientWith(given(value));
    expect((await other.currentUser.me()).userName).toBe('admin');
    expect((await collectAll(client.tokens.list())).map((token) => token.token_id)).toContain(info?.token_id);
    await client.tokens.delete({ token_id: given(info?.token_id) });
    expect((await apiErrorOf(other.currentUser.me())).message).toBe('Invalid access token.');
    expect(await apiErrorOf(client.tokens.delete({ token_id: given(info?.token_id) }))).toMatchObject({
      statusCode: 404,
      errorCode: 'RESOURCE_DOES_NOT_EXIST',
    });
  });

  test('are changed by a call of any other client: the SDK has none, and sends no body with a PATCH', async () => {
    const { token_value: value, token_info: info } = await client.tokens.create({});
    const path = `/api/2.0/token/${info?.token_id}`;
    const payload = { token: { scopes: ['jobs'] }, update_mask: 'scopes' };
    expect(
      await apiErrorOf(
        client.apiClient.request({ path, method: 'PATCH', headers: new Headers(), raw: false, payload }),
      ),
    ).toEqual({
      statusCode: 400,
      errorCode: 'INVALID_PARAMETER_VALUE',
      message: 'Missing required field: token.',
    });
    const { url, token } = createApiClient(runyard.url, runyard.token);
    const answer = await fetch(`${url}${path}`, {
      method: 'PATCH',
      headers: { authorization: `Bearer ${token}` },
      body: JSON.stringify(payload),
    });
    expect([answer.status, await answer.json()]).toEqual([200, {}]);
    const narrowed = clientWith(given(value));
    expect((await collectAll(narrowed.jobs.list({}))).length).toBeGreaterThan(0);
    expect((await apiErrorOf(narrowed.tokens.create({}))).message).toBe(
      'Provided access token does not have required scopes: authentication',
    );
  });
});

test('notification destinations are made, listed and deleted', async () => {
  const {
    id = '',
    destination_type,
    config,
  } = await client.notificationDestinations.create({
    display_name: 'desk',
    config: { generic_webhook: { url: 'https://desk.example.org/hook', username: 'u', password: 'p' } },
  });
  expect([destination_type, config]).toEqual([
    'WEBHOOK',
    { generic_webhook: { url_set: true, username_set: true, password_set: true } },
  ]);
  expect(await client.notificationDestinations.get({ id })).toMatchObject({ id, display_name: 'desk' });
  expect(
    (await collectAll(client.notificationDestinations.list({}))).map((one) => [one.id, one.destination_type]),
  ).toContainEqual([id, 'WEBHOOK']);
  // It sends no body with a PATCH; that is refused instead of doing nothing.
  expect(
    (await apiErrorOf(client.notificationDestinations.update({ id, display_name: 'second floor' }))).message,
  ).toBe('Neither display_name nor config is given; at least one is required.');
  const jobId = await jobOf([says('hello')], { webhook_notifications: { on_failure: [{ id }] } });
  expect((await client.jobs.get({ job_id: jobId })).settings?.webhook_notifications).toEqual({
    on_failure: [{ id }],
  });
  await client.notificationDestinations.delete({ id });
  expect((await collectAll(client.notificationDestinations.list({}))).map((one) => one.id)).not.toContain(id);
});
