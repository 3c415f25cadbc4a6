/** How engines hear of notices at once: a channel of the database, which everybody listens to on a connection of its own. */
import { sql, type Kysely } from 'kysely';
import { Client } from 'pg';
import type { Clock } from '../engine/clock.ts';
import { messageOf } from '../engine/errors.ts';
import type { Log } from '../engine/ports.ts';
import type { DatabaseAddress } from './database.ts';
import { backOff } from './faults.ts';
import type { Database } from './schema.ts';

const channel = 'runyard_notices';

/** Wakes every engine when the transaction commits. @param way where something is due; without one, the outbox has something */
export async function ringBell(db: Kysely<Database>, way = ''): Promise<void> {
  await sql`select pg_notify(${channel}, ${way})`.execute(db);
}

export interface NoticeBell {
  close(): Promise<void>;
}

/**
 * Listens until it is closed; a connection that breaks is made again. `onRing` hears a way, '' for the outbox, and undefined
 * when anything may have been missed: whenever a connection is new.
 */
export function listenForNotices(address: DatabaseAddress, onRing: (way: string | undefined) => void, clock: Clock, log: Log): NoticeBell {
  let closed = false;
  let client: Client | undefined;
  let failures = 0;
  let cancel = (): void => undefined;
  const connect = async (): Promise<void> => {
    const own = new Client({
      ...(typeof address === 'string' ? { connectionString: address } : address),
      application_name: 'runyard notices', keepAlive: true, connectionTimeoutMillis: 15_000,
    });
    client = own;
    let over = false;
    const again = (reason?: unknown): void => {
      if (over || closed) return;
      over = true;
      if (failures === 0) log.warn({ error: reason === undefined ? 'closed' : messageOf(reason) }, 'The connection that tells of notices was lost; it is made again.');
      void endQuietly(own);
      cancel = clock.at(clock.now() + backOff(failures), () => { void connect(); });
      failures += 1;
    };
    own.on('error', again);
    own.on('end', () => again());
    own.on('notification', ({ payload = '' }) => onRing(payload));
    try {
      await own.connect();
      await own.query(`listen ${channel}`);
      failures = 0;
      if (closed) await own.end();
      else onRing(undefined);
    } catch (error) {
      again(error);
    }
  };
  const connecting = connect();
  return {
    async close() {
      closed = true;
      cancel();
      await connecting;
      if (client !== undefined) await endQuietly(client);
    },
  };
}

async function endQuietly(client: Client): Promise<void> {
  await client.end().catch(() => undefined);
}
