/** Environment variables of a cluster. */
import type { Cluster, NewClusterRow } from './cluster.ts';
import type { ClusterShape } from './inventory.ts';

/** All nodes of a local cluster are on this machine. */
const localAddress = '127.0.0.1';

/** Returns `spark_env_vars` with the predefined variables of the cluster, which cannot be overridden. */
export function clusterVariables(
  { clusterId, kind, name, spec }: Pick<NewClusterRow | Cluster, 'clusterId' | 'kind' | 'name' | 'spec'>,
  shape: Pick<ClusterShape, 'driverNodeTypeId'>,
): Readonly<Record<string, string>> {
  const given = spec['spark_env_vars'];
  return {
    ...(typeof given === 'object' ? given : {}),
    DB_CLUSTER_ID: clusterId,
    DB_CLUSTER_NAME: name,
    DB_CONTAINER_IP: localAddress,
    DB_DRIVER_IP: localAddress,
    DB_IS_DRIVER: 'TRUE',
    DB_INSTANCE_TYPE: shape.driverNodeTypeId,
    DB_IS_JOB_CLUSTER: kind === 'JOB' ? 'TRUE' : 'FALSE',
  };
}
