/** A plain client of the API for tests: calls, uploads, and waiting for a run by asking for it. */

/** What the service answers: shapes are what the tests are about, so they are left open. */
// oxlint-disable-next-line typescript/no-explicit-any
export type Answer = any;

export interface Client {
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
  ): Promise<{ status: number; body: Answer }>;
  /** A call that must succeed. @throws Error with the answer when it does not */
  ok(method: 'GET' | 'POST' | 'PUT' | 'DELETE', path: string, input?: object): Promise<Answer>;
  /** Puts a file into managed_fs. */
  putFile(path: string, text: string): Promise<void>;
  /** Imports a Python notebook. */
  putNotebook(path: string, cells: readonly string[]): Promise<void>;
  /** Waits until `holds` is true of the run as runs/get shows it in 2.1, and returns that. */
  runWhen(runId: number, holds: (run: Answer) => boolean): Promise<Answer>;
  /** Waits until the run is over. */
  ended(runId: number): Promise<Answer>;
}

export function createClient(url: string, token: string): Client {
  const call: Client['call'] = async (method, path, input = {}) => {
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
  const ok: Client['ok'] = async (method, path, input) => {
    const { status, body } = await call(method, path, input);
    if (status !== 200) throw new Error(`${method} ${path} answered ${status}: ${JSON.stringify(body)}`);
    return body;
  };
  const runWhen: Client['runWhen'] = async (runId, holds) => {
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
    ok,
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
    runWhen,
    ended: (runId) =>
      runWhen(runId, (run) =>
        ['TERMINATED', 'SKIPPED', 'INTERNAL_ERROR'].includes(run.state.life_cycle_state),
      ),
  };
}
