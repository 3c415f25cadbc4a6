/** GET clusters/events. */
import { Type } from 'typebox';
import { defineOperation, type Operation } from '../http/operation.ts';
import type { ClusterAccessPorts } from './cluster-access.ts';
import { clusterEventPageFields, clusterEventsOperation, listClusterEvents } from './cluster-events.ts';

/**
 * Lists the events of a cluster.
 * @throws ServiceError for an unknown cluster; PERMISSION_DENIED without CAN_ATTACH_TO
 */
export function listClusterEventsOperation(ports: ClusterAccessPorts): Operation {
  return defineOperation({
    ...clusterEventsOperation,
    method: 'GET',
    request: Type.Object(clusterEventPageFields),
    handle: (request, context) => listClusterEvents(ports, request, context),
  });
}
