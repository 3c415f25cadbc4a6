/** POST clusters/resize: a running cluster gets another size. */
import { Type } from 'typebox';
import { checkSize } from '../../engine/job/check-cluster.ts';
import { AutoScale } from '../../engine/job/cluster.ts';
import { int32 } from '../../engine/validation/scalars.ts';
import { checkExactlyOne } from '../../engine/validation/messages.ts';
import { defineOperation, type Operation } from '../http/operation.ts';
import type { ClusterPorts } from '../http/ports.ts';
import { getPermittedCluster } from './cluster-access.ts';
import { ClusterId } from '../views/cluster-view.ts';

/** A cluster that does not run is 400 INVALID_STATE. */
export function resizeClusterOperation(
  ports: Pick<ClusterPorts, 'control' | 'clusters' | 'permissions'>,
): Operation {
  return defineOperation({
    method: 'POST',
    path: '/clusters/resize',
    versions: ['2.1', '2.0'],
    scope: 'clusters',
    summary: 'Resize a cluster',
    description:
      'Gives a running cluster another number of workers, or another range. It is RESIZING until its pool has room for more.',
    request: Type.Object({
      cluster_id: ClusterId,
      num_workers: Type.Optional(int32(0, 'Number of workers. Or autoscale.')),
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
      await getPermittedCluster(ports, clusterId, context, 'CAN_MANAGE_RUN');
      await ports.control.resize(clusterId, size, context.caller.userName);
      return {};
    },
  });
}
