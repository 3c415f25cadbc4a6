/** A housekeeping thread: removes runs older than the retention (spec 8), with their files, in batches that never block. */
import { workerData } from 'node:worker_threads';
import { systemClock as clock } from '../engine/clock.ts';
import { messageOf } from '../engine/errors.ts';
import { createAttemptFiles } from '../storage/attempt-files.ts';
import { openDatabase, type DatabaseAddress } from '../storage/database.ts';
import { expiredRuns } from '../storage/retention.ts';
import { createRoots } from '../storage/roots.ts';
import { deleteRun } from '../storage/run-removal.ts';

/** What the thread is told. */
export interface RetentionOrder {
  readonly address: DatabaseAddress;
  readonly dataDirectory: string;
  readonly retentionMs: number;
}

const batch = 100;
const silent = { info: () => undefined, warn: () => undefined, error: () => undefined };

async function removeExpired({ address, dataDirectory, retentionMs }: RetentionOrder): Promise<void> {
  const { db, close } = openDatabase(address, silent, { connections: 1 });
  const files = createAttemptFiles(createRoots({ dataDirectory, allowedRoots: [] }));
  const failures: string[] = [];
  // The row is gone by then: a file that stays must not keep the files of all others.
  const remains = (error: unknown): void => { failures.push(messageOf(error)); };
  try {
    for (;;) {
      const expired = await expiredRuns(db, clock.now() - retentionMs, batch);
      for (const runId of expired) {
        const removed = await deleteRun(db, runId, clock.now());
        if (typeof removed === 'string') continue;
        for (const attempt of removed.attempts) await files.removeAttempt(attempt).catch(remains);
        for (const cluster of removed.clusters) await files.removeCluster(cluster).catch(remains);
      }
      if (expired.length < batch) break;
    }
    if (failures.length > 0) throw new Error(`Files of ${failures.length} expired attempts or clusters stay: ${failures[0]}`);
  } finally {
    await close();
  }
}

// Written by cli/housekeeping.ts.
const order: RetentionOrder = workerData.job.worker.workerData;
await removeExpired(order);
