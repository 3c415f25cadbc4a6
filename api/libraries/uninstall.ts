/** POST libraries/uninstall. */
import { Type } from 'typebox';
import { checkLibraries } from '../../engine/job/check-libraries.ts';
import { defineOperation, type Operation } from '../http/operation.ts';
import type { OperationPorts } from '../http/ports.ts';
import { getAllPurposeCluster, clusterIdField, librariesField } from '../views/library-view.ts';

/**
 * Removes libraries from an all-purpose cluster. Libraries that the cluster does not have are ignored.
 * @throws ServiceError for invalid libraries, and for a cluster that is unknown or belongs to a run
 */
export function uninstallLibrariesOperation(
  ports: Pick<OperationPorts, 'libraries' | 'libraryStates' | 'clock'>,
): Operation {
  return defineOperation({
    method: 'POST',
    path: '/libraries/uninstall',
    versions: ['2.0', '2.1'],
    scope: 'clusters',
    summary: 'Uninstall libraries from a cluster',
    description:
      'Removes libraries from an all-purpose cluster. Installed libraries stay until the cluster restarts, with status UNINSTALL_ON_RESTART; pending and failed ones are removed immediately.',
    request: Type.Object({ cluster_id: clusterIdField, libraries: librariesField }),
    response: Type.Object({}),
    async handle({ cluster_id: id, libraries }) {
      checkLibraries('libraries', libraries);
      const cluster = await getAllPurposeCluster(ports, id);
      await ports.libraries.remove(cluster.clusterId, libraries, ports.clock.now());
      return {};
    },
  });
}
