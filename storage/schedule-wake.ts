/** Hears on a connection of its own which schedules other transactions have changed, also those of other engines. */
import { Client } from 'pg';
import type { Clock } from '../engine/clock.ts';
import { messageOf } from '../engine/errors.ts';
import type { Log } from '../engine/ports.ts';
import type { DatabaseAddress } from './database.ts';
import { pause } from './pause.ts';
import { scheduleChannel } from './schedule-changes.ts';

export interface ScheduleWake {
  close(): Promise<void>;
}

/** Until a lost connection is made anew, in milliseconds. */
const reconnectMs = 1_000;

/**
 * Calls `changed` with the time of a fire (epoch ms) that was stored, whoever stored it, and with `now` when changes may have
 * gone unheard. Resolves when it listens, or knows that the database is away; from then on it reconnects by itself.
 */
export async function listenForSchedules(address: DatabaseAddress, clock: Clock, log: Log, changed: (at: number) => void): Promise<ScheduleWake> {
  const closing = new AbortController();
  let client: Client | undefined;
  const connect = async (): Promise<Client> => {
    const made = new Client(typeof address === 'string' ? { connectionString: address } : { ...address });
    made.on('notification', ({ payload }) => changed(Number(payload)));
    made.on('error', () => undefined);
    await made.connect();
    await made.query(`listen ${scheduleChannel}`);
    made.once('end', () => { lost(new Error('The connection ended.')); });
    return made;
  };
  const keep = async (): Promise<void> => {
    try {
      client = await connect();
      changed(clock.now());
      if (closing.signal.aborted) await client.end();
    } catch (error) {
      lost(error);
    }
  };
  let keeping = Promise.resolve();
  const lost = (error: unknown): void => {
    client = undefined;
    if (closing.signal.aborted) return;
    log.warn({ error: messageOf(error) }, 'Changes of schedules are not heard at the moment; connecting again.');
    keeping = keepLater();
  };
  const keepLater = async (): Promise<void> => {
    await pause(clock, reconnectMs, closing.signal);
    if (!closing.signal.aborted) await keep();
  };
  await keep();
  return {
    async close() {
      closing.abort();
      await keeping;
      const last = client;
      client = undefined;
      await last?.end();
    },
  };
}
