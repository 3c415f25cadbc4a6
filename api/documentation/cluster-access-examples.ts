/** Examples of operations on the permissions of clusters. */
import type { Example } from './example.ts';

const clusterId = '1121-101010-abcd1234';
const request = {
  cluster_id: clusterId,
  access_control_list: [{ user_name: 'bob@example.org', permission_level: 'CAN_ATTACH_TO' }],
};
const list = {
  object_id: `/clusters/${clusterId}`,
  object_type: 'cluster',
  access_control_list: [
    {
      user_name: 'bob@example.org',
      display_name: 'bob@example.org',
      all_permissions: [{ permission_level: 'CAN_ATTACH_TO', inherited: false }],
    },
    {
      group_name: 'admins',
      all_permissions: [
        { permission_level: 'CAN_MANAGE', inherited: true, inherited_from_object: ['/clusters/'] },
      ],
    },
  ],
};

export const clusterAccessExamples: Readonly<Record<string, Example>> = {
  'GET /permissions/clusters/:cluster_id': { request: { cluster_id: clusterId }, answer: list },
  'PUT /permissions/clusters/:cluster_id': { request, answer: list },
  'PATCH /permissions/clusters/:cluster_id': { request, answer: list },
  'GET /permissions/clusters/:cluster_id/permissionLevels': {
    request: { cluster_id: clusterId },
    answer: {
      permission_levels: [
        {
          permission_level: 'CAN_ATTACH_TO',
          description: 'Can view the cluster and its events, and run tasks on it.',
        },
      ],
    },
  },
};
