/** GET libraries/all-cluster-statuses. */
import { Type } from 'typebox';
import { defineOperation, type Operation } from '../http/operation.ts';
import type { OperationPorts } from '../http/ports.ts';
import { ClusterLibrariesView, toClusterLibrariesView } from '../views/library-view.ts';

/** Returns the library statuses of all clusters that are not terminated and have libraries. */
export function listLibraryStatusesOperation({
  libraryStates,
}: Pick<OperationPorts, 'libraryStates'>): Operation {
  return defineOperation({
    method: 'GET',
    path: '/libraries/all-cluster-statuses',
    versions: ['2.0', '2.1'],
    scope: 'clusters',
    summary: 'Get the libraries of all clusters',
    description: 'Returns the library statuses of every cluster that is not terminated and has libraries.',
    request: Type.Object({}),
    response: Type.Object({
      statuses: Type.Array(ClusterLibrariesView, { description: 'One entry per cluster.' }),
    }),
    async handle() {
      return { statuses: (await libraryStates.listStates()).map(toClusterLibrariesView) };
    },
  });
}
