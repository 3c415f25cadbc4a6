/** GET clusters/get: one cluster, whoever made it. */
import { Type } from 'typebox';
import { invalid } from '../../engine/errors.ts';
import { defineOperation, type Operation } from '../operation.ts';
import type { ClusterPorts } from '../ports.ts';
import { ClusterId, showCluster, ShownCluster } from './cluster-view.ts';

export function getClusterOperation({ clusters, inventory }: Pick<ClusterPorts, 'clusters' | 'inventory'>): Operation {
  return defineOperation({
    method: 'GET',
    path: '/clusters/get',
    versions: ['2.1', '2.0'],
    scope: 'clusters',
    summary: 'Get a cluster',
    description: 'A cluster with its description and where it stands, job clusters among them.',
    request: Type.Object({ cluster_id: ClusterId }),
    response: ShownCluster,
    async handle({ cluster_id: clusterId }) {
      const cluster = await clusters.find(clusterId);
      // Clients know the text.
      if (cluster === undefined) throw invalid(`Cluster ${clusterId} does not exist`);
      return showCluster(cluster, inventory);
    },
  });
}
