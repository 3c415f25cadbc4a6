/** A plain client of the API for tests: calls, uploads, and waiting for a run by asking for it. */

/** What the service answers: shapes are what the tests are about, so they are left open. */
// oxlint-disable-next-line typescript/no-explicit-any
export type ResponseBody = any;

export interface ApiClient {
  readonly url: string;
  readonly token: string;
  /**
   * One call; `path` is what follows `/api/`, e.g. `2.1/jobs/create`. A GET takes its parameters from
   * `input`.
   */
  call(
    method: 'GET' | 'POST' | 'PUT' | 'DELETE',
    path: string,
    input?: object,
  ): Promise<{ status: number; body: ResponseBody }>;
  /** A call that must succeed. @throws Error with the answer when it does not */
  callOk(method: 'GET' | 'POST' | 'PUT' | 'DELETE', path: string, input?: object): Promise<ResponseBody>;
  /** Puts a file into managed_fs. */
  putFile(path: string, text: string): Promise<void>;
  /** Imports a Python notebook. */
  putNotebook(path: string, cells: readonly string[]): Promise<void>;
  /** Waits until `holds` is true of the run as runs/get shows it in 2.1, and returns that. */
  waitForRun(runId: number, holds: (run: ResponseBody) => boolean): Promise<ResponseBody>;
  /** Waits until the run is over. */
  waitForRunEnd(runId: number): Promise<ResponseBody>;
}

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
  const ok: ApiClient['callOk'] = async (method, path, input) => {
    const { status, body } = await call(method, path, input);
    if (status !== 200) throw new Error(`${method} ${path} answered ${status}: ${JSON.stringify(body)}`);
    return body;
  };
  const runWhen: ApiClient['waitForRun'] = async (runId, holds) => {
    for (;;) {
      const run = await ok('GET', '2.1/jobs/runs/get', { run_id: runId });
      if (holds(run)) return run;
      await new Promise((resolve) => {
        setTimeout(resolve, 15);
      });
    }
  };
  return {
    url,
    token,
    call,
    callOk: ok,
    async putFile(path, text) {
      await ok('POST', '2.0/managed_fs/put', {
        path,
        contents: Buffer.from(text).toString('base64'),
        overwrite: true,
      });
    },
    async putNotebook(path, cells) {
      const text = `# Databricks notebook source\n${cells.join('\n\n# COMMAND ----------\n\n')}\n`;
      await ok('POST', '2.0/workspace/import', {
        path,
        language: 'PYTHON',
        format: 'SOURCE',
        overwrite: true,
        content: Buffer.from(text).toString('base64'),
      });
    },
    waitForRun: runWhen,
    waitForRunEnd: (runId) =>
      runWhen(runId, (run) =>
        ['TERMINATED', 'SKIPPED', 'INTERNAL_ERROR'].includes(run.state.life_cycle_state),
      ),
  };
}
