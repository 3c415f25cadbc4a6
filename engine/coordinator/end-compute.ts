/** End of the compute of clusters: their drivers end with them. */
import type { ClusterStore, ComputePorts } from '../ports/clusters.ts';

/** Ends what the programs of a terminated cluster computed on. */
export async function endCompute(
  { computeProviders }: Pick<ComputePorts, 'computeProviders'>,
  clusterId: string,
): Promise<void> {
  for (const provider of Object.values(computeProviders)) await provider.endCluster(clusterId);
}

/** Ends the compute of clusters that another engine, or an injected fault, has terminated. */
export async function endComputeOfTerminated({
  compute,
  clusters,
}: {
  readonly compute: Pick<ComputePorts, 'computeProviders'>;
  readonly clusters: Pick<ClusterStore, 'find'>;
}): Promise<void> {
  for (const provider of Object.values(compute.computeProviders)) {
    for (const clusterId of await provider.listClusters()) {
      const cluster = await clusters.find(clusterId);
      if (cluster === undefined || cluster.state === 'TERMINATED') await provider.endCluster(clusterId);
    }
  }
}
