/** GET clusters/list: all clusters, newest first. */
import { Type } from 'typebox';
import { defineOperation, type Operation } from '../operation.ts';
import { cutPage, pageOf } from '../paging.ts';
import type { ClusterPorts } from '../ports.ts';
import { showCluster, ShownCluster } from './cluster-view.ts';

const rule = { usual: 20, most: 100, numbers: 1 };

export function listClustersOperation({ clusters, inventory }: Pick<ClusterPorts, 'clusters' | 'inventory'>): Operation {
  return defineOperation({
    method: 'GET',
    path: '/clusters/list',
    versions: ['2.1', '2.0'],
    scope: 'clusters',
    summary: 'List the clusters',
    description: 'All-purpose clusters and those of runs that are still kept, newest first.',
    request: Type.Object({
      page_size: Type.Optional(Type.Integer({ minimum: 0, maximum: rule.most, description: 'Clusters of a page, 20 unless given; 0 means 100.' })),
      page_token: Type.Optional(Type.String({ description: 'The next_page_token of the page before.' })),
    }),
    response: Type.Object({
      clusters: Type.Array(ShownCluster, { description: 'The clusters.' }),
      next_page_token: Type.Optional(Type.String({ description: 'There is more.' })),
    }),
    async handle({ page_size: limit, page_token: token }) {
      const { size, before: [offset = 0] = [] } = pageOf('clusters', { ...(limit !== undefined && { limit }), ...(token !== undefined && { page_token: token }) }, rule);
      const found = await clusters.list({ offset, limit: size + 1 });
      const { entries, more } = cutPage('clusters', found, size, () => [offset + size]);
      return { clusters: entries.map((cluster) => showCluster(cluster, inventory)), ...(more.next_page_token !== undefined && { next_page_token: more.next_page_token }) };
    },
  });
}
