/** POST clusters/resize. */
import { Type } from 'typebox';
import { checkSize } from '../../engine/job/check-cluster.ts';
import { AutoScale } from '../../engine/job/cluster.ts';
import { int32 } from '../../engine/validation/scalars.ts';
import { checkExactlyOne } from '../../engine/validation/messages.ts';
import { defineOperation, type Operation } from '../http/operation.ts';
import type { ClusterPorts } from '../http/ports.ts';
import { getPermittedCluster, type ClusterAccessPorts } from './cluster-access.ts';
import { ClusterId } from '../views/cluster-view.ts';

/**
 * Changes the number of workers of a running cluster.
 * @throws ServiceError for an unknown cluster or an invalid size; INVALID_STATE for a cluster that is not
 * running
 */
export function resizeClusterOperation(ports: ClusterAccessPorts & Pick<ClusterPorts, 'control'>): Operation {
  return defineOperation({
    method: 'POST',
    path: '/clusters/resize',
    versions: ['2.1', '2.0'],
    scope: 'clusters',
    summary: 'Resize a cluster',
    description:
      'Sets the number of workers or the autoscale range of a running cluster. The cluster is RESIZING until its pool provides the additional nodes.',
    request: Type.Object({
      cluster_id: ClusterId,
      num_workers: Type.Optional(int32(0, 'Number of workers. Alternative: autoscale.')),
      autoscale: Type.Optional(AutoScale),
    }),
    response: Type.Object({}),
    async handle({ cluster_id: clusterId, ...size }, context) {
      checkExactlyOne(
        'The request',
        Object.keys(size).filter((field) => field === 'num_workers' || field === 'autoscale'),
        ['num_workers', 'autoscale'],
      );
      checkSize('', size);
      await getPermittedCluster(ports, clusterId, context, 'CAN_MANAGE');
      await ports.control.resize(clusterId, size, context.caller.userName);
      return {};
    },
  });
}
