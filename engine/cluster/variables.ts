/** The environment variables of a cluster: what its description gives, and where on which cluster one is. */
import type { Cluster, NewClusterRow } from './cluster.ts';
import type { ClusterShape } from './inventory.ts';

/** Every node of a simulated cluster is this machine. */
const localAddress = '127.0.0.1';

/** `spark_env_vars` as given, with the documented variables of the cluster; those cannot be overridden. */
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
