/** Service, tasks and requests of the run log tests. */
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll } from 'vitest';
import type { ResponseBody } from '../harness/api-client.ts';
import { startTestService, type TestService } from '../harness/test-service.ts';

export const kib = 1_024;
export let runyard: TestService;

/** Starts the service before the tests of the calling file and stops it after them. */
export function registerService(): void {
  beforeAll(async () => {
    runyard = await startTestService({ logBytesMax: 256 * kib });
    await runyard.putFile(
      '/script.py',
      'import os, subprocess, sys\nsys.exit(subprocess.call(["sh", "-c", sys.argv[1]], cwd=os.path.dirname(os.getcwd()), stdin=subprocess.DEVNULL))\n',
    );
  });
  afterAll(() => runyard.stop());
}

const secrets = { DB_PASSWORD: 'correct-horse', STAGE: 'test' };
export const cluster = {
  spark_version: '16.4.x-scala2.12',
  node_type_id: 'standard-2',
  num_workers: 1,
  spark_env_vars: secrets,
};

/** Task that runs a shell script in the directory of its attempt. */
export const shell = (taskKey: string, script: string, more: object = {}): object => ({
  task_key: taskKey,
  new_cluster: cluster,
  spark_python_task: { python_file: 'managed_fs:/script.py', parameters: [script] },
  ...more,
});

export const submit = async (...tasks: object[]): Promise<number> =>
  (await runyard.callOk('POST', '2.1/jobs/runs/submit', { run_name: 'logs', tasks })).run_id;

/** Returns the id of the task run of the only task or of the named one. */
export async function taskRun(runId: number, key?: string): Promise<number> {
  const { tasks } = await runyard.callOk('GET', '2.1/jobs/runs/get', { run_id: runId });
  return tasks.find((task: ResponseBody) => key === undefined || task.task_key === key).run_id;
}

/** Runs a script to its end and returns the id of its task run. */
export async function after(script: string): Promise<number> {
  const runId = await submit(shell('main', script));
  await runyard.waitForRunEnd(runId);
  return taskRun(runId);
}

export const logs = (input: object): Promise<ResponseBody> =>
  runyard.callOk('GET', '2.1/jobs/runs/logs', input);
export const open = (gate: string): Promise<void> =>
  writeFile(join(runyard.dataDirectory, 'managed_fs', gate), '');
export const atGate = (gate: string): string =>
  `while [ ! -e "$RUNYARD_MANAGED_FS/${gate}" ]; do sleep 0.02; done`;
