/** POST clusters/events. */
import { Type } from 'typebox';
import { defineOperation, type Operation } from '../http/operation.ts';
import type { ClusterAccessPorts } from './cluster-access.ts';
import {
  clusterEventPageFields,
  clusterEventsOperation,
  ClusterEventTypes,
  listClusterEvents,
} from './cluster-events.ts';

/**
 * Lists the events of a cluster, optionally of some types only. Clients send this request with POST.
 * @throws ServiceError for an unknown cluster; PERMISSION_DENIED without CAN_ATTACH_TO
 */
export function queryClusterEventsOperation(ports: ClusterAccessPorts): Operation {
  return defineOperation({
    ...clusterEventsOperation,
    method: 'POST',
    request: Type.Object({ ...clusterEventPageFields, event_types: Type.Optional(ClusterEventTypes) }),
    handle: (request, context) => listClusterEvents(ports, request, context),
  });
}
