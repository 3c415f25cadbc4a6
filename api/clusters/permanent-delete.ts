/** POST clusters/permanent-delete: an all-purpose cluster is gone for good. */
import { Type } from 'typebox';
import { defineOperation, type Operation } from '../operation.ts';
import type { ClusterPorts } from '../ports.ts';
import { ClusterId } from './cluster-view.ts';

export function permanentlyDeleteClusterOperation({ control }: Pick<ClusterPorts, 'control'>): Operation {
  return defineOperation({
    method: 'POST',
    path: '/clusters/permanent-delete',
    versions: ['2.1', '2.0'],
    scope: 'clusters',
    summary: 'Delete a cluster for good',
    description: 'Terminates an all-purpose cluster and removes it with its events and its directory.',
    request: Type.Object({ cluster_id: ClusterId }),
    response: Type.Object({}),
    async handle({ cluster_id: clusterId }, { caller }) {
      await control.remove(clusterId, caller.userName);
      return {};
    },
  });
}
