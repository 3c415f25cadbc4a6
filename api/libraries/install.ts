/** POST libraries/install: gives libraries to an all-purpose cluster. */
import { Type } from 'typebox';
import { checkPackage } from '../../engine/cluster/libraries.ts';
import { checkLibraries } from '../../engine/job/check-libraries.ts';
import { defineOperation, type Operation } from '../http/operation.ts';
import type { OperationPorts } from '../http/ports.ts';
import { getAllPurposeCluster, clusterIdField, librariesField } from '../views/library-view.ts';

/** Answers at once; cluster-status tells how far they are. */
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
      'Gives libraries to an all-purpose cluster, for all tasks that start there from now on. They are installed in the background, and again when the cluster is restarted.',
    request: Type.Object({ cluster_id: clusterIdField, libraries: librariesField }),
    response: Type.Object({}),
    async handle({ cluster_id: id, libraries: wanted }) {
      checkLibraries('libraries', wanted);
      wanted.forEach(checkPackage);
      const cluster = await getAllPurposeCluster(ports, id);
      await ports.libraries.add(cluster, wanted, true, ports.clock.now());
      // One that does not run gets them when it does, which may have been this moment.
      const now = await ports.libraryStates.findCluster(id);
      if (now?.isRunning === true) ports.startInstallation(now);
      return {};
    },
  });
}
