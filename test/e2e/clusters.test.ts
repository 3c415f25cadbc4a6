/**
 * Clusters through HTTP (spec 2.4): which tasks use them, when they start and terminate, and which variables
 * tasks get.
 */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { ResponseBody } from '../harness/api-client.ts';
import { startTestService, type TestService } from '../harness/test-service.ts';

let runyard: TestService;
beforeAll(async () => {
  runyard = await startTestService();
  await runyard.putFile(
    '/env.py',
    'import os\nprint(os.environ.get("COLOUR", "none"), os.environ.get("RUNYARD_CLUSTER_ID", "none"))\n',
  );
});
afterAll(() => runyard.stop());

const newCluster = {
  spark_version: '16.4.x-scala2.12',
  node_type_id: 'standard-2',
  num_workers: 1,
  spark_env_vars: { COLOUR: 'blue' },
};
const task = (task_key: string, cluster: object, depends_on: readonly string[] = []) => ({
  task_key,
  ...cluster,
  depends_on: depends_on.map((key) => ({ task_key: key })),
  spark_python_task: { python_file: 'managed_fs:/env.py' },
});

async function runJob(tasks: readonly object[], job_clusters: readonly object[] = []): Promise<ResponseBody> {
  const { job_id } = await runyard.callOk('POST', '2.1/jobs/create', {
    name: 'clusters',
    tasks,
    job_clusters,
  });
  const { run_id } = await runyard.callOk('POST', '2.1/jobs/run-now', { job_id });
  return runyard.waitForRunEnd(run_id);
}
const clusterOf = (run: ResponseBody, key: string): string =>
  run.tasks.find((one: ResponseBody) => one.task_key === key).cluster_instance.cluster_id;
const logsOf = async (run: ResponseBody, key: string): Promise<string> =>
  (
    await runyard.callOk('GET', '2.1/jobs/runs/get-output', {
      run_id: run.tasks.find((one: ResponseBody) => one.task_key === key).run_id,
    })
  ).logs;
const rowOf = (clusterId: string) =>
  runyard.database.db
    .selectFrom('clusters')
    .selectAll()
    .where('cluster_id', '=', clusterId)
    .executeTakeFirstOrThrow();

describe('spec 2.4: a new cluster of a task', () => {
  test('is created for that task, sets its variables, and terminates with it', async () => {
    const run = await runJob([
      task('a', { new_cluster: newCluster }),
      task('b', { new_cluster: newCluster }, ['a']),
    ]);
    const [a, b] = [clusterOf(run, 'a'), clusterOf(run, 'b')];
    expect(a).toMatch(/^\d{4}-\d{6}-[a-z0-9]{8}$/);
    expect(a).not.toBe(b);
    expect(await logsOf(run, 'a')).toBe(`blue ${a}\n`);
    const row = await rowOf(a);
    expect(row).toMatchObject({ kind: 'JOB', state: 'TERMINATED', termination_reason: 'JOB_FINISHED' });
    const taskA = run.tasks.find((one: ResponseBody) => one.task_key === 'a');
    expect(row.terminated_time).toBeLessThanOrEqual(taskA.end_time);
  });
});

describe('spec 2.4: a shared job cluster', () => {
  test('is created by its first task and terminated after its last while other tasks still run', async () => {
    const run = await runJob(
      [
        task('first', { job_cluster_key: 'shared' }),
        task('second', { job_cluster_key: 'shared' }, ['first']),
        task('third', { job_cluster_key: 'shared' }, ['first']),
        task('own', { new_cluster: newCluster }, ['second', 'third']),
      ],
      [{ job_cluster_key: 'shared', new_cluster: newCluster }],
    );
    const shared = clusterOf(run, 'first');
    expect([clusterOf(run, 'second'), clusterOf(run, 'third')]).toEqual([shared, shared]);
    expect(clusterOf(run, 'own')).not.toBe(shared);
    const row = await rowOf(shared);
    const end = (key: string): number => run.tasks.find((one: ResponseBody) => one.task_key === key).end_time;
    expect(row).toMatchObject({ kind: 'JOB', state: 'TERMINATED' });
    expect(row.terminated_time).toBeGreaterThanOrEqual(Math.max(end('second'), end('third')));
    expect(row.terminated_time).toBeLessThanOrEqual(end('own'));
    expect(await logsOf(run, 'third')).toBe(`blue ${shared}\n`);
  });

  test('is created anew for each run', async () => {
    const tasks = [task('a', { job_cluster_key: 'k' })];
    const clusters = [{ job_cluster_key: 'k', new_cluster: newCluster }];
    expect(clusterOf(await runJob(tasks, clusters), 'a')).not.toBe(
      clusterOf(await runJob(tasks, clusters), 'a'),
    );
  });
});

describe('spec 2.2 existing_cluster_id: an existing cluster', () => {
  test('is allocated on first use and keeps running', async () => {
    const run = await runJob([task('a', { existing_cluster_id: '1120-101010-existing' })]);
    expect(clusterOf(run, 'a')).toBe('1120-101010-existing');
    expect(await rowOf('1120-101010-existing')).toMatchObject({ kind: 'ALL_PURPOSE', state: 'RUNNING' });
    expect(await logsOf(run, 'a')).toBe('none 1120-101010-existing\n');
  });
});

describe('spec 2.4, 2.5: a cluster with a start-up delay', () => {
  test('is requested when the task starts: setup_duration counts it, its id is shown, and a cancel does not wait for it', async () => {
    const slow = await startTestService({ clusterStartMs: 400 });
    try {
      await slow.putFile('/env.py', 'print("up")\n');
      const submit = {
        run_name: 'slow',
        new_cluster: newCluster,
        spark_python_task: { python_file: 'managed_fs:/env.py' },
      };
      const { run_id } = await slow.callOk('POST', '2.0/jobs/runs/submit', submit);
      const waiting = await slow.waitForRun(run_id, (run) => run.tasks[0].cluster_instance !== undefined);
      expect(waiting.state.state_message).toMatch(/^Waiting for cluster \d{4}-\d{6}-\w{8} to start$/);
      await slow.waitForRunEnd(run_id);
      const run = await slow.callOk('GET', '2.0/jobs/runs/get', { run_id });
      expect(run.state).toMatchObject({ result_state: 'SUCCESS', state_message: '' });
      expect(run.setup_duration).toBeGreaterThanOrEqual(400);
      const second = await slow.callOk('POST', '2.0/jobs/runs/submit', submit);
      await slow.waitForRun(second.run_id, (one) => one.tasks[0].cluster_instance !== undefined);
      await slow.callOk('POST', '2.0/jobs/runs/cancel', { run_id: second.run_id });
      const cancelled = await slow.waitForRunEnd(second.run_id);
      expect(cancelled.state).toMatchObject({ life_cycle_state: 'TERMINATED', result_state: 'CANCELED' });
      const left = await slow.database.db
        .selectFrom('clusters')
        .select('cluster_id')
        .where('state', '<>', 'TERMINATED')
        .execute();
      expect(left).toEqual([]);
    } finally {
      await slow.stop();
    }
  });
});
