/** Housekeeping job: removes expired runs (spec 8) and deliveries with their files, in small batches. */
import { rm } from 'node:fs/promises';
import { workerData } from 'node:worker_threads';
import { systemClock as clock } from '../../engine/clock.ts';
import { messageOf } from '../../engine/errors.ts';
import { createAttemptFiles } from '../../storage/files/attempt-files.ts';
import { openDatabase, type DatabaseAddress, type OpenDatabase } from '../../storage/postgres/database.ts';
import {
  removeOldDeliveries,
  removeOldOutboxEvents,
} from '../../storage/postgres/deliveries/delivery-log.ts';
import {
  listExpiredRuns,
  removeOldClusterEvents,
  removeOldClusters,
  removeUnusedSettings,
} from '../../storage/postgres/runs/retention.ts';
import { createRoots } from '../../storage/files/roots.ts';
import { deleteRun } from '../../storage/postgres/runs/run-removal.ts';
import { mailPath } from '../wiring/mail-directory.ts';

/** Data of the worker thread. */
export interface RetentionJobData {
  readonly address: DatabaseAddress;
  readonly dataDirectory: string;
  readonly retentionMs: number;
  /** Retention of deliveries, and of mails that are stored as files. */
  readonly deliveryRetentionMs: number;
}

const batchSize = 100;
const silentLog = { info: () => undefined, warn: () => undefined, error: () => undefined };

async function removeExpired({
  address,
  dataDirectory,
  retentionMs,
  deliveryRetentionMs,
}: RetentionJobData): Promise<void> {
  const { db, close } = openDatabase(address, silentLog, { maxConnections: 1 });
  const files = createAttemptFiles(createRoots({ dataDirectory, allowedRoots: [] }));
  const failures: string[] = [];
  // The row is already deleted: an undeletable file must not block the other removals.
  const recordFailure = (error: unknown): void => {
    failures.push(messageOf(error));
  };
  try {
    for (;;) {
      const expired = await listExpiredRuns(db, clock.now() - retentionMs, batchSize);
      for (const runId of expired) {
        const removed = await deleteRun(db, runId, clock.now());
        if (typeof removed === 'string') continue;
        for (const attempt of removed.taskRunIds) await files.removeAttempt(attempt).catch(recordFailure);
        for (const cluster of removed.clusterIds) await files.removeCluster(cluster).catch(recordFailure);
      }
      if (expired.length < batchSize) break;
    }
    while ((await removeUnusedSettings(db, batchSize)) === batchSize);
    await removeOldClusterHistory(db, clock.now() - retentionMs, (clusterId) =>
      files.removeCluster(clusterId).catch(recordFailure),
    );
    for (;;) {
      const removed = await removeOldDeliveries(db, clock.now() - deliveryRetentionMs, 10 * batchSize);
      for (const deliveryId of removed)
        await rm(mailPath(dataDirectory, deliveryId), { force: true }).catch(recordFailure);
      if (removed.length < 10 * batchSize) break;
    }
    while (
      (await removeOldOutboxEvents(db, clock.now() - deliveryRetentionMs, 10 * batchSize)) ===
      10 * batchSize
    );
    if (failures.length > 0)
      throw new Error(
        `Removal of ${failures.length} expired file(s) of attempts, clusters or mails failed: ${failures[0]}`,
      );
  } finally {
    await close();
  }
}

/** Removes expired all-purpose clusters, and expired events of the others. */
async function removeOldClusterHistory(
  db: OpenDatabase['db'],
  before: number,
  remove: (clusterId: string) => Promise<void>,
): Promise<void> {
  for (
    let removed = await removeOldClusters(db, before, batchSize);
    removed.length > 0;
    removed = await removeOldClusters(db, before, batchSize)
  ) {
    for (const clusterId of removed) await remove(clusterId);
  }
  while ((await removeOldClusterEvents(db, before, 10 * batchSize)) > 0);
}

// Written by cli/housekeeping/housekeeping.ts.
const jobData: RetentionJobData = workerData.job.worker.workerData;
await removeExpired(jobData);
