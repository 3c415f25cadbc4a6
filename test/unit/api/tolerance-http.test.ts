/** Tolerance of requests that real clients send: paths, content types, bodies and parameters. */
import { request } from 'node:http';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { probePath } from '../../../engine/validation/aliases.ts';
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

async function created(settings: object, version = '2.0'): Promise<number> {
  return (await ok('POST', `${version}/jobs/create`, settings)).job_id;
}

async function settingsOf(id: number, version = '2.0'): Promise<ResponseBody> {
  return (await ok('GET', `${version}/jobs/get?job_id=${id}`)).settings;
}

/** Sends a GET with parameters in its body, which fetch cannot send. */
async function getWithBody(path: string, body: object): Promise<ResponseBody> {
  const text = JSON.stringify(body);
  const { promise, resolve, reject } = Promise.withResolvers<ResponseBody>();
  const sent = request(
    `${runyard.url}${path}`,
    {
      method: 'GET',
      headers: {
        authorization: `Bearer ${runyard.token}`,
        'content-type': 'application/json',
        'content-length': Buffer.byteLength(text),
      },
    },
    (response) => {
      let received = '';
      response.on('data', (data: Buffer) => {
        received += data.toString();
      });
      response.on('end', () => resolve(JSON.parse(received)));
    },
  );
  sent.on('error', reject);
  sent.end(text);
  return promise;
}

const operations: readonly (readonly [Method, string])[] = [
  ['POST', 'create'],
  ['GET', 'get'],
  ['GET', 'list'],
  ['POST', 'reset'],
  ['POST', 'update'],
  ['POST', 'delete'],
  ['POST', 'run-now'],
  ['POST', 'runs/submit'],
  ['GET', 'runs/list'],
  ['GET', 'runs/get'],
  ['GET', 'runs/get-output'],
  ['GET', 'runs/export'],
  ['POST', 'runs/cancel'],
  ['POST', 'runs/cancel-all'],
  ['POST', 'runs/delete'],
  ['POST', 'runs/repair'],
];

/** Requirement -> its check. The numbers are those of the list of requirements; 3 concerns only clients. */
const facts: Readonly<Record<string, () => Promise<void>>> = {
  '1: every jobs operation exists in 2.0, 2.1 and 2.2': async () => {
    const paths = ['2.0', '2.1', '2.2'].flatMap((version) =>
      operations.map(([method, name]) => [method, `/api/${version}/jobs/${name}`] as const),
    );
    const answers = await Promise.all(
      paths.map(async ([method, path]) => [path, (await send(method, path)).body.error_code]),
    );
    expect(answers.filter(([, code]) => code === 'ENDPOINT_NOT_FOUND')).toEqual([]);
  },
  '2: the probe before the first call needs no token and returns strings as JSON': async () => {
    const answer = await send('GET', probePath, { authorization: '' });
    expect(answer).toMatchObject({
      status: 200,
      body: { oidc_endpoint: expect.stringMatching(/\/oidc$/), workspace_id: expect.stringMatching(/^\d+$/) },
    });
    expect(answer.body).not.toHaveProperty('account_id');
    expect(answer.headers.get('content-type')).toMatch(/^application\/json/);
  },
  '4: JSON is parsed with any content type, and a GET may have a content type': async () => {
    for (const type of [
      'text/json',
      'text/plain',
      'application/x-www-form-urlencoded',
      'application/octet-stream',
    ]) {
      expect(await send('POST', '/api/2.0/jobs/create', { body: single(), type })).toMatchObject({
        status: 200,
      });
      expect(await send('GET', `/api/2.0/jobs/get?job_id=${jobId}`, { type })).toMatchObject({ status: 200 });
    }
  },
  '5: an operation without a result returns {}': async () => {
    const id = await created(single());
    const { run_id: over } = await ok('POST', '2.0/jobs/run-now', { job_id: id });
    await runyard.waitForRunEnd(over);
    const {
      token_info: { token_id: token },
    } = await ok('POST', '2.0/token/create', {});
    const silent: [Method, string, object][] = [
      ['POST', 'jobs/reset', { job_id: id, new_settings: single() }],
      ['POST', 'jobs/update', { job_id: id, new_settings: { name: 'other' } }],
      ['POST', 'jobs/runs/cancel', { run_id: over }],
      ['POST', 'jobs/runs/cancel-all', { job_id: id }],
      ['POST', 'jobs/runs/delete', { run_id: over }],
      ['POST', 'jobs/delete', { job_id: id }],
      ['PATCH', `token/${token}`, { token: { comment: 'x' }, update_mask: 'comment' }],
      ['POST', 'token/delete', { token_id: token }],
    ];
    for (const [method, path, body] of silent)
      expect(await send(method, `/api/2.0/${path}`, { body }), path).toMatchObject({
        status: 200,
        text: '{}',
      });
  },
  '6: integers may be strings, nested settings included': async () => {
    const cluster = { spark_version: '1', node_type_id: 'n', num_workers: '8', custom_tags: { size: '8' } };
    const id = await created(
      {
        name: 'text',
        timeout_seconds: '60',
        max_concurrent_runs: '2',
        job_clusters: [{ job_cluster_key: 'k', new_cluster: cluster }],
        tasks: [
          {
            task_key: 't',
            job_cluster_key: 'k',
            max_retries: '3',
            retry_on_timeout: 'false',
            notebook_task: { notebook_path: '/nb' },
          },
        ],
      },
      '2.1',
    );
    expect(await settingsOf(id, '2.1')).toMatchObject({
      timeout_seconds: 60,
      max_concurrent_runs: 2,
      job_clusters: [{ new_cluster: { num_workers: 8, custom_tags: { size: '8' } } }],
      tasks: [{ max_retries: 3, retry_on_timeout: false }],
    });
    expect(await ok('POST', '2.0/jobs/runs/cancel', { run_id: String(runId) })).toEqual({});
    expect((await ok('GET', `2.0/jobs/runs/get?run_id=${runId}`)).run_id).toBe(runId);
  },
  '7: booleans of a query may be true and True': async () => {
    for (const [text, shown] of [
      ['true', 1],
      ['True', 1],
      ['false', 0],
      ['False', 0],
    ] as const) {
      const { runs } = await ok(
        'GET',
        `2.1/jobs/runs/list?job_id=${jobId}&expand_tasks=${text}&active_only=False`,
      );
      expect(runs[0].tasks, text).toHaveLength(shown);
    }
  },
  '8: GET parameters may be in the body, and the query takes precedence': async () => {
    expect(await getWithBody('/api/2.1/jobs/runs/get', { run_id: runId })).toMatchObject({ run_id: runId });
    expect(await getWithBody(`/api/2.1/jobs/runs/get?run_id=${runId}`, { run_id: 1_000_000 })).toMatchObject({
      run_id: runId,
    });
  },
  '9: an empty page_token selects the first page': async () => {
    expect(
      (await ok('GET', '2.1/jobs/list?limit=25&expand_tasks=False&include_user_names=False&page_token=')).jobs
        .length,
    ).toBeGreaterThan(0);
    expect((await ok('GET', '2.2/jobs/runs/list?page_token=')).runs.length).toBeGreaterThan(0);
  },
};

test.each(Object.entries(facts))('%s', (_, holds) => holds());
