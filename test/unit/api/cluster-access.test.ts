/** Access to clusters: run clusters need the permission on the run, all-purpose clusters are open. */
import { expect, test } from 'vitest';
import { getPermittedCluster, filterVisibleClusters } from '../../../api/clusters/cluster-access.ts';
import type { Cluster } from '../../../engine/cluster/cluster.ts';
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
});
const clusters = [cluster('shared'), cluster('of-run', 7)];
type Ports = Parameters<typeof getPermittedCluster>[0];

function portsWith(levels: readonly PermissionLevel[]): Ports {
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
      listGrants: unused,
      update: unused,
    },
  };
}
const said = (
  ports: Ports,
  id: string,
  visibleTo: string | undefined,
  level: PermissionLevel,
): Promise<string> =>
  getPermittedCluster(ports, id, { visibleTo }, level).then(
    () => 'allowed',
    (error: Error) => error.message,
  );

test.each<[string, readonly PermissionLevel[], string | undefined, PermissionLevel, string]>([
  ['of-run', [], 'ann', 'CAN_VIEW', 'User ann does not have View'],
  ['of-run', ['CAN_VIEW'], 'ann', 'CAN_VIEW', 'allowed'],
  ['of-run', ['CAN_VIEW'], 'ann', 'CAN_MANAGE_RUN', 'User ann does not have'],
  ['of-run', ['CAN_MANAGE_RUN'], 'ann', 'CAN_MANAGE_RUN', 'allowed'],
  ['of-run', [], undefined, 'CAN_MANAGE_RUN', 'allowed'],
  ['shared', [], 'ann', 'CAN_MANAGE_RUN', 'allowed'],
  ['none', [], undefined, 'CAN_VIEW', 'Cluster none does not exist'],
])('%s, with %j for %s, asked for %s: %s', async (id, levels, user, level, answer) => {
  expect(await said(portsWith(levels), id, user, level)).toMatch(new RegExp(`^${answer}`));
});

test('a list contains only clusters that the caller may view', async () => {
  const ids = async (levels: readonly PermissionLevel[], visibleTo: string | undefined) =>
    (await filterVisibleClusters(portsWith(levels), clusters, { visibleTo })).map(
      ({ clusterId }) => clusterId,
    );
  expect([await ids([], 'ann'), await ids(['CAN_VIEW'], 'ann'), await ids([], undefined)]).toEqual([
    ['shared'],
    ['shared', 'of-run'],
    ['shared', 'of-run'],
  ]);
});
