/**
 * A housekeeping thread: delivers the logs of clusters, every 5 minutes (spec 2.8), and what an engine that
 * was killed still owed.
 */
import { workerData } from 'node:worker_threads';
import { systemClock as clock } from '../../engine/clock.ts';
import { messageOf } from '../../engine/errors.ts';
import { listClustersWithPendingLogs, deliverClusterLogs } from '../../storage/files/cluster-logs.ts';
import { openDatabase, type DatabaseAddress } from '../../storage/postgres/database.ts';
import { createRoots } from '../../storage/files/roots.ts';

/** What the thread is told. */
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
    // One that cannot be delivered must not keep the logs of all others.
    for (const clusterId of await listClustersWithPendingLogs(db)) {
      await deliverClusterLogs(db, roots, clusterId, clock.now()).catch((error: unknown) => {
        failures.push(`${clusterId}: ${messageOf(error)}`);
      });
    }
    if (failures.length > 0)
      throw new Error(`The logs of ${failures.length} clusters could not be delivered: ${failures[0]}`);
  } finally {
    await close();
  }
}

// Written by cli/housekeeping/housekeeping.ts.
const jobData: ClusterLogsJobData = workerData.job.worker.workerData;
await deliverPendingLogs(jobData);
