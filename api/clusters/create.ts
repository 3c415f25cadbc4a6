/** POST clusters/create (spec 2.8). */
import { Type } from 'typebox';
import { defineOperation, type Operation } from '../http/operation.ts';
import type { ClusterPorts } from '../http/ports.ts';
import { describeCluster } from './describe-cluster.ts';
import { ClusterId } from '../views/cluster-view.ts';
import { allPurposeClusterFields } from './cluster-fields.ts';

/**
 * Creates and starts an all-purpose cluster that jobs can reference by id.
 * @throws ServiceError for an invalid cluster specification
 */
export function createClusterOperation(
  ports: Pick<ClusterPorts, 'control' | 'inventory' | 'limits'>,
): Operation {
  return defineOperation({
    method: 'POST',
    path: '/clusters/create',
    versions: ['2.1', '2.0'],
    scope: 'clusters',
    summary: 'Create a cluster',
    description:
      'Creates an all-purpose cluster and starts it. Tasks reference it by existing_cluster_id. It runs until it is deleted, or idle for autotermination_minutes.',
    request: Type.Object(allPurposeClusterFields),
    response: Type.Object({ cluster_id: ClusterId }),
    async handle({ cluster_name: name = '', ...spec }, { caller }) {
      const described = describeCluster(ports, spec);
      return { cluster_id: await ports.control.create(described, name, caller.userName) };
    },
  });
}
