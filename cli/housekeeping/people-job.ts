/** Housekeeping job: revokes unused tokens, purges deleted principals, and removes old audit events. */
import { workerData } from 'node:worker_threads';
import { systemClock as clock } from '../../engine/clock.ts';
import { removeOldAuditEvents } from '../../storage/postgres/people/audit.ts';
import {
  advanceAutoscoping,
  startObservingTokens,
  revokeUnusedTokens,
} from '../../storage/postgres/tokens/autoscope.ts';
import { openDatabase, type DatabaseAddress } from '../../storage/postgres/database.ts';
import { purgeDeletedPrincipals } from '../../storage/postgres/people/principals.ts';

/** Data of the worker thread. */
export interface PeopleJobData {
  readonly address: DatabaseAddress;
  readonly auditRetentionMs: number;
}

const silentLog = { info: () => undefined, warn: () => undefined, error: () => undefined };

async function maintainPeople({ address, auditRetentionMs }: PeopleJobData): Promise<void> {
  const { db, close } = openDatabase(address, silentLog, { maxConnections: 1 });
  try {
    const now = clock.now();
    await revokeUnusedTokens(db, now);
    await startObservingTokens(db, now);
    await advanceAutoscoping(db, now);
    await purgeDeletedPrincipals(db);
    await removeOldAuditEvents(db, now - auditRetentionMs);
  } finally {
    await close();
  }
}

// Written by cli/housekeeping/housekeeping.ts.
const jobData: PeopleJobData = workerData.job.worker.workerData;
await maintainPeople(jobData);
