/** All-purpose clusters through the JavaScript SDK: lists, changes, permissions, node types and versions. */
import { WorkspaceClient, type compute } from '@databricks/sdk-experimental';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { defaultInventory } from '../../../engine/cluster/inventory.ts';
import { createApiClient, type ResponseBody } from '../../harness/api-client.ts';
import { eventually } from '../../harness/eventually.ts';
import { startTestService, type TestService } from '../../harness/test-service.ts';
import { addUser } from '../../harness/users.ts';
import { apiErrorOf, collectAll } from './sdk-results.ts';

let runyard: TestService;
let client: WorkspaceClient;
let ann: WorkspaceClient;

const description = { spark_version: '16.4.x-scala2.12', node_type_id: 'standard-2', num_workers: 1 };

beforeAll(async () => {
  runyard = await startTestService({
    jobAccessControl: true,
    clusters: { ...defaultInventory, policies: { nightly: { driver_node_type_id: 'standard-4' } } },
  });
  client = clientWith(runyard.token);
  ann = clientWith(await addUser(runyard.database.db, 'ann'));
});

afterAll(() => runyard.stop());

function clientWith(token: string): WorkspaceClient {
  return new WorkspaceClient({ env: { DATABRICKS_HOST: runyard.url, DATABRICKS_TOKEN: token } });
}

async function create(name: string, fields: Partial<compute.CreateCluster> = {}): Promise<string> {
  const { cluster_id: id = '' } = await runyard.callOk('POST', '2.1/clusters/create', {
    cluster_name: name,
    ...description,
    ...fields,
  });
  await waitForState(id, 'RUNNING');
  return id;
}

const waitForState = (cluster_id: string, state: compute.State) =>
  eventually(() => client.clusters.get({ cluster_id }), { until: (shown) => shown.state === state });

const stop = async (cluster_id: string): Promise<void> => {
  await runyard.callOk('POST', '2.1/clusters/delete', { cluster_id });
};

const typesOf = async (cluster_id: string): Promise<(compute.EventType | undefined)[]> =>
  (await collectAll(client.clusters.events({ cluster_id, order: 'ASC' }))).map(({ type }) => type);

describe('clusters/list', () => {
  const names = async (request: compute.ListClustersRequest): Promise<(string | undefined)[]> =>
    (await collectAll(client.clusters.list(request))).map((one) => one.cluster_name);

  test('filters by state, source, pin and policy, sorts, and pages', async () => {
    const [b, a, c] = [await create('b'), await create('a'), await create('c', { policy_id: 'nightly' })];
    await stop(b);
    await client.clusters.pin({ cluster_id: c });
    const filters: [compute.ListClustersFilterBy, string[]][] = [
      [{}, ['c', 'a', 'b']],
      [{ cluster_states: ['RUNNING'] }, ['c', 'a']],
      [{ cluster_states: ['TERMINATED', 'ERROR'] }, ['b']],
      [{ cluster_states: ['RUNNING', 'TERMINATED'], is_pinned: false }, ['a', 'b']],
      [{ cluster_states: [] }, ['c', 'a', 'b']],
      [{ cluster_states: ['UNKNOWN'] }, []],
      [{ cluster_sources: ['API', 'UI'] }, ['c', 'a', 'b']],
      [{ cluster_sources: ['JOB'] }, []],
      [{ is_pinned: true }, ['c']],
      [{ policy_id: 'nightly' }, ['c']],
      [{ policy_id: 'other' }, []],
    ];
    for (const [filter_by, expected] of filters)
      expect([filter_by, await names({ filter_by })]).toEqual([filter_by, expected]);
    const byName = { field: 'CLUSTER_NAME', direction: 'DESC' } as const;
    expect(await names({ sort_by: byName, page_size: 1 })).toEqual(['c', 'b', 'a']);
    expect(await names({ sort_by: { field: 'CLUSTER_NAME' } })).toEqual(['a', 'b', 'c']);
    expect(await names({ sort_by: { field: 'DEFAULT' } })).toEqual(['c', 'a', 'b']);
    const { clusters, next_page_token: token } = await runyard.callOk('GET', '2.1/clusters/list', {
      page_size: 2,
      'filter_by.cluster_sources': 'API',
    });
    expect(clusters.map((one: ResponseBody) => one.cluster_name)).toEqual(['c', 'a']);
    expect(await names({ page_token: token, page_size: 2 })).toEqual(['b']);
    await client.clusters.unpin({ cluster_id: c });
    expect(await names({ filter_by: { is_pinned: true } })).toEqual([]);
    expect((await typesOf(c)).slice(-2)).toEqual(['PINNED', 'UNPINNED']);
    for (const cluster_id of [a, b, c])
      await runyard.callOk('POST', '2.1/clusters/permanent-delete', { cluster_id });
  });

  test.each([
    ['filter_by.cluster_states', 'BUSY', 'filter_by.cluster_states[0]'],
    ['filter_by.is_pinned', 'maybe', 'filter_by.is_pinned'],
    ['sort_by.field', 'SIZE', 'sort_by.field'],
  ])('%s=%s is refused with the name of the field', async (field, value, named) => {
    const answer = await runyard.call('GET', '2.1/clusters/list', { [field]: value });
    expect(answer.status).toBe(400);
    expect(answer.body.message).toContain(named);
  });
});

describe('clusters/events', () => {
  test('no types are all types; a type without events lists none', async () => {
    const cluster_id = await create('events');
    const count = async (event_types: compute.EventType[]) =>
      (await runyard.callOk('POST', '2.1/clusters/events', { cluster_id, event_types })).total_count;
    expect([await count([]), await count(['RUNNING']), await count(['DRIVER_HEALTHY'])]).toEqual([2, 1, 0]);
    const page = (fields: object) =>
      runyard.callOk('POST', '2.1/clusters/events', { cluster_id, page_size: 1, ...fields });
    const first = await page({});
    const second = await page({ page_token: first.next_page_token });
    expect([first, second].map(({ events }) => events[0].type)).toEqual(['RUNNING', 'CREATING']);
    expect(first).not.toHaveProperty('prev_page_token');
    expect(second).not.toHaveProperty('next_page_token');
    expect(await page({ page_token: second.prev_page_token })).toEqual(first);
    await stop(cluster_id);
  });
});

describe('changes of a cluster', () => {
  test('a restart ends the tasks on it and runs it again', async () => {
    const cluster_id = await create('restarted');
    await runyard.putFile('/wait.py', 'import time\ntime.sleep(600)\n');
    const { run_id } = await runyard.callOk('POST', '2.1/jobs/runs/submit', {
      tasks: [
        {
          task_key: 'a',
          existing_cluster_id: cluster_id,
          spark_python_task: { python_file: 'dbfs:/wait.py' },
        },
      ],
    });
    await runyard.waitForRun(run_id, (run) => run.tasks[0].state.life_cycle_state === 'RUNNING');
    await (await client.clusters.restart({ cluster_id })).wait();
    expect((await runyard.waitForRunEnd(run_id)).tasks[0].state).toMatchObject({
      life_cycle_state: 'INTERNAL_ERROR',
      state_message: expect.stringContaining(`Cluster ${cluster_id} was restarted`),
    });
    await stop(cluster_id);
    await runyard.callOk('POST', '2.1/clusters/restart', { cluster_id });
    expect(await typesOf(cluster_id)).toEqual([
      'CREATING',
      'RUNNING',
      'RESTARTING',
      'RUNNING',
      'TERMINATING',
    ]);
  });

  test('edit replaces the description, and update the named fields', async () => {
    const cluster_id = await create('old', { custom_tags: { team: 'a' }, autotermination_minutes: 30 });
    const edited = await client.clusters.edit({
      cluster_id,
      cluster_name: 'new',
      ...description,
      num_workers: 2,
    });
    const shown = await edited.wait();
    expect(shown).toMatchObject({ cluster_name: 'new', num_workers: 2, state: 'RUNNING' });
    expect(shown).not.toHaveProperty('custom_tags');
    expect(await typesOf(cluster_id)).toEqual(['CREATING', 'RUNNING', 'EDITED', 'RESTARTING', 'RUNNING']);
    await stop(cluster_id);
    const update = (cluster: compute.UpdateClusterResource, update_mask: string) =>
      runyard.callOk('POST', '2.1/clusters/update', { cluster_id, cluster, update_mask });
    await update({ autoscale: { min_workers: 1, max_workers: 3 }, node_type_id: 'x' }, 'autoscale');
    await update({ autoscale: { min_workers: 1, max_workers: 5 } }, 'autoscale.max_workers,cluster_name');
    expect(await client.clusters.get({ cluster_id })).toMatchObject({
      state: 'TERMINATED',
      cluster_name: cluster_id,
      autoscale: { min_workers: 1, max_workers: 5 },
      node_type_id: 'standard-2',
    });
    await update({ ...description, cluster_name: 'whole' }, '*');
    await runyard.callOk('POST', '2.1/clusters/start', { cluster_id });
    expect(await waitForState(cluster_id, 'RUNNING')).toMatchObject({
      cluster_name: 'whole',
      num_workers: 1,
    });
    for (const [body, message] of [
      [{ update_mask: 'size' }, 'update_mask names "size"; it must name fields of cluster'],
      [{ update_mask: 'spark_conf.a' }, 'update_mask names "spark_conf.a", an entry of a map'],
      [{ update_mask: 'spark_version' }, 'Missing required field: settings.cluster_spec'],
    ] as const) {
      const answer = await runyard.call('POST', '2.1/clusters/update', { cluster_id, ...body });
      expect(answer).toMatchObject({ status: 400 });
      expect(answer.body.message).toContain(message);
    }
    await stop(cluster_id);
  });

  test('the zones of clusters are listed', async () => {
    expect(await client.clusters.listZones()).toEqual({ zones: ['local'], default_zone: 'local' });
  });
});

describe('permissions on clusters', () => {
  test('levels permit using, restarting and managing a cluster', async () => {
    const cluster_id = await create('guarded');
    const grant = (level: compute.ClusterPermissionLevel) =>
      client.clusters.setPermissions({
        cluster_id,
        access_control_list: [{ user_name: 'ann', permission_level: level }],
      });
    const levelsOf = ({ access_control_list: list = [] }: compute.ClusterPermissions) =>
      list.map(({ user_name: user, group_name: group, all_permissions: held = [] }) => [
        user ?? group,
        held.map((one) => one.permission_level),
      ]);
    expect(levelsOf(await ann.clusters.getPermissions({ cluster_id }))).toEqual([
      ['admin', ['CAN_MANAGE']],
      ['users', ['CAN_MANAGE']],
      ['admins', ['CAN_MANAGE']],
    ]);
    expect(
      (await client.clusters.getPermissionLevels({ cluster_id })).permission_levels?.map(
        (one) => one.permission_level,
      ),
    ).toEqual(['CAN_ATTACH_TO', 'CAN_RESTART', 'CAN_MANAGE']);
    await runyard.callOk('PUT', `2.0/permissions/clusters/${cluster_id}`, {});
    const denied = (what: string) => ({
      statusCode: 403,
      message: `User ann does not have ${what} permissions on cluster ${cluster_id}`,
    });
    expect(await apiErrorOf(ann.clusters.get({ cluster_id }))).toMatchObject(
      denied('Attach or Restart or Manage'),
    );
    expect((await collectAll(ann.clusters.list({}))).map((one) => one.cluster_id)).not.toContain(cluster_id);
    const job = {
      name: 'j',
      tasks: [
        { task_key: 'a', existing_cluster_id: cluster_id, spark_python_task: { python_file: 'dbfs:/x.py' } },
      ],
    };
    expect(await apiErrorOf(ann.jobs.create(job))).toMatchObject(denied('Attach or Restart or Manage'));
    expect(levelsOf(await grant('CAN_ATTACH_TO'))).toEqual([
      ['ann', ['CAN_ATTACH_TO']],
      ['admins', ['CAN_MANAGE']],
    ]);
    await ann.jobs.create(job);
    expect((await ann.clusters.get({ cluster_id })).cluster_name).toBe('guarded');
    expect(await apiErrorOf(ann.clusters.restart({ cluster_id }))).toMatchObject(denied('Restart or Manage'));
    await grant('CAN_RESTART');
    await (await ann.clusters.restart({ cluster_id })).wait();
    expect(await apiErrorOf(ann.clusters.permanentDelete({ cluster_id }))).toMatchObject(denied('Manage'));
    expect(await apiErrorOf(ann.clusters.setPermissions({ cluster_id }))).toMatchObject(denied('Manage'));
    await grant('CAN_MANAGE');
    await ann.clusters.permanentDelete({ cluster_id });
    expect((await apiErrorOf(client.clusters.getPermissions({ cluster_id }))).message).toBe(
      `Cluster ${cluster_id} does not exist`,
    );
  });

  test('only administrators pin clusters, and lists name existing users', async () => {
    const cluster_id = await create('kept');
    expect((await apiErrorOf(ann.clusters.pin({ cluster_id }))).statusCode).toBe(403);
    const list = [{ user_name: 'ghost', permission_level: 'CAN_MANAGE' }];
    expect(
      (await runyard.call('PUT', `2.0/permissions/clusters/${cluster_id}`, { access_control_list: list }))
        .body.message,
    ).toBe('access_control_list names the user "ghost", which does not exist.');
    await stop(cluster_id);
  });
});

describe('node types and runtime versions', () => {
  test('the selectors of clients find them', async () => {
    const { clusters } = client;
    expect(await clusters.selectNodeType({ localDisk: true })).toBe('standard-2');
    expect(await clusters.selectNodeType({ localDisk: true, minCores: 4, minMemoryGb: 32, minGpus: 0 })).toBe(
      'memory-4',
    );
    expect(await clusters.selectNodeType({ localDiskMinSize: 500, category: 'Compute Optimized' })).toBe(
      'compute-16',
    );
    expect(await clusters.selectSparkVersion()).toBe('16.4.x-scala2.12');
    expect(await clusters.selectSparkVersion({ longTermSupport: true, sparkVersion: '3.5.0' })).toBe(
      '15.4.x-scala2.12',
    );
  });
});

test('the description of the service for clients names its id and no account', async () => {
  const { url } = createApiClient(runyard.url, '');
  const response = await fetch(`${url}/.well-known/databricks-config`);
  expect(await response.json()).toEqual({
    oidc_endpoint: `${runyard.url}/oidc`,
    workspace_id: '1',
    host_type: 'workspace',
  });
});
