/** Housekeeping job: delivers cluster logs (spec 2.8), also those that a killed engine did not deliver. */
import { workerData } from 'node:worker_threads';
import { systemClock as clock } from '../../engine/clock.ts';
import { messageOf } from '../../engine/errors.ts';
import { listClustersWithPendingLogs, deliverClusterLogs } from '../../storage/files/cluster-logs.ts';
import { openDatabase, type DatabaseAddress } from '../../storage/postgres/database.ts';
import { createRoots } from '../../storage/files/roots.ts';

/** Data of the worker thread. */
export interface ClusterLogsJobData {
  readonly address: DatabaseAddress;
  readonly dataDirectory: string;
}

const silentLog = { info: () => undefined, warn: () => undefined, error: () => undefined };

async function deliverPendingLogs({ address, dataDirectory }: ClusterLogsJobData): Promise<void> {
  const { db, close } = openDatabase(address, silentLog, { maxConnections: 2 });
  const roots = createRoots({ dataDirectory, allowedRoots: [] });
  const failures: string[] = [];
  try {
    // A failed delivery must not block the other clusters.
    for (const clusterId of await listClustersWithPendingLogs(db)) {
      await deliverClusterLogs(db, roots, clusterId, clock.now()).catch((error: unknown) => {
        failures.push(`${clusterId}: ${messageOf(error)}`);
      });
    }
    if (failures.length > 0)
      throw new Error(`Delivery of the logs of ${failures.length} cluster(s) failed: ${failures[0]}`);
  } finally {
    await close();
  }
}

// Written by cli/housekeeping/housekeeping.ts.
const jobData: ClusterLogsJobData = workerData.job.worker.workerData;
await deliverPendingLogs(jobData);
