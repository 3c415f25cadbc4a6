/** Listener for changes of clusters, made by any engine. */
import { clusterChannel } from './cluster-rows.ts';
import { listen, type Listener, type ListenPorts } from '../listen.ts';

/**
 * Calls `onChange` with the id of a changed cluster; with undefined when notifications may have been missed.
 */
export function listenForClusterChanges(
  ports: ListenPorts,
  onChange: (clusterId: string | undefined) => void,
): Listener {
  return listen(ports, { channel: clusterChannel, subject: 'clusters', onNotify: onChange });
}
