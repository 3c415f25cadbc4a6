/** NOTIFY channel that wakes the outbox dispatchers of all engines. */
import type { Kysely } from 'kysely';
import { listen, notify, type Listener, type ListenPorts } from '../listen.ts';
import type { Database } from '../schema.ts';

const channel = 'runyard_outbox';

/**
 * Wakes all dispatchers when the transaction commits.
 * @param queueKey the delivery queue with due deliveries; '' when the outbox has new events
 */
export async function notifyOutbox(db: Kysely<Database>, queueKey = ''): Promise<void> {
  await notify(db, channel, queueKey);
}

/**
 * Listens until it is closed. Calls `onNotify` with a queue key, with '' for new outbox events, and with
 * undefined when notifications may have been missed.
 */
export function listenForOutbox(
  ports: ListenPorts,
  onNotify: (queueKey: string | undefined) => void,
): Listener {
  return listen(ports, { channel, subject: 'the outbox', onNotify });
}
