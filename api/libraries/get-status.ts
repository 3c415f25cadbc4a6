/** GET libraries/cluster-status. */
import { Type } from 'typebox';
import { defineOperation, type Operation } from '../http/operation.ts';
import type { OperationPorts } from '../http/ports.ts';
import {
  clusterIdField,
  ClusterLibrariesView,
  toClusterLibrariesView,
  clusterNotFound,
} from '../views/library-view.ts';

/**
 * Returns the installation status of the libraries of a cluster, including those of tasks.
 * @throws ServiceError for an unknown cluster
 */
export function getLibraryStatusOperation({
  libraryStates,
}: Pick<OperationPorts, 'libraryStates'>): Operation {
  return defineOperation({
    method: 'GET',
    path: '/libraries/cluster-status',
    versions: ['2.0', '2.1'],
    scope: 'clusters',
    summary: 'Get the libraries of a cluster',
    description:
      'Returns every library of a cluster with its installation status, including libraries that tasks installed.',
    request: Type.Object({ cluster_id: clusterIdField }),
    response: ClusterLibrariesView,
    async handle({ cluster_id: id }) {
      const states = await libraryStates.findStates(id);
      if (states === undefined) throw clusterNotFound(id);
      return toClusterLibrariesView({ clusterId: id, states });
    },
  });
}
