/** Listener for changes of clusters, pools and policies, made by any engine. */
import { clusterChannel } from './cluster-rows.ts';
import { inventoryPayload } from './inventory-names.ts';
import { listen, type Listener, type ListenPorts } from '../listen.ts';

/**
 * Calls `onChange` with the id of a changed cluster, and `onInventoryChange` after a change of pools or policies;
 * both, without an id, when notifications may have been missed.
 */
export function listenForClusterChanges(
  ports: ListenPorts,
  onChange: (clusterId: string | undefined) => void,
  onInventoryChange: () => void,
): Listener {
  return listen(ports, {
    channel: clusterChannel,
    subject: 'clusters',
    onNotify(payload) {
      if (payload === undefined || payload === inventoryPayload) onInventoryChange();
      if (payload !== inventoryPayload) onChange(payload);
    },
  });
}
