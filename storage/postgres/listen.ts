/** LISTEN and NOTIFY: a listener with a connection of its own, which reconnects when it breaks. */
import { sql, type Kysely } from 'kysely';
import { Client } from 'pg';
import type { Clock } from '../../engine/clock.ts';
import { messageOf } from '../../engine/errors.ts';
import type { Log } from '../../engine/ports/log.ts';
import type { DatabaseAddress } from './database.ts';
import type { Database } from './schema.ts';
import { retryDelayMs } from './transient-errors.ts';

export interface Listener {
  /** Resolves when it listens, or when the first connection has failed. */
  readonly ready: Promise<void>;
  close(): Promise<void>;
}

export interface ListenPorts {
  readonly address: DatabaseAddress;
  readonly clock: Clock;
  readonly log: Log;
}

export interface Subscription {
  readonly channel: string;
  /** Subject of the notifications, for the log: `schedules`. */
  readonly subject: string;
  /**
   * Called with the payload of each notification; with undefined after each connect, when notifications may
   * have been missed.
   */
  readonly onNotify: (payload: string | undefined) => void;
}

/** Notifies the listeners of all engines when the transaction commits. */
export async function notify(db: Kysely<Database>, channel: string, payload: string): Promise<void> {
  await sql`select pg_notify(${channel}, ${payload})`.execute(db);
}

/** Listens on a channel until it is closed. */
export function listen(
  { address, clock, log }: ListenPorts,
  { channel, subject, onNotify }: Subscription,
): Listener {
  let closed = false;
  let client: Client | undefined;
  let failures = 0;
  let cancelReconnect = (): void => undefined;
  const connect = async (): Promise<void> => {
    const connection = createClient(address, subject);
    client = connection;
    let lost = false;
    const reconnect = (reason?: unknown): void => {
      if (lost || closed) return;
      lost = true;
      if (failures === 0) {
        log.warn(
          { error: reason === undefined ? 'closed' : messageOf(reason) },
          `The connection that listens for ${subject} was lost; reconnecting.`,
        );
      }
      void closeQuietly(connection);
      cancelReconnect = clock.runAt(clock.now() + retryDelayMs(failures), () => {
        connecting = connect();
      });
      failures += 1;
    };
    connection.on('error', reconnect);
    connection.on('end', () => reconnect());
    connection.on('notification', ({ payload = '' }) => onNotify(payload));
    try {
      await connection.connect();
      await connection.query(`listen ${channel}`);
      failures = 0;
      if (closed) await connection.end();
      else onNotify(undefined);
    } catch (error) {
      reconnect(error);
    }
  };
  const ready = connect();
  let connecting = ready;
  return {
    ready,
    async close() {
      closed = true;
      cancelReconnect();
      await connecting;
      if (client !== undefined) await closeQuietly(client);
    },
  };
}

function createClient(address: DatabaseAddress, subject: string): Client {
  return new Client({
    ...(typeof address === 'string' ? { connectionString: address } : address),
    application_name: `runyard ${subject}`,
    keepAlive: true,
    connectionTimeoutMillis: 15_000,
  });
}

async function closeQuietly(client: Client): Promise<void> {
  await client.end().catch(() => undefined);
}
