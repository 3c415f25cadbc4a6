/**
 * Service with a package index and an object server, and requests of the library tests.
 */
import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll } from 'vitest';
import type { ResponseBody } from '../harness/api-client.ts';
import {
  buildEgg,
  buildWheels,
  findPythonWithPip,
  startPackageIndex,
  type PackageIndex,
} from '../harness/python-packages.ts';
import { startObjectServer, type ObjectServer } from '../harness/s3-server.ts';
import { startTestService, type TestService } from '../harness/test-service.ts';

export const python = await findPythonWithPip();
export const newCluster = { spark_version: '16.4.x-scala2.12', node_type_id: 'standard-2', num_workers: 1 };

export let runyard: TestService;
export let index: PackageIndex;
export let objects: ObjectServer;
export let packageDirectory: string;

/** Starts the service before the tests of the calling file and stops it after them. */
export function registerService(): void {
  beforeAll(async () => {
    packageDirectory = await mkdtemp(join(tmpdir(), 'runyard-packages-'));
    const wheels =
      python === undefined
        ? []
        : await buildWheels(python, packageDirectory, [
            {
              name: 'greeting',
              version: '1.0',
              module: 'import tone\ndef say(): return "hello" + tone.mark\ndef main(): print(say())\n',
              requires: ['tone'],
              scripts: { greet: 'greeting:main' },
            },
            { name: 'tone', version: '1.0', module: 'mark = "."\n' },
            { name: 'tone', version: '2.0', module: 'mark = "!"\n' },
            { name: 'volume', version: '1.0', module: 'level = 11\n' },
            { name: 'strict', version: '1.0', module: '', requires: ['tone==1.0'] },
            { name: 'slow', version: '1.0', module: 'speed = "slow"\n', extras: { loud: ['volume'] } },
          ]);
    if (python !== undefined) {
      await buildEgg(python, join(packageDirectory, 'nest-1.0-py3.egg'), {
        name: 'nest',
        version: '1.0',
        module: 'eggs = 3\n',
      });
    }
    index = await startPackageIndex(wheels);
    objects = await startObjectServer('key', 'secret');
    runyard = await startTestService({
      libraryEnvironment: { PIP_INDEX_URL: index.url, PIP_RETRIES: '0' },
      objstoreEndpoint: objects.url,
      objstoreAccessKey: 'key',
      objstoreSecretKey: 'secret',
    });
    await runyard.putFile(
      '/imports.py',
      'import importlib, sys\nfor name in sys.argv[1:]:\n    module, attribute = name.split(".")\n    value = getattr(importlib.import_module(module), attribute)\n    print(value() if callable(value) else value)\n',
    );
  });
  afterAll(async () => {
    await runyard.stop();
    await index.close();
    await objects.close();
    await rm(packageDirectory, { recursive: true, force: true });
  });
}

export async function put(path: string, file: string): Promise<void> {
  await runyard.callOk('POST', '2.0/managed_fs/put', {
    path,
    contents: (await readFile(file)).toString('base64'),
    overwrite: true,
  });
}

export const imports = (
  task_key: string,
  libraries: readonly object[],
  names: readonly string[],
  more: object = { new_cluster: newCluster },
) => ({
  task_key,
  libraries,
  spark_python_task: { python_file: 'managed_fs:/imports.py', parameters: names },
  ...more,
});

export async function submit(
  tasks: readonly object[],
  job_clusters: readonly object[] = [],
): Promise<ResponseBody> {
  const { job_id } = await runyard.callOk('POST', '2.1/jobs/create', {
    name: 'libraries',
    tasks,
    job_clusters,
  });
  const { run_id } = await runyard.callOk('POST', '2.1/jobs/run-now', { job_id });
  return runyard.waitForRunEnd(run_id);
}
export const outputOf = (run: ResponseBody, key: string): Promise<ResponseBody> =>
  runyard.callOk('GET', '2.1/jobs/runs/get-output', {
    run_id: run.tasks.find((task: ResponseBody) => task.task_key === key).run_id,
  });
export const logsOf = async (run: ResponseBody, key: string): Promise<string> => {
  const output = await outputOf(run, key);
  return output.error ?? output.logs;
};
export const statusesOf = async (cluster_id: string): Promise<ResponseBody[]> =>
  (await runyard.callOk('GET', '2.0/libraries/cluster-status', { cluster_id })).library_statuses;
export const entries = (part: string): Promise<string[]> =>
  readdir(join(runyard.dataDirectory, 'libraries', part));
