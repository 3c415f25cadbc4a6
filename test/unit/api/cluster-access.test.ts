/** Access to clusters: run clusters need the permission on the run, all-purpose clusters one of their own list. */
import { expect, test } from 'vitest';
import { getPermittedCluster, filterVisibleClusters } from '../../../api/clusters/cluster-access.ts';
import type { Cluster } from '../../../engine/cluster/cluster.ts';
import type { ClusterPermissionLevel } from '../../../engine/cluster/cluster-permissions.ts';
import type { PermissionLevel } from '../../../engine/job/permissions.ts';

const cluster = (clusterId: string, jobRunId?: number): Cluster => ({
  clusterId,
  kind: jobRunId === undefined ? 'ALL_PURPOSE' : 'JOB',
  name: clusterId,
  jobRunId,
  key: undefined,
  spec: {},
  creator: undefined,
  createdTime: 1,
  poolId: '',
  workers: 0,
  wantedNodes: 1,
  state: 'RUNNING',
  sparkContextId: undefined,
  nodes: 1,
  generation: 1,
  startedTime: undefined,
  terminatedTime: undefined,
  termination: undefined,
  pinned: false,
  restarting: false,
  restricted: false,
});
const clusters = [cluster('shared'), cluster('of-run', 7), { ...cluster('closed'), restricted: true }];
type Ports = Parameters<typeof getPermittedCluster>[0];

function portsWith(
  levels: readonly PermissionLevel[],
  listed: readonly ClusterPermissionLevel[] = [],
): Ports {
  const unused = async (): Promise<never> => {
    throw new Error('not asked for here');
  };
  return {
    clusters: {
      find: async (id) => clusters.find((one) => one.clusterId === id),
      list: unused,
      listEvents: unused,
    },
    permissions: {
      findLevels: async (_on, id) => (id === 7 ? { jobId: 3, levels } : undefined),
      isAdmin: unused,
      listOwners: unused,
    },
    clusterPermissions: {
      findLevels: async (ids) => new Map(ids.map((id) => [id, listed])),
      listGrants: unused,
      update: unused,
    },
  };
}
const said = (
  ports: Ports,
  id: string,
  visibleTo: string | undefined,
  level: ClusterPermissionLevel,
): Promise<string> =>
  getPermittedCluster(ports, id, { visibleTo }, level).then(
    () => 'allowed',
    (error: Error) => error.message,
  );

test.each<[string, readonly PermissionLevel[], string | undefined, ClusterPermissionLevel, string]>([
  ['of-run', [], 'ann', 'CAN_ATTACH_TO', 'User ann does not have View'],
  ['of-run', ['CAN_VIEW'], 'ann', 'CAN_ATTACH_TO', 'allowed'],
  ['of-run', ['CAN_VIEW'], 'ann', 'CAN_RESTART', 'User ann does not have'],
  ['of-run', ['CAN_MANAGE_RUN'], 'ann', 'CAN_MANAGE', 'allowed'],
  ['of-run', [], undefined, 'CAN_MANAGE', 'allowed'],
  ['shared', [], 'ann', 'CAN_MANAGE', 'allowed'],
  ['none', [], undefined, 'CAN_ATTACH_TO', 'Cluster none does not exist'],
])('%s, with %j for %s, asked for %s: %s', async (id, levels, user, level, answer) => {
  expect(await said(portsWith(levels), id, user, level)).toMatch(new RegExp(`^${answer}`));
});

test.each<[readonly ClusterPermissionLevel[], string | undefined, ClusterPermissionLevel, string]>([
  [
    [],
    'ann',
    'CAN_ATTACH_TO',
    'User ann does not have Attach or Restart or Manage permissions on cluster closed',
  ],
  [['CAN_ATTACH_TO'], 'ann', 'CAN_ATTACH_TO', 'allowed'],
  [
    ['CAN_ATTACH_TO'],
    'ann',
    'CAN_RESTART',
    'User ann does not have Restart or Manage permissions on cluster closed',
  ],
  [['CAN_RESTART'], 'ann', 'CAN_MANAGE', 'User ann does not have Manage permissions on cluster closed'],
  [['CAN_ATTACH_TO', 'CAN_MANAGE'], 'ann', 'CAN_MANAGE', 'allowed'],
  [[], undefined, 'CAN_MANAGE', 'allowed'],
])('a cluster with a list that grants %j to %s, asked for %s: %s', async (listed, user, level, answer) => {
  expect(await said(portsWith([], listed), 'closed', user, level)).toBe(answer);
});

test('a list contains only clusters that the caller may view', async () => {
  const ids = async (levels: readonly PermissionLevel[], visibleTo: string | undefined) =>
    (await filterVisibleClusters(portsWith(levels), clusters, { visibleTo })).map(
      ({ clusterId }) => clusterId,
    );
  expect([await ids([], 'ann'), await ids(['CAN_VIEW'], 'ann'), await ids([], undefined)]).toEqual([
    ['shared'],
    ['shared', 'of-run'],
    ['shared', 'of-run', 'closed'],
  ]);
});
