/** POST libraries/uninstall: takes libraries from an all-purpose cluster. */
import { Type } from 'typebox';
import { checkLibraries } from '../../engine/job/check-libraries.ts';
import { defineOperation, type Operation } from '../http/operation.ts';
import type { OperationPorts } from '../http/ports.ts';
import { getAllPurposeCluster, clusterIdField, librariesField } from '../views/library-view.ts';

/** Libraries that the cluster does not have are passed over. */
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
      'What is installed stays until the cluster is restarted, and is shown as UNINSTALL_ON_RESTART; what failed or waits leaves at once.',
    request: Type.Object({ cluster_id: clusterIdField, libraries: librariesField }),
    response: Type.Object({}),
    async handle({ cluster_id: id, libraries: unwanted }) {
      checkLibraries('libraries', unwanted);
      const cluster = await getAllPurposeCluster(ports, id);
      await ports.libraries.remove(cluster.clusterId, unwanted, ports.clock.now());
      return {};
    },
  });
}
