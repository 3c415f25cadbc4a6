/**
 * Hearing what transactions tell each other (NOTIFY), also those of other engines, on a connection of its own
 * that is made again when it breaks.
 */
import { Client } from 'pg';
import type { Clock } from '../../engine/clock.ts';
import { messageOf } from '../../engine/errors.ts';
import type { Log } from '../../engine/ports/log.ts';
import type { DatabaseAddress } from './database.ts';
import { retryDelayMs } from './transient-errors.ts';

export interface Listener {
  /** Resolves when it hears, or knows that the database is away. */
  readonly ready: Promise<void>;
  close(): Promise<void>;
}

export interface ListenPorts {
  readonly address: DatabaseAddress;
  readonly clock: Clock;
  readonly log: Log;
}

/** What is listened to. */
export interface Subscription {
  readonly channel: string;
  /** What it tells of, for the log: `notices`. */
  readonly subject: string;
  /**
   * Called with what was told; with undefined when anything may have been missed: whenever a connection is
   * new.
   */
  readonly onNotify: (payload: string | undefined) => void;
}

/** Listens until it is closed; a connection that breaks is made again. */
export function listen(
  { address, clock, log }: ListenPorts,
  { channel, subject, onNotify }: Subscription,
): Listener {
  let closed = false;
  let client: Client | undefined;
  let failures = 0;
  let cancel = (): void => undefined;
  const connect = async (): Promise<void> => {
    const own = new Client({
      ...(typeof address === 'string' ? { connectionString: address } : address),
      application_name: `runyard ${subject}`,
      keepAlive: true,
      connectionTimeoutMillis: 15_000,
    });
    client = own;
    let over = false;
    const again = (reason?: unknown): void => {
      if (over || closed) return;
      over = true;
      if (failures === 0) {
        log.warn(
          { error: reason === undefined ? 'closed' : messageOf(reason) },
          `The connection that tells of ${subject} was lost; it is made again.`,
        );
      }
      void closeQuietly(own);
      cancel = clock.runAt(clock.now() + retryDelayMs(failures), () => {
        connecting = connect();
      });
      failures += 1;
    };
    own.on('error', again);
    own.on('end', () => again());
    own.on('notification', ({ payload = '' }) => onNotify(payload));
    try {
      await own.connect();
      await own.query(`listen ${channel}`);
      failures = 0;
      if (closed) await own.end();
      else onNotify(undefined);
    } catch (error) {
      again(error);
    }
  };
  const ready = connect();
  let connecting = ready;
  return {
    ready,
    async close() {
      closed = true;
      cancel();
      await connecting;
      if (client !== undefined) await closeQuietly(client);
    },
  };
}

async function closeQuietly(client: Client): Promise<void> {
  await client.end().catch(() => undefined);
}
