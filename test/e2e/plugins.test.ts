/**
 * Task kinds of plugins through HTTP: the example plugins from create to output, and a plugin that is
 * missing at the next start.
 */
import { createServer, type IncomingHttpHeaders } from 'node:http';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { pino } from 'pino';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { startService } from '../../cli/wiring/service.ts';
import { taskKinds } from '../../engine/job/task-kinds.ts';
import { createApiClient, type ResponseBody } from '../harness/api-client.ts';
import { startTestService, type TestService } from '../harness/test-service.ts';

const directory = fileURLToPath(new URL('../../examples/plugins', import.meta.url));
const plugins = ['http-request.mjs', './shell-script'].map((specifier) => ({
  specifier,
  baseDirectory: directory,
}));
const asked: { method: string | undefined; url: string | undefined; headers: IncomingHttpHeaders }[] = [];
const receiver = createServer((request, response) => {
  asked.push({ method: request.method, url: request.url, headers: request.headers });
  if (request.url === '/never') return;
  response.statusCode = request.url === '/gone' ? 410 : 200;
  response.end(`${request.method} ${request.url}`);
});
let at: string;
let runyard: TestService;

beforeAll(async () => {
  await once(receiver.listen(0, '127.0.0.1'), 'listening');
  const address = receiver.address();
  at = `http://127.0.0.1:${typeof address === 'object' && address !== null ? address.port : 0}`;
  runyard = await startTestService({ plugins });
});
afterAll(async () => {
  receiver.closeAllConnections();
  receiver.close();
  await runyard.stop();
});

const refused = async (path: string, body: object): Promise<string> => {
  const { status, body: answer } = await runyard.call('POST', path, body);
  return `${status} ${answer.error_code} ${answer.message}`;
};
const create = (settings: object, version = '2.0'): Promise<ResponseBody> =>
  runyard.callOk('POST', `${version}/jobs/create`, { name: 'plugins', ...settings });
const settingsOf = async (job_id: number, version = '2.0'): Promise<ResponseBody> =>
  (await runyard.callOk('GET', `${version}/jobs/get`, { job_id })).settings;

async function ended(job_id: number, more: object = {}): Promise<ResponseBody> {
  const { run_id } = await runyard.callOk('POST', '2.0/jobs/run-now', { job_id, ...more });
  await runyard.waitForRunEnd(run_id);
  const run = await runyard.callOk('GET', '2.0/jobs/runs/get', { run_id, include_resolved_values: true });
  return {
    run,
    output:
      run.format === 'MULTI_TASK'
        ? undefined
        : await runyard.callOk('GET', '2.0/jobs/runs/get-output', { run_id }),
  };
}

describe('a plugin kind in the jobs API', () => {
  test('create, get, reset and update accept it in both formats and coerce text to numbers by its schema', async () => {
    const { job_id } = await create({ http_request_task: { url: at, timeout_seconds: '5', headers: null } });
    expect(await settingsOf(job_id)).toMatchObject({
      format: 'SINGLE_TASK',
      http_request_task: { url: at, timeout_seconds: 5 },
    });
    expect(await settingsOf(job_id, '2.1')).toMatchObject({
      format: 'MULTI_TASK',
      tasks: [{ task_key: 'main', http_request_task: { url: at, timeout_seconds: 5 } }],
    });
    const cluster = { existing_cluster_id: 'all' };
    await runyard.callOk('POST', '2.0/jobs/update', {
      job_id,
      fields_to_remove: ['http_request_task'],
      new_settings: { shell_script_task: { script: 'true' }, ...cluster },
    });
    expect(await settingsOf(job_id)).toMatchObject({ shell_script_task: { script: 'true' }, ...cluster });
    expect(await settingsOf(job_id)).not.toHaveProperty('http_request_task');
    const tasks = [
      { task_key: 'a', http_request_task: { url: at } },
      { task_key: 'b', depends_on: [{ task_key: 'a' }], shell_script_task: { script: 'true' }, ...cluster },
    ];
    await runyard.callOk('POST', '2.1/jobs/reset', { job_id, new_settings: { name: 'reset', tasks } });
    expect((await settingsOf(job_id)).tasks).toEqual([
      expect.objectContaining(tasks[0]),
      expect.objectContaining(tasks[1]),
    ]);
    expect((await ended(job_id)).run.state).toMatchObject({
      life_cycle_state: 'TERMINATED',
      result_state: 'SUCCESS',
    });
  });

  test.each<[string, object, string]>([
    [
      'a missing field',
      { http_request_task: {} },
      '400 INVALID_PARAMETER_VALUE Missing required field: http_request_task.url.',
    ],
    [
      'a field of the wrong type',
      { tasks: [{ task_key: 'a', http_request_task: { url: 7 } }] },
      '400 MALFORMED_REQUEST Could not parse request object: Expected string for field tasks[0].http_request_task.url, found NUMBER',
    ],
    [
      'a value that its schema does not allow',
      { http_request_task: { url: 'http://a', method: 'SHOUT' } },
      '400 INVALID_PARAMETER_VALUE http_request_task.method is "SHOUT"; it must be one of GET, HEAD, POST, PUT, PATCH, DELETE.',
    ],
    [
      'a field that its schema does not know',
      { http_request_task: { url: 'http://a', uri: 1 } },
      '400 INVALID_PARAMETER_VALUE http_request_task.uri is not a known field.',
    ],
    [
      'a cluster that its kind needs',
      { shell_script_task: { script: 'true' } },
      '400 INVALID_PARAMETER_VALUE One of job_cluster_key, new_cluster, or existing_cluster_id must be specified.',
    ],
    [
      'a reference that has no value',
      { http_request_task: { url: 'http://a', headers: { x: '{{job.parameters.who}}' } } },
      '400 INVALID_PARAMETER_VALUE http_request_task.headers.x refers to {{job.parameters.who}}; the job has no parameter "who"; it has none.',
    ],
    [
      'two kinds',
      { http_request_task: { url: 'http://a' }, run_job_task: { job_id: 1 } },
      `400 INVALID_PARAMETER_VALUE The job has http_request_task and run_job_task; exactly one of ${taskKinds.join(', ')}, http_request_task, shell_script_task is allowed.`,
    ],
    [
      'a kind that no plugin provides',
      { dance_task: { step: 1 } },
      `400 INVALID_PARAMETER_VALUE dance_task is not a task kind of this service; the known kinds are ${taskKinds.join(', ')}, http_request_task, shell_script_task.`,
    ],
  ])('%s is refused at create and submit in the usual words', async (_fact, settings, message) => {
    expect(await refused('2.0/jobs/create', { name: 'x', ...settings })).toBe(message);
    expect(await refused('2.0/jobs/runs/submit', { run_name: 'x', ...settings })).toBe(message);
  });

  test('the OpenAPI document lists it by name', async () => {
    const { components } = await (await fetch(`${runyard.url}/api/openapi.json`)).json();
    expect(components.schemas.HttpRequestTask.required).toEqual(['url']);
    for (const name of ['TaskSettings', 'JobSettings', 'TaskRun']) {
      expect(components.schemas[name].properties).toMatchObject({
        http_request_task: { $ref: '#/components/schemas/HttpRequestTask' },
        shell_script_task: { $ref: '#/components/schemas/ShellScriptTask' },
      });
    }
  });
});

describe('http_request_task', () => {
  test('sends the request with resolved parameters and stores the response', async () => {
    const { job_id } = await create({
      http_request_task: {
        url: `${at}/{{job.parameters.path}}`,
        method: 'POST',
        headers: { 'x-job': '{{job.id}}' },
        body: '{{job.parameters.path}}',
      },
      parameters: [{ name: 'path', default: 'default' }],
    });
    const { run, output } = await ended(job_id, { job_parameters: { path: 'given' } });
    expect(run.state).toMatchObject({ result_state: 'SUCCESS' });
    expect(run.cluster_instance).toBeUndefined();
    expect(run.task.http_request_task.url).toBe(`${at}/{{job.parameters.path}}`);
    expect(output).toMatchObject({ plugin_output: { result: 'POST /given', truncated: false }, logs: '' });
    expect(asked.at(-1)).toMatchObject({
      method: 'POST',
      url: '/given',
      headers: { 'x-job': String(job_id), 'idempotency-key': `runyard-${run.run_id}` },
    });
  });

  test.each<[string, object, string]>([
    ['another status', { url: '/gone' }, '/gone answered with status 410.'],
    ['a status that was not expected', { url: '/', expected_status: [201] }, '/ answered with status 200.'],
    ['no answer in time', { url: '/never', timeout_seconds: 1 }, '/never did not answer.'],
  ])('%s fails the task', async (_fact, task, message) => {
    const { job_id } = await create({ http_request_task: { ...task, url: at + Reflect.get(task, 'url') } });
    expect((await ended(job_id)).run.state).toMatchObject({
      result_state: 'FAILED',
      state_message: `${at}${message} Correct what the plugin http_request_task reports, then start the run again.`,
    });
  });

  test('a pending request ends when its run is cancelled', async () => {
    const { job_id } = await create({ http_request_task: { url: `${at}/never` } });
    const before = asked.length;
    const { run_id } = await runyard.callOk('POST', '2.0/jobs/run-now', { job_id });
    await runyard.waitForRun(run_id, () => asked.length > before);
    await runyard.callOk('POST', '2.0/jobs/runs/cancel', { run_id });
    expect((await runyard.waitForRunEnd(run_id)).state.result_state).toBe('CANCELED');
  });
});

describe('shell_script_task', () => {
  const script = (text: string, ...parameters: string[]): object => ({
    existing_cluster_id: 'all',
    shell_script_task: { script: text, parameters },
  });

  test('runs its program and stores logs and result', async () => {
    const { job_id } = await create(
      script('echo "to $1"; printf "%s" "$1 and {{job.id}}" > "$RESULT"', 'all'),
    );
    expect((await ended(job_id)).output).toMatchObject({
      logs: 'to all\n',
      plugin_output: { result: `all and ${job_id}` },
    });
  });

  test('a failing script reports its exit code', async () => {
    const { run, output } = await ended((await create(script('false; echo never'))).job_id);
    expect(run.state).toMatchObject({
      result_state: 'FAILED',
      state_message:
        'The script ended with exit code 1. Correct what the plugin shell_script_task reports, then start the run again.',
    });
    expect(output).toMatchObject({
      error: 'The script ended with exit code 1.',
      logs: `script of run ${run.run_id}: exit code 1\n`,
    });
  });
});

test('a job whose plugin was removed is still shown; its runs fail with the reason', async () => {
  const { job_id } = await create({ http_request_task: { url: at } });
  await runyard.service.stop();
  const service = await startService({ ...runyard.config, plugins: [] }, pino({ level: 'silent' }));
  try {
    const client = createApiClient(service.url, service.token);
    const { run_id } = await client.callOk('POST', '2.0/jobs/run-now', { job_id });
    expect((await client.waitForRunEnd(run_id)).state).toMatchObject({
      result_state: 'FAILED',
      state_message:
        'No configured plugin provides http_request_task; it was removed from RUNYARD_PLUGINS. Add the plugin again, or give the task another kind.',
    });
    expect((await client.callOk('GET', '2.0/jobs/get', { job_id })).settings.http_request_task).toEqual({
      url: at,
    });
    await client.callOk('POST', '2.0/jobs/update', {
      job_id,
      fields_to_remove: ['http_request_task'],
      new_settings: { run_job_task: { job_id: 1 } },
    });
  } finally {
    await service.stop();
  }
});
