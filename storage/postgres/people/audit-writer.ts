/** Writes audit entries in the background, in batches; callers do not wait for them. */
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
  /** Resolves when all entries recorded before are stored. */
  flush(): Promise<void>;
}

/** Entries in one statement. */
const batchMax = 500;
/** Maximum entries that wait while the database is unavailable. */
const queueMax = 100_000;

/**
 * Creates the writer. It retries while the database is unavailable; entries that cannot be stored go to the
 * log of the service.
 */
export function createAuditWriter(db: Kysely<Database>, clock: Clock, log: Log): AuditWriter {
  let waiting: AuditEvent[] = [];
  let writing: Promise<void> | undefined;
  const writeAll = async (): Promise<void> => {
    while (waiting.length > 0) {
      const events = waiting.slice(0, batchMax);
      waiting = waiting.slice(batchMax);
      await retryTransient(clock, log, () => insertAuditEvents(db, events)).catch((error: unknown) => {
        log.error(
          { error: messageOf(error), events },
          'Audit entries could not be stored; they are kept only in this log.',
        );
      });
    }
    writing = undefined;
  };
  return {
    record(event) {
      if (waiting.length >= queueMax)
        return log.error(
          { event },
          'The queue of audit entries is full; this entry is kept only in this log.',
        );
      waiting.push(event);
      writing ??= writeAll();
    },
    flush: async () => writing,
  };
}
