/**
 * Clusters that wait for nodes, scale with their tasks, or fail by injected faults (spec 2.4, 2.8), through
 * HTTP.
 */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { defaultInventory } from '../../engine/cluster/inventory.ts';
import { eventually } from '../harness/eventually.ts';
import type { ResponseBody } from '../harness/api-client.ts';
import { startTestService, type TestService } from '../harness/test-service.ts';

let runyard: TestService;
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

const newCluster = { spark_version: '16.4.x-scala2.12', node_type_id: 'standard-2', num_workers: 1 };
const inThree = { ...newCluster, node_type_id: undefined, instance_pool_id: 'three' };
const task = (task_key: string, where: object, parameters?: readonly string[], more: object = {}) => ({
  task_key,
  ...where,
  spark_python_task:
    parameters === undefined
      ? { python_file: 'managed_fs:/ok.py' }
      : { python_file: 'managed_fs:/wait.py', parameters },
  ...more,
});
const after = (...keys: string[]) => ({ depends_on: keys.map((task_key) => ({ task_key })) });
const submit = async (...tasks: readonly object[]): Promise<number> =>
  (await runyard.callOk('POST', '2.1/jobs/runs/submit', { tasks })).run_id;
const start = async (tasks: readonly object[], job_clusters: readonly object[] = []): Promise<number> => {
  const { job_id } = await runyard.callOk('POST', '2.1/jobs/create', { tasks, job_clusters });
  return (await runyard.callOk('POST', '2.1/jobs/run-now', { job_id })).run_id;
};
const taskIn = (run: ResponseBody, key: string, attempt = 0): ResponseBody =>
  run.tasks.find((one: ResponseBody) => one.task_key === key && one.attempt_number === attempt);
const running = (runId: number, key: string) =>
  runyard.waitForRun(runId, (run) => taskIn(run, key)?.state.life_cycle_state === 'RUNNING');
const clusterIdOf = (run: ResponseBody, key: string, attempt = 0): string =>
  taskIn(run, key, attempt).cluster_instance.cluster_id;
const cluster = (cluster_id: string): Promise<ResponseBody> =>
  runyard.callOk('GET', '2.1/clusters/get', { cluster_id });
const eventsOf = async (cluster_id: string): Promise<ResponseBody[]> =>
  (await runyard.callOk('POST', '2.0/clusters/events', { cluster_id, order: 'ASC' })).events;
const typesOf = async (cluster_id: string): Promise<string[]> =>
  (await eventsOf(cluster_id)).map((event) => event.type);
const waitForCluster = (cluster_id: string, isReached: (shown: ResponseBody) => boolean) =>
  eventually(() => cluster(cluster_id), { until: isReached });
const held = async (): Promise<number> => {
  const rows = await runyard.database.db
    .selectFrom('clusters')
    .select('granted_nodes')
    .where('pool_id', '=', 'three')
    .execute();
  return rows.reduce((sum, row) => sum + row.granted_nodes, 0);
};

describe('spec 2.8 nodes of a pool: a task whose cluster waits for nodes', () => {
  test('is PENDING with a message that names the pool; clusters start in the order of their requests, and all nodes are released', async () => {
    const first = await submit(task('a', { new_cluster: inThree }, ['go-1']));
    await running(first, 'a');
    const second = await submit(
      task(
        'a',
        { new_cluster: { ...inThree, instance_pool_id: undefined, policy_id: 'small', num_workers: 2 } },
        ['go-2'],
      ),
    );
    const waiting = await runyard.waitForRun(second, (run) =>
      run.tasks[0].state.state_message.includes('waits for'),
    );
    expect(waiting.tasks[0].state.life_cycle_state).toBe('PENDING');
    expect(waiting.tasks[0].state.state_message).toBe(
      `Cluster ${clusterIdOf(waiting, 'a')} waits for 3 nodes of the pool "three", which has 3`,
    );
    expect(await cluster(clusterIdOf(waiting, 'a'))).toMatchObject({
      state: 'PENDING',
      state_message: 'Waiting for 3 nodes',
      node_type_id: 'standard-4',
      driver_node_type_id: 'standard-4',
    });
    // One node is free, but another cluster waits before this one.
    const third = await submit(task('a', { new_cluster: { ...inThree, num_workers: 0 } }));
    await runyard.waitForRun(third, (run) =>
      run.tasks[0].state.state_message.includes('waits for 1 node of'),
    );
    await runyard.putFile('/go-1', '');
    await running(second, 'a');
    expect(await held()).toBe(3);
    expect(
      (await runyard.callOk('GET', '2.1/jobs/runs/get', { run_id: third })).tasks[0].state.life_cycle_state,
    ).toBe('PENDING');
    await runyard.putFile('/go-2', '');
    for (const runId of [first, second, third])
      expect((await runyard.waitForRunEnd(runId)).state.result_state).toBe('SUCCESS');
    expect(await held()).toBe(0);
  });

  test('can be cancelled or time out while it waits, and the next waiting cluster starts', async () => {
    const first = await submit(task('a', { new_cluster: { ...inThree, num_workers: 2 } }, ['go-3']));
    await running(first, 'a');
    const late = await submit(task('a', { new_cluster: inThree }, undefined, { timeout_seconds: 1 }));
    const cancelled = await submit(task('a', { new_cluster: { ...inThree, num_workers: 2 } }));
    const behind = await submit(task('a', { new_cluster: inThree }));
    await runyard.waitForRun(behind, (run) => run.tasks[0].state.state_message.includes('waits for'));
    await runyard.callOk('POST', '2.1/jobs/runs/cancel', { run_id: cancelled });
    expect((await runyard.waitForRunEnd(cancelled)).tasks[0].state.result_state).toBe('CANCELED');
    expect((await runyard.waitForRunEnd(late)).tasks[0].state.result_state).toBe('TIMEDOUT');
    await runyard.putFile('/go-3', '');
    expect((await runyard.waitForRunEnd(behind)).state.result_state).toBe('SUCCESS');
    await runyard.waitForRunEnd(first);
    expect(await held()).toBe(0);
  });

  test('ends as INTERNAL_ERROR at once when the pool is too small for its cluster', async () => {
    const run = await runyard.waitForRunEnd(
      await submit(task('a', { new_cluster: { ...inThree, num_workers: 3 } })),
    );
    expect(run.tasks[0].state).toMatchObject({ life_cycle_state: 'INTERNAL_ERROR' });
    expect(run.tasks[0].state.state_message).toBe(
      `Cluster ${clusterIdOf(run, 'a')} was terminated (INSTANCE_POOL_CLUSTER_FAILURE): It needs 4 nodes of the pool "three", which has 3: that can never be.`,
    );
  });
});

describe('spec 2.8 autoscale', () => {
  test('the cluster starts with min_workers, grows with its tasks up to max_workers and shrinks again; clusters/get shows the desired number', async () => {
    const { num_workers: _none, ...sizeless } = newCluster;
    const shared = {
      job_cluster_key: 'elastic',
      new_cluster: { ...sizeless, autoscale: { min_workers: 1, max_workers: 2 } },
    };
    const runId = await start(
      [
        task('a', { job_cluster_key: 'elastic' }, ['go-a']),
        task('b', { job_cluster_key: 'elastic' }, ['go-b']),
        task('c', { job_cluster_key: 'elastic' }, ['go-c']),
      ],
      [shared],
    );
    await runyard.waitForRun(runId, (run) =>
      run.tasks.every((one: ResponseBody) => one.state.life_cycle_state === 'RUNNING'),
    );
    const id = clusterIdOf(await running(runId, 'a'), 'a');
    await waitForCluster(id, (shown) => shown.num_workers === 2);
    expect(await cluster(id)).toMatchObject({
      state: 'RUNNING',
      autoscale: { min_workers: 1, max_workers: 2 },
    });
    await runyard.putFile('/go-a', '');
    await runyard.putFile('/go-b', '');
    await waitForCluster(id, (shown) => shown.num_workers === 1);
    await runyard.putFile('/go-c', '');
    expect((await runyard.waitForRunEnd(runId)).state.result_state).toBe('SUCCESS');
    expect(await typesOf(id)).toEqual([
      'CREATING',
      'RUNNING',
      'RESIZING',
      'UPSIZE_COMPLETED',
      'RESIZING',
      'TERMINATING',
    ]);
    const resizing = (await eventsOf(id))
      .filter((event) => event.type === 'RESIZING')
      .map((event) => event.details);
    expect(resizing).toEqual([
      { current_num_workers: 1, target_num_workers: 2 },
      { current_num_workers: 2, target_num_workers: 1 },
    ]);
  });
});

describe('spec 2.4: a failed cluster', () => {
  test('loss of a shared cluster ends its running task as INTERNAL_ERROR; later tasks get a new cluster', async () => {
    const runId = await start(
      [
        task('a', { job_cluster_key: 'lossy' }, ['never']),
        task('b', { job_cluster_key: 'lossy' }, undefined, { ...after('a'), run_if: 'ALL_DONE' }),
        task('c', { job_cluster_key: 'lossy' }, undefined, after('b')),
      ],
      [{ job_cluster_key: 'lossy', new_cluster: newCluster }],
    );
    const run = await runyard.waitForRunEnd(runId);
    const lost = clusterIdOf(run, 'a');
    expect(taskIn(run, 'a').state).toMatchObject({
      life_cycle_state: 'INTERNAL_ERROR',
      result_state: 'FAILED',
      state_message: `Cluster ${lost} was terminated (CLOUD_PROVIDER_SHUTDOWN): Its nodes were lost (a fault that RUNYARD_FAULTS asks for).`,
    });
    expect([taskIn(run, 'b'), taskIn(run, 'c')].map((one) => one.state.result_state)).toEqual([
      'SUCCESS',
      'SUCCESS',
    ]);
    expect(clusterIdOf(run, 'b')).not.toBe(lost);
    expect(clusterIdOf(run, 'c')).toBe(clusterIdOf(run, 'b'));
    expect(await typesOf(lost)).toEqual(['CREATING', 'RUNNING', 'NODES_LOST', 'TERMINATING']);
    expect((await cluster(lost)).termination_reason).toMatchObject({
      code: 'CLOUD_PROVIDER_SHUTDOWN',
      type: 'CLOUD_FAILURE',
    });
    expect((await cluster(clusterIdOf(run, 'b'))).termination_reason).toEqual({
      code: 'JOB_FINISHED',
      type: 'SUCCESS',
      parameters: {},
    });
  });

  test('a retried task gets a new cluster of its own', async () => {
    const run = await runyard.waitForRunEnd(
      await submit(task('own-lossy', { new_cluster: newCluster }, ['go-lossy'], { max_retries: 1 })).then(
        async (runId) => {
          await runyard.waitForRun(runId, (shown) => shown.tasks.length === 2);
          await runyard.putFile('/go-lossy', '');
          return runId;
        },
      ),
    );
    expect(run.state.result_state).toBe('SUCCESS');
    expect(taskIn(run, 'own-lossy').state.life_cycle_state).toBe('INTERNAL_ERROR');
    expect(clusterIdOf(run, 'own-lossy', 1)).not.toBe(clusterIdOf(run, 'own-lossy'));
  });

  test('a cluster that cannot start ends its task as INTERNAL_ERROR; the next task gets a new cluster', async () => {
    const run = await runyard.waitForRunEnd(
      await start(
        [
          task('a', { job_cluster_key: 'broken' }),
          task('b', { job_cluster_key: 'broken' }, undefined, { ...after('a'), run_if: 'ALL_DONE' }),
        ],
        [{ job_cluster_key: 'broken', new_cluster: newCluster }],
      ),
    );
    expect(taskIn(run, 'a').state).toMatchObject({ life_cycle_state: 'INTERNAL_ERROR' });
    expect(taskIn(run, 'a').state.state_message).toContain(
      '(CLOUD_PROVIDER_LAUNCH_FAILURE): Its nodes could not be started',
    );
    expect(taskIn(run, 'b').state.result_state).toBe('SUCCESS');
    expect((await cluster(clusterIdOf(run, 'a'))).termination_reason).toMatchObject({
      code: 'CLOUD_PROVIDER_LAUNCH_FAILURE',
    });
  });

  test('a shared cluster that a user terminates is replaced', async () => {
    const runId = await start(
      [
        task('a', { job_cluster_key: 'etl' }, ['never']),
        task('b', { job_cluster_key: 'etl' }, undefined, { ...after('a'), run_if: 'ALL_DONE' }),
      ],
      [{ job_cluster_key: 'etl', new_cluster: newCluster }],
    );
    const ended = clusterIdOf(await running(runId, 'a'), 'a');
    await runyard.callOk('POST', '2.0/clusters/delete', { cluster_id: ended });
    const run = await runyard.waitForRunEnd(runId);
    expect(taskIn(run, 'a').state.life_cycle_state).toBe('INTERNAL_ERROR');
    expect(taskIn(run, 'a').state.state_message).toMatch(/was terminated \(USER_REQUEST\): .* ended it\./);
    expect(taskIn(run, 'b').state.result_state).toBe('SUCCESS');
  });

  test('preempted workers are replaced while the task continues', async () => {
    const run = await runyard.waitForRunEnd(
      await submit(task('spot', { new_cluster: { ...newCluster, num_workers: 3 } }, ['go-spot'])).then(
        async (runId) => {
          const id = clusterIdOf(await running(runId, 'spot'), 'spot');
          await eventually(() => typesOf(id), { until: (types) => types.includes('UPSIZE_COMPLETED') });
          await runyard.putFile('/go-spot', '');
          return runId;
        },
      ),
    );
    expect(run.state.result_state).toBe('SUCCESS');
    const events = await eventsOf(clusterIdOf(run, 'spot'));
    expect(events.slice(2, 4).map(({ type, details }) => [type, details])).toEqual([
      ['NODES_LOST', { current_num_workers: 1, target_num_workers: 3 }],
      ['UPSIZE_COMPLETED', { current_num_workers: 3, target_num_workers: 3 }],
    ]);
  });
});

describe('all-purpose clusters', () => {
  const create = async (fields: object = {}): Promise<string> =>
    (
      await runyard.callOk('POST', '2.1/clusters/create', {
        cluster_name: 'mine',
        ...newCluster,
        spark_env_vars: { COLOUR: 'red', API_TOKEN: 'hush' },
        ...fields,
      })
    ).cluster_id;

  test('spec 2.2: a created cluster runs tasks with its variables, terminates, starts again, and lists its events', async () => {
    await runyard.putFile(
      '/env.py',
      'import os\nprint(*(os.environ.get(name) for name in ("COLOUR", "DB_CLUSTER_ID", "DB_CLUSTER_NAME", "DB_IS_DRIVER", "DB_INSTANCE_TYPE", "DB_IS_JOB_CLUSTER", "DB_DRIVER_IP")))\n',
    );
    const id = await create();
    await waitForCluster(id, (shown) => shown.state === 'RUNNING');
    const use = () =>
      submit({
        task_key: 'a',
        existing_cluster_id: id,
        spark_python_task: { python_file: 'managed_fs:/env.py' },
      });
    const run = await runyard.waitForRunEnd(await use());
    const { logs } = await runyard.callOk('GET', '2.1/jobs/runs/get-output', { run_id: run.tasks[0].run_id });
    expect(logs).toBe(`red ${id} mine TRUE standard-2 FALSE 127.0.0.1\n`);
    expect(await runyard.call('POST', '2.0/clusters/start', { cluster_id: id })).toMatchObject({
      status: 400,
      body: { error_code: 'INVALID_STATE' },
    });
    await runyard.callOk('POST', '2.0/clusters/delete', { cluster_id: id });
    await runyard.callOk('POST', '2.0/clusters/delete', { cluster_id: id });
    expect(await cluster(id)).toMatchObject({
      state: 'TERMINATED',
      cluster_source: 'API',
      spark_env_vars: { COLOUR: 'red', API_TOKEN: '***' },
      termination_reason: { code: 'USER_REQUEST', type: 'SUCCESS' },
    });
    expect(
      await runyard.call('POST', '2.0/clusters/resize', { cluster_id: id, num_workers: 4 }),
    ).toMatchObject({ status: 400, body: { error_code: 'INVALID_STATE' } });
    // A task that names the terminated cluster starts it.
    expect((await runyard.waitForRunEnd(await use())).state.result_state).toBe('SUCCESS');
    expect(await typesOf(id)).toEqual(['CREATING', 'RUNNING', 'TERMINATING', 'STARTING', 'RUNNING']);
    expect(
      (await runyard.callOk('GET', '2.1/clusters/list', { page_size: 100 })).clusters.map(
        (one: ResponseBody) => one.cluster_id,
      ),
    ).toContain(id);
    const page = await runyard.callOk('GET', '2.0/clusters/events', {
      cluster_id: id,
      order: 'ASC',
      limit: 2,
    });
    expect([page.total_count, page.next_page]).toEqual([
      5,
      { cluster_id: id, order: 'ASC', limit: 2, offset: 2 },
    ]);
    const next = await runyard.callOk('POST', '2.0/clusters/events', {
      ...page.next_page,
      event_types: ['TERMINATING', 'STARTING'],
    });
    expect(next).toMatchObject({ events: [], total_count: 2 });
    await runyard.callOk('POST', '2.0/clusters/permanent-delete', { cluster_id: id });
    expect(await runyard.call('GET', '2.0/clusters/get', { cluster_id: id })).toMatchObject({
      status: 400,
      body: { error_code: 'INVALID_PARAMETER_VALUE', message: `Cluster ${id} does not exist` },
    });
  });

  test('a resized cluster waits until the pool has enough free nodes', async () => {
    const [big, small] = [await create({ ...inThree }), await create({ ...inThree, num_workers: 0 })];
    for (const id of [big, small]) await waitForCluster(id, (shown) => shown.state === 'RUNNING');
    await runyard.callOk('POST', '2.0/clusters/resize', { cluster_id: big, num_workers: 2 });
    expect(await cluster(big)).toMatchObject({
      state: 'RESIZING',
      num_workers: 2,
      state_message: 'Has 1 of 2 workers',
    });
    const third = await create({ ...inThree, num_workers: 0 });
    const user = await submit(task('a', { existing_cluster_id: third }));
    await runyard.waitForRun(
      user,
      (run) =>
        run.tasks[0].state.state_message ===
        `Cluster ${third} waits for 1 node of the pool "three", which has 3`,
    );
    await runyard.callOk('POST', '2.0/clusters/delete', { cluster_id: small });
    expect(await cluster(big)).toMatchObject({ state: 'RUNNING', num_workers: 2 });
    expect(
      await runyard.call('POST', '2.0/clusters/resize', { cluster_id: big, num_workers: 3 }),
    ).toMatchObject({
      status: 400,
      body: {
        message:
          'The cluster would need 4 nodes of the pool "three", which has 3; make it smaller, or the pool larger (RUNYARD_CLUSTERS).',
      },
    });
    await runyard.callOk('POST', '2.0/clusters/permanent-delete', { cluster_id: big });
    expect((await runyard.waitForRunEnd(user)).state.result_state).toBe('SUCCESS');
    await runyard.callOk('POST', '2.0/clusters/permanent-delete', { cluster_id: third });
    await runyard.callOk('POST', '2.0/clusters/permanent-delete', { cluster_id: small });
  });

  test('a cluster that is idle for autotermination_minutes terminates', async () => {
    const id = await create({ autotermination_minutes: 1 });
    await waitForCluster(id, (shown) => shown.state === 'RUNNING');
    await runyard.database.db
      .updateTable('clusters')
      .set({ started_time: 1 })
      .where('cluster_id', '=', id)
      .execute();
    await waitForCluster(id, (shown) => shown.state === 'TERMINATED');
    expect((await cluster(id)).termination_reason.code).toBe('INACTIVITY');
  });

  test('clusters/create validates the settings; node types and versions can be listed', async () => {
    const refused = async (fields: object): Promise<string> =>
      (await runyard.call('POST', '2.0/clusters/create', { ...newCluster, ...fields })).body.message;
    expect(await refused({ spark_version: undefined })).toBe(
      'Cluster validation error: Missing required field: settings.cluster_spec.new_cluster.spark_version',
    );
    expect(await refused({ instance_pool_id: 'none' })).toContain('it must be one of three, many');
    expect(await refused({ cloud_attributes: { boot_disk_size: 99 } })).toBe(
      'cloud_attributes.boot_disk_size is 99; it must be between 100 and 4096.',
    );
    expect(await refused({ ...inThree, num_workers: 3 })).toContain(
      'would need 4 nodes of the pool "three", which has 3',
    );
    const huge = await create({ num_workers: 2_147_483_647 });
    await waitForCluster(huge, (shown) => shown.state === 'RUNNING' && shown.num_workers === 2_147_483_647);
    expect((await runyard.callOk('GET', '2.1/clusters/spark-versions')).versions[0]).toEqual({
      key: '16.4.x-scala2.12',
      name: '16.4 LTS (Scala 2.12)',
    });
    expect((await runyard.callOk('GET', '2.0/clusters/list-node-types')).node_types[0]).toMatchObject({
      node_type_id: 'standard-2',
      num_cores: 2,
      memory_mb: 8_192,
    });
    expect((await runyard.callOk('GET', '2.0/instance-pools/list')).instance_pools).toMatchObject([
      { instance_pool_id: 'three', max_capacity: 3, node_type_id: 'standard-4' },
      { instance_pool_id: 'many' },
    ]);
    expect((await runyard.callOk('GET', '2.0/policies/clusters/list')).policies).toMatchObject([
      { policy_id: 'small' },
    ]);
  });
});
