/** Wires what callers are checked with and remembered by: tokens, people, rules for tokens, the audit log. */
import { readFile } from 'node:fs/promises';
import type { PeoplePorts } from '../../api/http/people-ports.ts';
import type { Clock } from '../../engine/clock.ts';
import { messageOf } from '../../engine/errors.ts';
import type { Log } from '../../engine/ports/log.ts';
import type { AuditEvent } from '../../engine/token/audit.ts';
import { listAuditEvents } from '../../storage/postgres/people/audit.ts';
import { createAuditWriter } from '../../storage/postgres/people/audit-writer.ts';
import type { OpenDatabase } from '../../storage/postgres/database.ts';
import { createPersonStore } from '../../storage/postgres/people/principals.ts';
import { createTokenSettingsStore } from '../../storage/postgres/tokens/token-settings.ts';
import { ConfigError, type Config } from '../config.ts';

/** How long a stop waits for the last entries of the audit log, ms. */
const auditFlushTimeoutMs = 2_000;

export interface People extends PeoplePorts {
  readonly audit: (event: AuditEvent) => void;
  /** Resolves when the audit log is stored, or after two seconds. */
  close(): Promise<void>;
}

export function createPeople({ db }: OpenDatabase, clock: Clock, log: Log): People {
  const writer = createAuditWriter(db, clock, log);
  return {
    people: createPersonStore(db),
    tokenRules: createTokenSettingsStore(db),
    async auditEvents(filter) {
      // Whoever has just done something finds it here.
      await writer.flush();
      return listAuditEvents(db, filter);
    },
    audit: writer.record,
    async close() {
      const late = Promise.withResolvers<void>();
      const cancel = clock.runAt(clock.now() + auditFlushTimeoutMs, late.resolve);
      await Promise.race([writer.flush(), late.promise]);
      cancel();
    },
  };
}

/** Certificate and key, when both are named. @throws ConfigError when only one is, or one cannot be read */
export async function readTls({
  tlsCert,
  tlsKey,
}: Pick<Config, 'tlsCert' | 'tlsKey'>): Promise<{ readonly cert: string; readonly key: string } | undefined> {
  if (tlsCert === undefined && tlsKey === undefined) return undefined;
  if (tlsCert === undefined || tlsKey === undefined)
    throw new ConfigError('RUNYARD_TLS_CERT and RUNYARD_TLS_KEY belong together: set both, or none.');
  return { cert: await readPem('RUNYARD_TLS_CERT', tlsCert), key: await readPem('RUNYARD_TLS_KEY', tlsKey) };
}

/**
 * True when the service listens beyond this machine and nothing says that somebody encrypts what it is sent.
 */
export function isUnencrypted({
  host,
  tlsCert,
  trustedProxies,
}: Pick<Config, 'host' | 'tlsCert' | 'trustedProxies'>): boolean {
  return (
    tlsCert === undefined && trustedProxies.length === 0 && !/^(?:localhost|127(?:\.\d+){3}|::1)$/i.test(host)
  );
}

async function readPem(variable: string, path: string): Promise<string> {
  const text = await readFile(path, 'utf8').catch((error: unknown) => {
    throw new ConfigError(`${variable} names ${path}, which cannot be read: ${messageOf(error)}.`);
  });
  if (!text.includes('-----BEGIN '))
    throw new ConfigError(`${variable} names ${path}, which is no PEM file.`);
  return text;
}
