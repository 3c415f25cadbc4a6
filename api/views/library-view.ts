/** Libraries of a cluster as the API shows them, and the cluster that an operation on them names. */
import { Type } from 'typebox';
import { libraryStatuses } from '../../engine/cluster/libraries.ts';
import { invalid } from '../../engine/errors.ts';
import { Library } from '../../engine/job/cluster.ts';
import type { LibraryCluster, ClusterLibraryStates } from '../../engine/ports/libraries.ts';
import type { LibraryPorts } from '../http/ports.ts';
import { fixedLimits } from '../../engine/limits.ts';

/** The field by which every operation names its cluster. */
export const clusterIdField = Type.String({ minLength: 1, description: 'Id of the cluster.' });

/** The libraries that an operation is about. */
export const librariesField = Type.Array(Library, {
  minItems: 1,
  maxItems: fixedLimits.librariesPerRequest,
  description: 'The libraries.',
});

const LibraryStatusView = Type.Object(
  {
    library: Library,
    status: Type.Enum([...libraryStatuses], {
      description:
        'PENDING: not begun. RESOLVING: its file is looked for and checked. INSTALLING: the installer runs. SKIPPED: not installed, because another library failed. UNINSTALL_ON_RESTART: installed until the cluster is restarted.',
    }),
    messages: Type.Array(Type.String(), { description: 'Why it failed or was skipped.' }),
    is_library_for_all_clusters: Type.Boolean({
      description: 'Always false: libraries belong to one cluster.',
    }),
  },
  { description: 'A library and how far it is.' },
);

export const ClusterLibrariesView = Type.Object(
  {
    cluster_id: clusterIdField,
    library_statuses: Type.Array(LibraryStatusView, {
      description: 'In the order in which they were named first.',
    }),
  },
  { description: 'The libraries of a cluster.' },
);

/** The answer about a cluster. */
export function toClusterLibrariesView({ clusterId: id, states }: ClusterLibraryStates) {
  return {
    cluster_id: id,
    library_statuses: states.map(({ library, status, messages }) => ({
      library,
      status,
      messages,
      is_library_for_all_clusters: false,
    })),
  };
}

/** The all-purpose cluster whose libraries are to change. @throws ServiceError when there is none */
export async function getAllPurposeCluster(
  { libraryStates }: Pick<LibraryPorts, 'libraryStates'>,
  id: string,
): Promise<LibraryCluster & { readonly isRunning: boolean }> {
  const cluster = await libraryStates.findCluster(id);
  if (cluster === undefined) throw clusterNotFound(id);
  if (!cluster.isAllPurpose)
    throw invalid(`Cluster ${id} was made for a run; name its libraries in the task.`);
  return cluster;
}

export function clusterNotFound(id: string): Error {
  return invalid(`Cluster ${id} does not exist.`);
}
