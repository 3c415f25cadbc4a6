/** Service, jobs and requests of the repair tests. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll } from 'vitest';
import type { ResponseBody } from '../harness/api-client.ts';
import { startTestService, type TestService } from '../harness/test-service.ts';

export let runyard: TestService;
/** Starts the service before the tests of the calling file and stops it after them. */
export function registerService(): void {
  beforeAll(async () => {
    runyard = await startTestService();
    await runyard.putFile('/ok.py', 'import sys\nprint("ok", sys.argv[1:])\n');
    await runyard.putFile('/wait.py', 'import time\nprint("waiting", flush=True)\ntime.sleep(600)\n');
  });
  afterAll(() => runyard.stop());
}

export const broken = 'raise ValueError("no good")\n';
export const mended = 'print("mended")\n';

export const task = (
  task_key: string,
  depends_on: readonly string[] = [],
  file = 'ok.py',
  more: object = {},
) => ({
  task_key,
  depends_on: depends_on.map((key) => ({ task_key: key })),
  existing_cluster_id: 'shared-cluster',
  spark_python_task: { python_file: `managed_fs:/${file}` },
  ...more,
});

export async function submit(tasks: readonly object[], more: object = {}): Promise<number> {
  return (await runyard.callOk('POST', '2.1/jobs/runs/submit', { run_name: 'graph', tasks, ...more })).run_id;
}

export async function repair(body: object): Promise<number> {
  return (await runyard.callOk('POST', '2.1/jobs/runs/repair', body)).repair_id;
}

export const history = async (run_id: number, version = '2.1'): Promise<ResponseBody> =>
  (await runyard.callOk('GET', `${version}/jobs/runs/get`, { run_id, include_history: true })).repair_history;

/** Returns every attempt as `key number STATE/RESULT`. */
export const attempts = (run: ResponseBody): string[] =>
  run.tasks.map(
    (one: ResponseBody) =>
      `${one.task_key} ${one.attempt_number} ${one.state.result_state ?? one.state.life_cycle_state}`,
  );

export const stdout = (runId: number): string =>
  readFileSync(join(runyard.dataDirectory, 'runs', String(runId), 'stdout'), 'utf8');
