/** POST libraries/install. */
import { Type } from 'typebox';
import { checkPackage } from '../../engine/cluster/libraries.ts';
import { checkLibraries } from '../../engine/job/check-libraries.ts';
import { defineOperation, type Operation } from '../http/operation.ts';
import type { OperationPorts } from '../http/ports.ts';
import { getAllPurposeCluster, clusterIdField, librariesField } from '../views/library-view.ts';

/**
 * Adds libraries to an all-purpose cluster and installs them in the background.
 * @throws ServiceError for invalid libraries, and for a cluster that is unknown or belongs to a run
 */
export function installLibrariesOperation(
  ports: Pick<OperationPorts, 'libraries' | 'libraryStates' | 'startInstallation' | 'clock'>,
): Operation {
  return defineOperation({
    method: 'POST',
    path: '/libraries/install',
    versions: ['2.0', '2.1'],
    scope: 'clusters',
    summary: 'Install libraries on a cluster',
    description:
      'Adds libraries to an all-purpose cluster, for all tasks that start there later. The libraries are installed in the background, and again when the cluster restarts.',
    request: Type.Object({ cluster_id: clusterIdField, libraries: librariesField }),
    response: Type.Object({}),
    async handle({ cluster_id: id, libraries }) {
      checkLibraries('libraries', libraries);
      libraries.forEach(checkPackage);
      const cluster = await getAllPurposeCluster(ports, id);
      await ports.libraries.add(cluster, libraries, true, ports.clock.now());
      // A stopped cluster installs them when it starts; it may have started since the check above.
      const current = await ports.libraryStates.findCluster(id);
      if (current?.isRunning === true) ports.startInstallation(current);
      return {};
    },
  });
}
