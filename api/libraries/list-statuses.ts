/** GET libraries/all-cluster-statuses: the libraries of every cluster. */
import { Type } from 'typebox';
import { defineOperation, type Operation } from '../http/operation.ts';
import type { OperationPorts } from '../http/ports.ts';
import { ClusterLibrariesView, toClusterLibrariesView } from '../views/library-view.ts';

/** Clusters that are terminated, and those without libraries, are left out. */
export function listLibraryStatusesOperation({
  libraryStates,
}: Pick<OperationPorts, 'libraryStates'>): Operation {
  return defineOperation({
    method: 'GET',
    path: '/libraries/all-cluster-statuses',
    versions: ['2.0', '2.1'],
    scope: 'clusters',
    summary: 'Get the libraries of all clusters',
    description: 'The libraries of every cluster that is not terminated and has some.',
    request: Type.Object({}),
    response: Type.Object({
      statuses: Type.Array(ClusterLibrariesView, { description: 'One entry a cluster.' }),
    }),
    async handle() {
      return { statuses: (await libraryStates.listStates()).map(toClusterLibrariesView) };
    },
  });
}
