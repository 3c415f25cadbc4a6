/** All-purpose clusters through HTTP: life cycle, resizing, automatic termination, and validation. */
import { describe, expect, test } from 'vitest';
import type { ResponseBody } from '../harness/api-client.ts';
import {
  registerService,
  runyard,
  newCluster,
  inThree,
  task,
  submit,
  cluster,
  typesOf,
  waitForCluster,
} from './cluster-nodes-harness.ts';

registerService();

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
      name: '16.4 LTS (includes Apache Spark 3.5.2, Scala 2.12)',
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
