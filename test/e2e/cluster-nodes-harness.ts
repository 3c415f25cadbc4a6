/**
 * Service with pools and injected faults, and requests about its clusters.
 */
import { afterAll, beforeAll } from 'vitest';
import { defaultInventory } from '../../engine/cluster/inventory.ts';
import { eventually } from '../harness/eventually.ts';
import type { ResponseBody } from '../harness/api-client.ts';
import { startTestService, type TestService } from '../harness/test-service.ts';

export let runyard: TestService;
/** Starts the service before the tests of the calling file and stops it after them. */
export function registerService(): void {
  beforeAll(async () => {
    runyard = await startTestService({
      // Every heartbeat looks for idle clusters.
      leaseMs: 600,
      clusters: {
        ...defaultInventory,
        pools: { three: { capacity: 3, node_type_id: 'standard-4' }, many: {} },
        policies: { small: { instance_pool_id: 'three' } },
      },
      faults: [
        { fault: 'loss', cluster: 'lossy' },
        { fault: 'loss', cluster: 'own-lossy' },
        { fault: 'start_failure', cluster: 'broken' },
        { fault: 'preemption', cluster: 'spot', workers: 2 },
      ],
    });
    await runyard.putFile('/ok.py', 'print("ok")\n');
    // Ends when a file exists, so that a test decides how long the task runs.
    await runyard.putFile(
      '/wait.py',
      'import os, sys, time\nname = os.path.join(os.environ["RUNYARD_MANAGED_FS"], sys.argv[1])\nwhile not os.path.exists(name): time.sleep(0.02)\nprint("went on")\n',
    );
  });
  afterAll(() => runyard.stop());
}

export const newCluster = { spark_version: '16.4.x-scala2.12', node_type_id: 'standard-2', num_workers: 1 };
export const inThree = { ...newCluster, node_type_id: undefined, instance_pool_id: 'three' };
export const task = (task_key: string, where: object, parameters?: readonly string[], more: object = {}) => ({
  task_key,
  ...where,
  spark_python_task:
    parameters === undefined
      ? { python_file: 'managed_fs:/ok.py' }
      : { python_file: 'managed_fs:/wait.py', parameters },
  ...more,
});
export const after = (...keys: string[]) => ({ depends_on: keys.map((task_key) => ({ task_key })) });
export const submit = async (...tasks: readonly object[]): Promise<number> =>
  (await runyard.callOk('POST', '2.1/jobs/runs/submit', { tasks })).run_id;
export const start = async (
  tasks: readonly object[],
  job_clusters: readonly object[] = [],
): Promise<number> => {
  const { job_id } = await runyard.callOk('POST', '2.1/jobs/create', { tasks, job_clusters });
  return (await runyard.callOk('POST', '2.1/jobs/run-now', { job_id })).run_id;
};
export const taskIn = (run: ResponseBody, key: string, attempt = 0): ResponseBody =>
  run.tasks.find((one: ResponseBody) => one.task_key === key && one.attempt_number === attempt);
export const running = (runId: number, key: string) =>
  runyard.waitForRun(runId, (run) => taskIn(run, key)?.state.life_cycle_state === 'RUNNING');
export const clusterIdOf = (run: ResponseBody, key: string, attempt = 0): string =>
  taskIn(run, key, attempt).cluster_instance.cluster_id;
export const cluster = (cluster_id: string): Promise<ResponseBody> =>
  runyard.callOk('GET', '2.1/clusters/get', { cluster_id });
export const eventsOf = async (cluster_id: string): Promise<ResponseBody[]> =>
  (await runyard.callOk('POST', '2.0/clusters/events', { cluster_id, order: 'ASC' })).events;
export const typesOf = async (cluster_id: string): Promise<string[]> =>
  (await eventsOf(cluster_id)).map((event) => event.type);
export const waitForCluster = (cluster_id: string, isReached: (shown: ResponseBody) => boolean) =>
  eventually(() => cluster(cluster_id), { until: isReached });
export const held = async (): Promise<number> => {
  const rows = await runyard.database.db
    .selectFrom('clusters')
    .select('granted_nodes')
    .where('pool_id', '=', 'three')
    .execute();
  return rows.reduce((sum, row) => sum + row.granted_nodes, 0);
};
