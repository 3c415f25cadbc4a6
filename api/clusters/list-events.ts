/** GET clusters/events. */
import { Type } from 'typebox';
import { defineOperation, type Operation } from '../http/operation.ts';
import type { ClusterPorts } from '../http/ports.ts';
import { clusterEventPageFields, clusterEventsOperation, listClusterEvents } from './cluster-events.ts';

/**
 * Lists the events of a cluster.
 * @throws ServiceError for an unknown cluster, and for a run cluster that the caller may not view
 */
export function listClusterEventsOperation(ports: Pick<ClusterPorts, 'clusters' | 'permissions'>): Operation {
  return defineOperation({
    ...clusterEventsOperation,
    method: 'GET',
    request: Type.Object(clusterEventPageFields),
    handle: (request, context) => listClusterEvents(ports, request, context),
  });
}
