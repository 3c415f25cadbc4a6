/**
 * Service, scripts and tasks of the tests of init scripts and cluster logs.
 */
import { existsSync } from 'node:fs';
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll } from 'vitest';
import { defaultInventory } from '../../engine/cluster/inventory.ts';
import type { ResponseBody } from '../harness/api-client.ts';
import { startTestService, type TestService } from '../harness/test-service.ts';

export let runyard: TestService;
export const inFiles = (...names: string[]): string => join(runyard.dataDirectory, 'managed_fs', ...names);
export const put = (path: string, text: string): Promise<void> => runyard.putFile(path, text);

/** Starts the service before the tests of the calling file and stops it after them. */
export function registerService(): void {
  beforeAll(async () => {
    runyard = await startTestService({ clusters: { ...defaultInventory, initScriptSeconds: 2 } });
    await put(
      '/order.sh',
      'echo "second $DB_CLUSTER_ID" >> "$RUNYARD_MANAGED_FS/order.txt"\necho to stdout\necho "to stderr$DB_PASSWORD" >&2\n',
    );
    await put('/bad.sh', 'echo before\necho "no such package: hinze$DB_PASSWORD" >&2\nexit 3\n');
    await put('/endless.sh', 'echo $$ > "$RUNYARD_MANAGED_FS/endless.pid"\nwhile :; do sleep 0.1; done\n');
    await put('/ok.py', 'import os\nprint("task" + os.environ.get("DB_PASSWORD", ""))\n');
    await put(
      '/wait.py',
      'import os, sys, time\nname = os.path.join(os.environ["RUNYARD_MANAGED_FS"], sys.argv[1])\nprint("before", flush=True)\nwhile not os.path.exists(name): time.sleep(0.02)\nprint("after")\n',
    );
    await runyard.callOk('POST', '2.0/workspace/import', {
      path: '/Shared/first.sh',
      format: 'AUTO',
      overwrite: true,
      content: Buffer.from(
        'echo "first $DB_IS_DRIVER $DB_IS_JOB_CLUSTER $DB_INSTANCE_TYPE $DB_CONTAINER_IP $DB_DRIVER_IP $STAGE" > "$RUNYARD_MANAGED_FS/order.txt"\n',
      ).toString('base64'),
    });
    await mkdir(join(runyard.dataDirectory, 'objstore', 'setup'), { recursive: true });
    await writeFile(
      join(runyard.dataDirectory, 'objstore', 'setup', 'third.sh'),
      'echo third >> "$RUNYARD_MANAGED_FS/order.txt"\n',
    );
  });
  afterAll(() => runyard.stop());
}

export const logConf = { cluster_log_conf: { managed_fs: { destination: 'managed_fs:/logs' } } };
export const newCluster = { spark_version: '16.4.x-scala2.12', node_type_id: 'standard-2', num_workers: 1 };
export const script = (destination: string, store = 'managed_fs') => ({ [store]: { destination } });
export const ok = { spark_python_task: { python_file: 'managed_fs:/ok.py' } };
export const wait = (name: string) => ({
  spark_python_task: { python_file: 'managed_fs:/wait.py', parameters: [name] },
});
export const submit = async (cluster: object, work: object = ok, more: object = {}): Promise<number> =>
  (
    await runyard.callOk('POST', '2.1/jobs/runs/submit', {
      tasks: [{ task_key: 'a', new_cluster: { ...newCluster, ...cluster }, ...work, ...more }],
    })
  ).run_id;
export const clusterIdOf = (run: ResponseBody): string => run.tasks[0].cluster_instance.cluster_id;
export const typesOf = async (cluster_id: string): Promise<string[]> =>
  (await runyard.callOk('POST', '2.0/clusters/events', { cluster_id, order: 'ASC' })).events.map(
    (event: ResponseBody) => event.type,
  );
export const isAlive = (pid: number): boolean => existsSync(`/proc/${pid}/exe`);
