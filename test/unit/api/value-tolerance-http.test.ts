/** Tolerance of values that real clients send and read: integers, settings, nulls and states. */
import { afterAll, beforeAll, expect, test } from 'vitest';
import { workspaceHeaders } from '../../../engine/validation/aliases.ts';
import type { ResponseBody } from '../../harness/api-client.ts';
import { startTestService, type TestService } from '../../harness/test-service.ts';

let runyard: TestService;

/** Job with one task and a terminated run. */
let jobId: number;

let runId: number;

beforeAll(async () => {
  runyard = await startTestService();
  await runyard.putFile('/ok.py', 'print("ok")\n');
  await runyard.putFile('/wait.py', 'import time\ntime.sleep(600)\n');
  jobId = await created(single());
  runId = (await ok('POST', '2.0/jobs/run-now', { job_id: jobId })).run_id;
  await runyard.waitForRunEnd(runId);
});

afterAll(() => runyard.stop());

interface Sending {
  readonly body?: unknown;
  readonly type?: string;
  readonly authorization?: string;
  readonly headers?: Record<string, string>;
}

interface Received {
  readonly status: number;
  readonly text: string;
  readonly body: ResponseBody;
  readonly headers: Headers;
}

type Method = 'GET' | 'POST' | 'PUT' | 'PATCH';

/** Sends one request unchanged, with the timeout of 5 s that some clients have. */
async function send(
  method: Method,
  path: string,
  { body, type, authorization = `Bearer ${runyard.token}`, headers = {} }: Sending = {},
): Promise<Received> {
  const response = await fetch(`${runyard.url}${path}`, {
    method,
    signal: AbortSignal.timeout(5_000),
    headers: { authorization, ...(type !== undefined && { 'content-type': type }), ...headers },
    ...(body !== undefined && { body: JSON.stringify(body) }),
  });
  const text = await response.text();
  return { status: response.status, text, body: JSON.parse(text), headers: response.headers };
}

async function ok(method: Method, path: string, body?: unknown): Promise<ResponseBody> {
  const answer = await send(method, `/api/${path}`, { body });
  expect(answer, `${method} ${path}`).toMatchObject({ status: 200 });
  return answer.body;
}

function single(fields: object = {}): object {
  return {
    name: 'tolerant',
    existing_cluster_id: 'c',
    spark_python_task: { python_file: 'managed_fs:/ok.py' },
    ...fields,
  };
}

const task = (fields: object = {}): object => ({
  task_key: 't',
  existing_cluster_id: 'c',
  spark_python_task: { python_file: 'managed_fs:/ok.py' },
  ...fields,
});

async function created(settings: object, version = '2.0'): Promise<number> {
  return (await ok('POST', `${version}/jobs/create`, settings)).job_id;
}

async function settingsOf(id: number, version = '2.0'): Promise<ResponseBody> {
  return (await ok('GET', `${version}/jobs/get?job_id=${id}`)).settings;
}

/** Returns every value in a response, including the response itself. */
function valuesIn(value: unknown): unknown[] {
  return typeof value === 'object' && value !== null
    ? [value, ...Object.values(value).flatMap(valuesIn)]
    : [value];
}

/** Returns every field with this name in a response. */
function fieldsNamed(name: string, value: unknown): unknown[] {
  return valuesIn(value).flatMap((part) =>
    typeof part === 'object' && part !== null
      ? (new Map<string, unknown>(Object.entries(part)).get(name) ?? [])
      : [],
  );
}

const facts: Readonly<Record<string, () => Promise<void>>> = {
  '10: ids, times and counts are JSON integers, and a map is never a list': async () => {
    const cluster = {
      spark_version: '1',
      node_type_id: 'n',
      num_workers: 1,
      ssh_public_keys: ['key'],
      custom_tags: {},
    };
    const id = await created({ name: 'maps', new_cluster: cluster, notebook_task: { notebook_path: '/nb' } });
    const { new_cluster: shown } = await settingsOf(id);
    expect(shown.custom_tags ?? {}).toEqual({});
    expect(shown.ssh_public_keys).toEqual([]);
    const run = await ok('GET', `2.1/jobs/runs/get?run_id=${runId}`);
    const numbers = [
      'job_id',
      'run_id',
      'number_in_job',
      'original_attempt_run_id',
      'start_time',
      'end_time',
      'setup_duration',
      'execution_duration',
      'cleanup_duration',
      'attempt_number',
    ];
    for (const name of numbers) {
      expect(fieldsNamed(name, run).length, name).toBeGreaterThan(0);
      expect(
        fieldsNamed(name, run).filter((value) => !Number.isInteger(value)),
        name,
      ).toEqual([]);
    }
  },
  '11: a health rule accepts either name of its operator and is returned with both': async () => {
    for (const name of ['op', 'operator']) {
      const rule = { metric: 'RUN_DURATION_SECONDS', [name]: 'GREATER_THAN', value: 60 };
      const { health } = await settingsOf(await created(single({ health: { rules: [rule] } })));
      expect(health.rules).toEqual([
        { metric: 'RUN_DURATION_SECONDS', op: 'GREATER_THAN', operator: 'GREATER_THAN', value: 60 },
      ]);
    }
  },
  '12: unknown settings are kept and returned, and none is added': async () => {
    const unknown = {
      edit_mode: 'UI_LOCKED',
      deployment: { kind: 'BUNDLE', metadata_file_path: '/x' },
      performance_target: 'STANDARD',
      budget_policy_id: 'b',
      usage_policy_id: 'u',
      anything: { at: ['all', 1, true] },
    };
    const id = await created(
      { name: 'rich', ...unknown, tasks: [task({ anything_else: 'e', disable_auto_optimization: true })] },
      '2.1',
    );
    const shown = await settingsOf(id, '2.1');
    expect(shown).toMatchObject({
      ...unknown,
      tasks: [{ anything_else: 'e', disable_auto_optimization: true }],
    });
    const defaults = [
      'email_notifications',
      'webhook_notifications',
      'timeout_seconds',
      'max_concurrent_runs',
      'format',
    ];
    expect(
      Object.keys(shown).filter(
        (name) => !['name', 'tasks', ...Object.keys(unknown), ...defaults].includes(name),
      ),
    ).toEqual([]);
  },
  '13: an integer that JSON would round is refused, and ids are below 2^53': async () => {
    for (const text of ['9223372036854775807', '-9223372036854775808', '"9223372036854775807"']) {
      const response = await fetch(`${runyard.url}/api/2.1/jobs/create`, {
        method: 'POST',
        headers: { authorization: `Bearer ${runyard.token}` },
        body: `{"name":"big","tasks":[{"task_key":"t","run_job_task":{"job_id":${text}}}]}`,
      });
      expect([response.status, (await response.json()).message]).toEqual([
        400,
        expect.stringContaining(text.replaceAll('"', '')),
      ]);
    }
    expect([jobId, runId].every(Number.isSafeInteger)).toBe(true);
  },
  '14: the token is accepted as Bearer or as the Basic password of any user': async () => {
    const basic = (user: string) => `Basic ${Buffer.from(`${user}:${runyard.token}`).toString('base64')}`;
    for (const authorization of [
      `Bearer ${runyard.token}`,
      `bearer ${runyard.token}`,
      basic('token'),
      basic('anyone'),
      basic(''),
    ]) {
      expect(await send('GET', '/api/2.1/jobs/list', { authorization })).toMatchObject({ status: 200 });
    }
  },
  '15: additional headers of clients change nothing': async () => {
    const headers = {
      'user-agent': 'client/1 (x; y)',
      ...Object.fromEntries(workspaceHeaders.sent.map((name) => [name, '4711'])),
    };
    expect(await send('GET', '/api/2.1/jobs/list', { headers })).toMatchObject({ status: 200 });
  },
  '16: a request does not wait for the run it starts': async () => {
    const { run_id: started } = await ok('POST', '2.1/jobs/runs/submit', {
      tasks: [task({ spark_python_task: { python_file: 'managed_fs:/wait.py' } })],
    });
    const run = await runyard.waitForRun(started, ({ state }) => state.life_cycle_state === 'RUNNING');
    await send('GET', `/api/2.1/jobs/runs/get-output?run_id=${run.tasks[0].run_id}`);
    await ok('POST', '2.1/jobs/runs/cancel', { run_id: started });
    await runyard.waitForRunEnd(started);
  },
  '17: null in a request counts as absent, and no response contains null': async () => {
    const id = await created(
      single({
        timeout_seconds: null,
        schedule: null,
        email_notifications: null,
        spark_python_task: { python_file: 'managed_fs:/ok.py', parameters: null },
      }),
    );
    const shown = await Promise.all([
      ok('GET', `2.0/jobs/get?job_id=${id}`),
      ok('GET', `2.2/jobs/get?job_id=${id}`),
      ok('GET', '2.1/jobs/list?expand_tasks=true'),
      ok('GET', '2.0/jobs/list'),
      ok('GET', `2.0/jobs/runs/get?run_id=${runId}`),
      ok('GET', `2.2/jobs/runs/get?run_id=${runId}&include_history=true`),
      ok('GET', '2.1/jobs/runs/list?expand_tasks=true'),
      ok('GET', `2.0/jobs/runs/get-output?run_id=${runId}`),
      ok('GET', '2.0/token/list'),
      ok('GET', `2.0/permissions/jobs/${id}`),
      ok('GET', '2.0/preview/scim/v2/Me'),
    ]);
    expect(valuesIn(shown).filter((value) => value === null)).toEqual([]);
    expect(shown[0].settings.spark_python_task).toEqual({ python_file: 'managed_fs:/ok.py' });
  },
  '18: states and results are values that every client knows': async () => {
    await runyard.putFile('/fail.py', 'raise SystemExit(3)\n');
    const graph = ['a', 'b'].map((key) =>
      task({
        task_key: key,
        spark_python_task: { python_file: 'managed_fs:/fail.py' },
        ...(key === 'b' && { depends_on: [{ task_key: 'a' }] }),
      }),
    );
    const { run_id: failed } = await ok('POST', '2.1/jobs/runs/submit', { tasks: graph });
    const { run_id: stopped } = await ok('POST', '2.1/jobs/runs/submit', {
      tasks: [task({ spark_python_task: { python_file: 'managed_fs:/wait.py' } })],
    });
    await ok('POST', '2.1/jobs/runs/cancel', { run_id: stopped });
    await Promise.all([failed, stopped].map((id) => runyard.waitForRunEnd(id)));
    const answer = await ok('GET', '2.1/jobs/runs/list?expand_tasks=true');
    const words = (name: string): string[] => [...new Set(fieldsNamed(name, answer).map(String))];
    expect([
      'PENDING',
      'RUNNING',
      'TERMINATING',
      'TERMINATED',
      'SKIPPED',
      'INTERNAL_ERROR',
      'QUEUED',
    ]).toEqual(expect.arrayContaining(words('life_cycle_state')));
    expect(words('result_state').toSorted()).toEqual(['CANCELED', 'FAILED', 'SUCCESS']);
    expect(['PERIODIC', 'ONE_TIME', 'RETRY']).toEqual(expect.arrayContaining(words('trigger')));
    expect(['JOB_RUN', 'SUBMIT_RUN']).toEqual(expect.arrayContaining(words('run_type')));
    expect(['QUEUED', 'PENDING', 'RUNNING', 'TERMINATING', 'TERMINATED', 'BLOCKED', 'WAITING']).toEqual(
      expect.arrayContaining(fieldsNamed('status', answer).flatMap((status: ResponseBody) => [status.state])),
    );
  },
};

test.each(Object.entries(facts))('%s', (_, holds) => holds());
