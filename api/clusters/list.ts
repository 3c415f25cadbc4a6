/** GET clusters/list. */
import { Type } from 'typebox';
import { defineOperation, type Operation } from '../http/operation.ts';
import { buildPage, parsePageRequest } from '../http/paging.ts';
import type { ClusterPorts } from '../http/ports.ts';
import { filterVisibleClusters, type ClusterAccessPorts } from './cluster-access.ts';
import { clusterListFilterFields, toClusterListFilter } from './list-filter.ts';
import { toClusterView, ClusterDocument } from '../views/cluster-view.ts';
import { fixedLimits } from '../../engine/limits.ts';

const pagingRules = { defaultSize: 20, maximumSize: fixedLimits.clustersPerPage, cursorLength: 1 };

/**
 * Lists clusters that match a filter, without run clusters that the caller may not view.
 * @throws ServiceError for an invalid page_token
 */
export function listClustersOperation(
  ports: ClusterAccessPorts & Pick<ClusterPorts, 'inventory'>,
): Operation {
  return defineOperation({
    method: 'GET',
    path: '/clusters/list',
    versions: ['2.1', '2.0'],
    scope: 'clusters',
    summary: 'List clusters',
    description:
      'Lists all-purpose clusters and the clusters of retained runs. A page omits clusters of runs that the caller may not view.',
    request: Type.Object({
      ...clusterListFilterFields,
      page_size: Type.Optional(
        Type.Integer({
          minimum: 0,
          maximum: pagingRules.maximumSize,
          description: 'Clusters per page. Default: 20; 0 means the maximum, 100.',
        }),
      ),
      page_token: Type.Optional(Type.String({ description: 'The next_page_token of the previous page.' })),
    }),
    response: Type.Object({
      clusters: Type.Array(ClusterDocument, { description: 'The clusters.' }),
      next_page_token: Type.Optional(
        Type.String({ description: 'The page_token of the next page; absent on the last page.' }),
      ),
    }),
    async handle({ page_size: limit, page_token: token, ...filter }, context) {
      const { size, cursor: [offset = 0] = [] } = parsePageRequest(
        'clusters',
        { ...(limit !== undefined && { limit }), ...(token !== undefined && { page_token: token }) },
        pagingRules,
      );
      const found = await ports.clusters.list(toClusterListFilter(filter), { offset, limit: size + 1 });
      const { entries, more } = buildPage('clusters', found, size, () => [offset + size]);
      const visible = await filterVisibleClusters(ports, entries, context);
      return {
        clusters: visible.map((cluster) => toClusterView(cluster, ports.inventory)),
        ...(more.next_page_token !== undefined && { next_page_token: more.next_page_token }),
      };
    },
  });
}
