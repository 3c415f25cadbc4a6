/** Libraries of a cluster in responses, and the lookup of their cluster. */
import { Type } from 'typebox';
import { libraryStatuses } from '../../engine/cluster/libraries.ts';
import { invalid } from '../../engine/errors.ts';
import { Library } from '../../engine/job/cluster.ts';
import type { LibraryCluster, ClusterLibraryStates } from '../../engine/ports/libraries.ts';
import type { LibraryPorts } from '../http/ports.ts';
import { fixedLimits } from '../../engine/limits.ts';

/** Cluster field of all library operations. */
export const clusterIdField = Type.String({ minLength: 1, description: 'Id of the cluster.' });

/** Libraries field of install and uninstall. */
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
        'PENDING: not started. RESOLVING: the file is located and checked. INSTALLING: the installer runs. SKIPPED: not installed because another library failed. UNINSTALL_ON_RESTART: installed until the cluster restarts.',
    }),
    messages: Type.Array(Type.String(), { description: 'Reasons of a failed or skipped installation.' }),
    is_library_for_all_clusters: Type.Boolean({
      description: 'Always false: libraries belong to one cluster.',
    }),
  },
  { description: 'Installation status of a library.' },
);

export const ClusterLibrariesView = Type.Object(
  {
    cluster_id: clusterIdField,
    library_statuses: Type.Array(LibraryStatusView, {
      description: 'Libraries in the order of their first installation request.',
    }),
  },
  { description: 'Libraries of a cluster.' },
);

/** Returns the library statuses of a cluster. */
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

/**
 * Returns the all-purpose cluster of a library operation.
 * @throws ServiceError for an unknown cluster and for a cluster of a run
 */
export async function getAllPurposeCluster(
  { libraryStates }: Pick<LibraryPorts, 'libraryStates'>,
  id: string,
): Promise<LibraryCluster & { readonly isRunning: boolean }> {
  const cluster = await libraryStates.findCluster(id);
  if (cluster === undefined) throw clusterNotFound(id);
  if (!cluster.isAllPurpose)
    throw invalid(`Cluster ${id} belongs to a run; set the libraries in the settings of its task.`);
  return cluster;
}

export function clusterNotFound(id: string): Error {
  return invalid(`Cluster ${id} does not exist.`);
}
