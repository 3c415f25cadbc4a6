/** References to unknown pools, policies and clusters are refused at creation. */
import { expect, test } from 'vitest';
import { checkClusterReferences, type ClusterRules } from '../../../api/clusters/cluster-references.ts';
import { defaultInventory } from '../../../engine/cluster/inventory.ts';
import type { Cluster } from '../../../engine/cluster/cluster.ts';

const cluster = (state: Cluster['state']): Cluster => ({
  clusterId: 'c',
  kind: 'ALL_PURPOSE',
  name: 'c',
  jobRunId: undefined,
  key: undefined,
  spec: {},
  creator: undefined,
  createdTime: 1,
  poolId: '',
  workers: 0,
  wantedNodes: 1,
  state,
  sparkContextId: undefined,
  nodes: 0,
  generation: 1,
  startedTime: undefined,
  terminatedTime: undefined,
  termination: undefined,
  pinned: false,
  restarting: false,
  restricted: false,
});
const unused = async (): Promise<never> => {
  throw new Error('Permissions are not read for this caller.');
};
const unusedPermissions = {
  findLevels: unused,
  isAdmin: unused,
  listOwners: unused,
  listGrants: unused,
  update: unused,
};
const rules = (strict: boolean): ClusterRules => ({
  inventory: { ...defaultInventory, pools: { p: {} } },
  requireExisting: strict,
  find: async (id) =>
    id === 'runs' ? cluster('RUNNING') : id === 'ended' ? cluster('TERMINATED') : undefined,
  access: { permissions: unusedPermissions, clusterPermissions: unusedPermissions },
});
const said = (strict: boolean, settings: Parameters<typeof checkClusterReferences>[1]): Promise<string> =>
  checkClusterReferences(rules(strict), settings, { visibleTo: undefined }).then(
    () => 'taken',
    (error: Error) => error.message,
  );

test.each([
  [
    'tasks',
    { tasks: [{ task_key: 'a' }, { task_key: 'b', new_cluster: { instance_pool_id: 'x' } }] },
    'tasks[1].new_cluster.instance_pool_id is "x"; it must be one of p (RUNYARD_CLUSTERS).',
  ],
  [
    'a shared cluster',
    { job_clusters: [{ job_cluster_key: 'k', new_cluster: { policy_id: 'x' } }] },
    'job_clusters[0].new_cluster.policy_id is "x"; no policy is configured (RUNYARD_CLUSTERS).',
  ],
  ['a known pool', { new_cluster: { instance_pool_id: 'p' } }, 'taken'],
])('%s', async (_name, settings, message) => expect(await said(false, settings)).toBe(message));

test('existing clusters are checked only with RUNYARD_CLUSTERS_STRICT', async () => {
  const naming = (existing_cluster_id: string) => ({ tasks: [{ task_key: 'a', existing_cluster_id }] });
  expect(await Promise.all(['none', 'ended', 'runs'].map((id) => said(false, naming(id))))).toEqual([
    'taken',
    'taken',
    'taken',
  ]);
  expect(await Promise.all(['none', 'ended', 'runs'].map((id) => said(true, naming(id))))).toEqual([
    'Cluster none does not exist',
    'The cluster is in Terminated state, not available to receive jobs.',
    'taken',
  ]);
});
