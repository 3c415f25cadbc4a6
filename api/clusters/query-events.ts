/** POST clusters/events. */
import { Type } from 'typebox';
import { defineOperation, type Operation } from '../http/operation.ts';
import type { ClusterPorts } from '../http/ports.ts';
import {
  clusterEventPageFields,
  clusterEventsOperation,
  ClusterEventTypes,
  listClusterEvents,
} from './cluster-events.ts';

/**
 * Lists the events of a cluster, optionally of some types only. Clients send this request with POST.
 * @throws ServiceError for an unknown cluster, and for a run cluster that the caller may not view
 */
export function queryClusterEventsOperation(
  ports: Pick<ClusterPorts, 'clusters' | 'permissions'>,
): Operation {
  return defineOperation({
    ...clusterEventsOperation,
    method: 'POST',
    request: Type.Object({ ...clusterEventPageFields, event_types: Type.Optional(ClusterEventTypes) }),
    handle: (request, context) => listClusterEvents(ports, request, context),
  });
}
