/** Wires users and service principals, token rules and the audit log. */
import type { PeoplePorts } from '../../api/http/people-ports.ts';
import type { Clock } from '../../engine/clock.ts';
import type { Log } from '../../engine/ports/log.ts';
import type { AuditEvent } from '../../engine/token/audit.ts';
import { listAuditEvents } from '../../storage/postgres/people/audit.ts';
import { createAuditWriter } from '../../storage/postgres/people/audit-writer.ts';
import type { OpenDatabase } from '../../storage/postgres/database.ts';
import { createPersonStore } from '../../storage/postgres/people/principals.ts';
import { createTokenSettingsStore } from '../../storage/postgres/tokens/token-settings.ts';

/** Maximum wait for the audit log at shutdown, ms. */
const auditFlushTimeoutMs = 2_000;

export interface People extends PeoplePorts {
  readonly audit: (event: AuditEvent) => void;
  /** Resolves when the audit log is stored, or after the timeout. */
  close(): Promise<void>;
}

export function createPeople({ db }: OpenDatabase, clock: Clock, log: Log): People {
  const writer = createAuditWriter(db, clock, log);
  return {
    people: createPersonStore(db),
    tokenRules: createTokenSettingsStore(db),
    async auditEvents(filter) {
      // The list includes actions that were audited just before this call.
      await writer.flush();
      return listAuditEvents(db, filter);
    },
    audit: writer.record,
    async close() {
      const timeout = Promise.withResolvers<void>();
      const cancel = clock.runAt(clock.now() + auditFlushTimeoutMs, timeout.resolve);
      await Promise.race([writer.flush(), timeout.promise]);
      cancel();
    },
  };
}
