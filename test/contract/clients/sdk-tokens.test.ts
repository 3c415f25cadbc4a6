/** Current user, tokens and notification destinations through the JavaScript SDK. */
import { WorkspaceClient, type jobs } from '@databricks/sdk-experimental';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { addDestinations } from '../../harness/destinations.ts';
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

test('the SDK returns the current user', async () => {
  expect(await client.currentUser.me()).toMatchObject({
    userName: 'admin',
    active: true,
    groups: expect.arrayContaining([{ display: 'admins' }]),
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
    expect((await apiErrorOf(other.currentUser.me())).message).toContain('Invalid access token.');
    expect(await apiErrorOf(client.tokens.delete({ token_id: given(info?.token_id) }))).toMatchObject({
      statusCode: 404,
      errorCode: 'RESOURCE_DOES_NOT_EXIST',
    });
  });

  test('are updated by a plain HTTP request, because the SDK sends PATCH without a body', async () => {
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
    const jobId = await jobOf([says('listed')]);
    const narrowed = clientWith(given(value));
    expect((await collectAll(narrowed.jobs.list({}))).map(({ job_id }) => job_id)).toContain(jobId);
    expect((await apiErrorOf(narrowed.tokens.create({}))).message).toBe(
      'Provided access token does not have required scopes: authentication',
    );
  });
});

test('notification destinations are created, listed and deleted', async () => {
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
  // The SDK sends PATCH without a body, which is refused.
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
