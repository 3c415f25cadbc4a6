/** Writes audit entries in the background, many with one statement: no caller waits for them. */
import type { Kysely } from 'kysely';
import type { Clock } from '../../../engine/clock.ts';
import { messageOf } from '../../../engine/errors.ts';
import type { Log } from '../../../engine/ports/log.ts';
import type { AuditEvent } from '../../../engine/token/audit.ts';
import { insertAuditEvents } from './audit.ts';
import { retryTransient } from '../transient-errors.ts';
import type { Database } from '../schema.ts';

export interface AuditWriter {
  record(event: AuditEvent): void;
  /** Resolves when everything that was recorded before is stored. */
  flush(): Promise<void>;
}

/** Entries of one statement. */
const batchMax = 500;
/** Entries that wait while the database is away. */
const queueMax = 100_000;

/** A database that is away is waited for; what cannot be stored goes to the log of the service instead. */
export function createAuditWriter(db: Kysely<Database>, clock: Clock, log: Log): AuditWriter {
  let waiting: AuditEvent[] = [];
  let writing: Promise<void> | undefined;
  const writeAll = async (): Promise<void> => {
    while (waiting.length > 0) {
      const events = waiting.slice(0, batchMax);
      waiting = waiting.slice(batchMax);
      await retryTransient(clock, log, () => insertAuditEvents(db, events)).catch((error: unknown) => {
        log.error({ error: messageOf(error), events }, 'Entries of the audit log could not be stored.');
      });
    }
    writing = undefined;
  };
  return {
    record(event) {
      if (waiting.length >= queueMax)
        return log.error({ event }, 'The audit log cannot keep up; this entry stands here alone.');
      waiting.push(event);
      writing ??= writeAll();
    },
    flush: async () => writing,
  };
}
