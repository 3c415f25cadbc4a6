/** Hears what has happened to clusters, also on other engines. */
import { clusterChannel } from './cluster-rows.ts';
import { listen, type Listener, type ListenPorts } from '../listen.ts';

/**
 * Calls `changed` with the id of a cluster to which something happened; with undefined when anything may have
 * gone unheard.
 */
export function listenForClusterChanges(
  ports: ListenPorts,
  changed: (clusterId: string | undefined) => void,
): Listener {
  return listen(ports, { channel: clusterChannel, subject: 'clusters', onNotify: changed });
}
