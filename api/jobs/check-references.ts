/** Check that destinations, pools, policies and clusters named in settings exist. */
import { checkClusterReferences } from '../clusters/cluster-references.ts';
import { checkDestinationReferences } from '../destinations/destination-references.ts';
import type { RequestContext } from '../http/operation.ts';
import type { OperationPorts } from '../http/ports.ts';

export type ReferencePorts = Pick<OperationPorts, 'destinations' | 'clusterRules'>;

/** @throws ServiceError INVALID_PARAMETER_VALUE for the first reference to an object that does not exist; PERMISSION_DENIED */
export async function checkReferences(
  { destinations, clusterRules }: ReferencePorts,
  settings: Parameters<typeof checkDestinationReferences>[2] & Parameters<typeof checkClusterReferences>[1],
  context: Pick<RequestContext, 'visibleTo'>,
): Promise<void> {
  await checkDestinationReferences(destinations, '', settings);
  await checkClusterReferences(clusterRules, settings, context);
}
