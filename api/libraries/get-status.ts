/** GET libraries/cluster-status: how far the libraries of a cluster are. */
import { Type } from 'typebox';
import { defineOperation, type Operation } from '../http/operation.ts';
import type { OperationPorts } from '../http/ports.ts';
import {
  clusterIdField,
  ClusterLibrariesView,
  toClusterLibrariesView,
  clusterNotFound,
} from '../views/library-view.ts';

/** Those that tasks brought there are shown, too. */
export function getLibraryStatusOperation({
  libraryStates,
}: Pick<OperationPorts, 'libraryStates'>): Operation {
  return defineOperation({
    method: 'GET',
    path: '/libraries/cluster-status',
    versions: ['2.0', '2.1'],
    scope: 'clusters',
    summary: 'Get the libraries of a cluster',
    description: 'Every library of a cluster, those that tasks brought there among them, and how far it is.',
    request: Type.Object({ cluster_id: clusterIdField }),
    response: ClusterLibrariesView,
    async handle({ cluster_id: id }) {
      const states = await libraryStates.findStates(id);
      if (states === undefined) throw clusterNotFound(id);
      return toClusterLibrariesView({ clusterId: id, states });
    },
  });
}
