/** HTTP client of the API for tests: calls, uploads, and waiting for runs. */
import { eventually } from './eventually.ts';

/** Body of a response. The tests are about its shape, so the type leaves it open. */
// oxlint-disable-next-line typescript/no-explicit-any
export type ResponseBody = any;

export interface ApiClient {
  readonly url: string;
  readonly token: string;
  /** Sends one request; `path` follows `/api/`, e.g. `2.1/jobs/create`. A GET sends `input` as its query. */
  call(
    method: 'GET' | 'POST' | 'PUT' | 'DELETE',
    path: string,
    input?: object,
  ): Promise<{ status: number; body: ResponseBody }>;
  /** Sends a request that must succeed. @throws Error with status and body for every status but 200 */
  callOk(method: 'GET' | 'POST' | 'PUT' | 'DELETE', path: string, input?: object): Promise<ResponseBody>;
  /** Uploads a file to managed_fs. */
  putFile(path: string, text: string): Promise<void>;
  /** Imports a Python notebook. */
  putNotebook(path: string, cells: readonly string[]): Promise<void>;
  /** Waits until `isReached` accepts the run as runs/get of version 2.1 shows it, and returns that run. */
  waitForRun(runId: number, isReached: (run: ResponseBody) => boolean): Promise<ResponseBody>;
  /** Waits until the run is in a terminal state, and returns it. */
  waitForRunEnd(runId: number): Promise<ResponseBody>;
}

/** Longest wait for a run in milliseconds: a test may raise its own limit far above the usual one. */
const runWaitMs = 300_000;

export function createApiClient(url: string, token: string): ApiClient {
  const call: ApiClient['call'] = async (method, path, input = {}) => {
    const query =
      method === 'GET'
        ? `?${new URLSearchParams(Object.entries(input).map(([name, value]): [string, string] => [name, String(value)]))}`
        : '';
    const response = await fetch(`${url}/api/${path}${query}`, {
      method,
      headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
      ...((method === 'POST' || method === 'PUT') && { body: JSON.stringify(input) }),
    });
    return { status: response.status, body: await response.json() };
  };
  const callOk: ApiClient['callOk'] = async (method, path, input) => {
    const { status, body } = await call(method, path, input);
    if (status !== 200) throw new Error(`${method} ${path} answered ${status}: ${JSON.stringify(body)}`);
    return body;
  };
  const waitForRun: ApiClient['waitForRun'] = (runId, isReached) =>
    eventually(() => callOk('GET', '2.1/jobs/runs/get', { run_id: runId }), {
      until: isReached,
      within: runWaitMs,
      every: 15,
    });
  return {
    url,
    token,
    call,
    callOk,
    async putFile(path, text) {
      await callOk('POST', '2.0/managed_fs/put', {
        path,
        contents: Buffer.from(text).toString('base64'),
        overwrite: true,
      });
    },
    async putNotebook(path, cells) {
      const text = `# Databricks notebook source\n${cells.join('\n\n# COMMAND ----------\n\n')}\n`;
      await callOk('POST', '2.0/workspace/import', {
        path,
        language: 'PYTHON',
        format: 'SOURCE',
        overwrite: true,
        content: Buffer.from(text).toString('base64'),
      });
    },
    waitForRun,
    waitForRunEnd: (runId) =>
      waitForRun(runId, (run) =>
        ['TERMINATED', 'SKIPPED', 'INTERNAL_ERROR'].includes(run.state.life_cycle_state),
      ),
  };
}
