/** Instance pools and cluster policies through the JavaScript SDK. */
import { WorkspaceClient } from '@databricks/sdk-experimental';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { defaultInventory } from '../../../engine/cluster/inventory.ts';
import { eventually } from '../../harness/eventually.ts';
import { startTestService, type TestService } from '../../harness/test-service.ts';
import { addUser } from '../../harness/users.ts';
import { apiErrorOf, collectAll } from './sdk-results.ts';

let runyard: TestService;
let client: WorkspaceClient;
let ann: WorkspaceClient;

const description = { spark_version: '16.4.x-scala2.12', num_workers: 1 };

beforeAll(async () => {
  runyard = await startTestService({
    clusters: {
      ...defaultInventory,
      pools: { small: { capacity: 3, node_type_id: 'standard-4' } },
      policies: { nightly: { instance_pool_id: 'small' } },
    },
  });
  client = clientWith(runyard.token);
  ann = clientWith(await addUser(runyard.database.db, 'ann'));
});

afterAll(() => runyard.stop());

function clientWith(token: string): WorkspaceClient {
  return new WorkspaceClient({ env: { DATABRICKS_HOST: runyard.url, DATABRICKS_TOKEN: token } });
}

const createCluster = (fields: object) =>
  runyard.call('POST', '2.1/clusters/create', { ...description, ...fields });
const stateOf = async (cluster_id: string) => (await client.clusters.get({ cluster_id })).state;
const waitForState = (cluster_id: string, state: string) =>
  eventually(() => stateOf(cluster_id), { until: (shown) => shown === state });

describe('instance pools', () => {
  const settings = { instance_pool_name: 'etl', node_type_id: 'standard-2', max_capacity: 2 };

  test('are created, limit their clusters, are edited and deleted', async () => {
    const { instance_pool_id: id = '' } = await client.instancePools.create({
      ...settings,
      min_idle_instances: 1,
      custom_tags: { team: 'a' },
    });
    const { body: first } = await createCluster({ instance_pool_id: id });
    const { body: second } = await createCluster({ instance_pool_id: id, num_workers: 0 });
    await waitForState(first.cluster_id, 'RUNNING');
    expect(await stateOf(second.cluster_id)).toBe('PENDING');
    expect(await client.instancePools.get({ instance_pool_id: id })).toEqual({
      instance_pool_id: id,
      ...settings,
      min_idle_instances: 1,
      custom_tags: { team: 'a' },
      state: 'ACTIVE',
      stats: { used_count: 2, idle_count: 0, pending_used_count: 1, pending_idle_count: 0 },
      status: {},
    });
    expect((await client.clusters.get({ cluster_id: first.cluster_id })).node_type_id).toBe('standard-2');
    expect((await createCluster({ instance_pool_id: id, num_workers: 2 })).body.message).toContain(
      'The cluster would need 3 nodes of the pool',
    );
    await client.instancePools.edit({ instance_pool_id: id, ...settings, max_capacity: 3 });
    await waitForState(second.cluster_id, 'RUNNING');
    const { instance_pools: pools = [] } = await runyard.callOk('GET', '2.0/instance-pools/list');
    expect(pools).toMatchObject([
      { instance_pool_id: 'small', max_capacity: 3 },
      { instance_pool_id: id, max_capacity: 3, stats: { used_count: 3 } },
    ]);
    expect(pools[1]).not.toHaveProperty('custom_tags');
    expect((await apiErrorOf(client.instancePools.delete({ instance_pool_id: id }))).message).toMatch(
      /has nodes in use by cluster .*; terminate its clusters first\.$/,
    );
    for (const { cluster_id } of [first, second])
      await runyard.callOk('POST', '2.1/clusters/delete', { cluster_id });
    await client.instancePools.delete({ instance_pool_id: id });
    expect(await apiErrorOf(client.instancePools.get({ instance_pool_id: id }))).toMatchObject({
      statusCode: 404,
      errorCode: 'RESOURCE_DOES_NOT_EXIST',
    });
    expect((await runyard.call('POST', '2.1/clusters/start', first)).body.message).toBe(
      `Cluster ${first.cluster_id} cannot start: its instance pool ${id} does not exist.`,
    );
    const { run_id } = await runyard.callOk('POST', '2.1/jobs/runs/submit', {
      tasks: [
        {
          task_key: 'a',
          existing_cluster_id: first.cluster_id,
          spark_python_task: { python_file: 'dbfs:/x.py' },
        },
      ],
    });
    expect((await runyard.waitForRunEnd(run_id)).tasks[0].state).toMatchObject({
      result_state: 'FAILED',
      state_message: expect.stringContaining('cannot start: its instance pool'),
    });
    expect((await createCluster({ instance_pool_id: id })).status).toBe(400);
  });

  test('of the configuration are read-only, and names are unique', async () => {
    expect((await client.instancePools.get({ instance_pool_id: 'small' })).stats?.used_count).toBe(0);
    for (const call of [
      client.instancePools.edit({ ...settings, instance_pool_id: 'small' }),
      client.instancePools.delete({ instance_pool_id: 'small' }),
    ])
      expect((await apiErrorOf(call)).message).toBe(
        'The instance pool "small" is defined by RUNYARD_CLUSTERS and read-only; change the configuration.',
      );
    const { instance_pool_id: id = '' } = await client.instancePools.create(settings);
    for (const name of ['etl', 'small'])
      expect(
        (await apiErrorOf(client.instancePools.create({ ...settings, instance_pool_name: name }))).errorCode,
      ).toBe('RESOURCE_ALREADY_EXISTS');
    expect(
      (await apiErrorOf(client.instancePools.edit({ ...settings, instance_pool_id: id, node_type_id: 'x' })))
        .message,
    ).toBe('node_type_id is "x"; the node type of a pool cannot change from "standard-2".');
    expect((await apiErrorOf(ann.instancePools.create(settings))).statusCode).toBe(403);
    await client.instancePools.delete({ instance_pool_id: id });
  });
});

describe('cluster policies', () => {
  const definition = (rules: object) => JSON.stringify(rules);
  const limited = definition({
    node_type_id: { type: 'fixed', value: 'standard-8' },
    autotermination_minutes: { type: 'range', maxValue: 60, defaultValue: 30 },
    num_workers: { type: 'range', maxValue: 2 },
  });
  const onNewCluster = (policy_id: string, num_workers: number) => ({
    name: 'j',
    tasks: [
      {
        task_key: 'a',
        new_cluster: { ...description, policy_id, num_workers, autotermination_minutes: 60 },
        spark_python_task: { python_file: 'dbfs:/ok.py' },
      },
    ],
  });

  test('are created, supply and limit attributes, are edited and deleted', async () => {
    await runyard.putFile('/ok.py', 'print("ok")\n');
    const { policy_id: id = '' } = await client.clusterPolicies.create({
      name: 'teams',
      definition: limited,
      max_clusters_per_user: 1,
    });
    const refused = await createCluster({ policy_id: id, num_workers: 3, autotermination_minutes: 10 });
    expect(refused.body.message).toBe(
      'Cluster validation error: Validation failed for num_workers, the value must be at most 2 (is 3)',
    );
    const { body: first } = await createCluster({ policy_id: id, apply_policy_default_values: true });
    expect(await client.clusters.get({ cluster_id: first.cluster_id })).toMatchObject({
      node_type_id: 'standard-8',
      autotermination_minutes: 30,
    });
    expect(await createCluster({ policy_id: id, autotermination_minutes: 10 })).toMatchObject({
      status: 400,
      body: {
        error_code: 'QUOTA_EXCEEDED',
        message: `User admin has 1 active clusters with the policy "${id}"; its max_clusters_per_user is 1.`,
      },
    });
    expect((await runyard.call('POST', '2.1/jobs/create', onNewCluster(id, 3))).body.message).toBe(
      'Cluster validation error: Validation failed for num_workers, the value must be at most 2 (is 3), in tasks[0].new_cluster',
    );
    const { job_id } = await runyard.callOk('POST', '2.1/jobs/create', onNewCluster(id, 2));
    const run = async () =>
      runyard.waitForRunEnd((await runyard.callOk('POST', '2.1/jobs/run-now', { job_id })).run_id);
    const done = await run();
    expect(done.state.result_state).toBe('SUCCESS');
    const { cluster_id } = done.tasks[0].cluster_instance;
    expect((await client.clusters.get({ cluster_id })).node_type_id).toBe('standard-8');
    const narrower = definition({ num_workers: { type: 'range', maxValue: 1 } });
    await client.clusterPolicies.edit({ policy_id: id, name: 'teams', definition: narrower });
    expect((await run()).tasks[0].state).toMatchObject({
      result_state: 'FAILED',
      state_message: expect.stringContaining('the value must be at most 1 (is 2)'),
    });
    expect(await client.clusterPolicies.get({ policy_id: id })).toMatchObject({
      name: 'teams',
      definition: narrower,
      creator_user_name: 'admin',
      is_default: false,
    });
    await client.clusterPolicies.delete({ policy_id: id });
    expect((await apiErrorOf(client.clusterPolicies.get({ policy_id: id }))).statusCode).toBe(404);
    await runyard.callOk('POST', '2.1/clusters/delete', first);
    await runyard.callOk('POST', '2.1/clusters/start', first);
    expect((await runyard.call('POST', '2.1/jobs/create', onNewCluster(id, 1))).status).toBe(400);
  });

  test('of the configuration are read-only, names are unique, and lists are sorted', async () => {
    for (const call of [
      client.clusterPolicies.edit({ policy_id: 'nightly', name: 'x' }),
      client.clusterPolicies.delete({ policy_id: 'nightly' }),
    ])
      expect((await apiErrorOf(call)).message).toBe(
        'The cluster policy "nightly" is defined by RUNYARD_CLUSTERS and read-only; change the configuration.',
      );
    for (const name of ['b', 'a']) await client.clusterPolicies.create({ name });
    const names = async (request: Parameters<typeof client.clusterPolicies.list>[0]) =>
      (await collectAll(client.clusterPolicies.list(request))).map((policy) => policy.name);
    expect(await names({})).toEqual(['nightly', 'a', 'b']);
    expect(await names({ sort_column: 'POLICY_NAME', sort_order: 'DESC' })).toEqual(['nightly', 'b', 'a']);
    const refusals: [object, string][] = [
      [{ name: 'a' }, 'names must be unique.'],
      [{ name: 'nightly' }, 'names must be unique.'],
      [{}, 'Missing required field: name.'],
      [{ name: 'c', definition: '[]' }, 'definition is not a JSON object'],
      [
        { name: 'c', policy_family_id: 'job-cluster' },
        'policy_family_id is not supported; write all rules into definition.',
      ],
      [
        { name: 'c', libraries: [{ jar: 'dbfs:/a.jar' }] },
        'libraries is not supported; write all rules into definition.',
      ],
    ];
    for (const [request, message] of refusals) {
      const answer = await runyard.call('POST', '2.0/policies/clusters/create', request);
      expect([answer.status, answer.body.message]).toEqual([400, expect.stringContaining(message)]);
    }
    expect((await apiErrorOf(ann.clusterPolicies.create({ name: 'c' }))).statusCode).toBe(403);
  });
});
