/** How engines hear of notices at once: a channel of the database, which everybody listens to. */
import { sql, type Kysely } from 'kysely';
import { listen, type Listener, type ListenPorts } from '../listen.ts';
import type { Database } from '../schema.ts';

const channel = 'runyard_notices';

/**
 * Wakes every engine when the transaction commits. @param way where something is due; without one, the outbox
 * has something
 */
export async function notifyOutbox(db: Kysely<Database>, way = ''): Promise<void> {
  await sql`select pg_notify(${channel}, ${way})`.execute(db);
}

/**
 * Listens until it is closed. `onRing` hears a way, '' for the outbox, and undefined when anything may have
 * been missed.
 */
export function listenForOutbox(ports: ListenPorts, onRing: (way: string | undefined) => void): Listener {
  return listen(ports, { channel, subject: 'notices', onNotify: onRing });
}
