/**
 * The fixed housekeeping of the service, by bree: each job in a thread of its own with a connection of its
 * own.
 */
import { fileURLToPath } from 'node:url';
import Bree from 'bree';
import { messageOf } from '../../engine/errors.ts';
import type { Log } from '../../engine/ports/log.ts';
import type { ClusterLogsJobData } from './cluster-logs-job.ts';
import type { LibraryJobData } from './library-job.ts';
import type { PeopleJobData } from './people-job.ts';
import type { RetentionJobData } from './retention-job.ts';

export interface Housekeeping {
  /** Ends what is under way; the next start goes on with it. */
  stop(): Promise<void>;
}

const hour = 60 * 60 * 1_000;
/** How often logs of clusters are delivered (spec 2.8). */
const clusterLogsIntervalMs = hour / 12;

/**
 * Starts the jobs. The first round comes ten minutes after the start: until then there is more urgent work.
 */
export async function startHousekeeping(
  order: RetentionJobData & PeopleJobData & ClusterLogsJobData & LibraryJobData,
  log: Log,
  firstAfterMs = hour / 6,
): Promise<Housekeeping> {
  const bree = new Bree({
    root: false,
    doRootCheck: false,
    removeCompleted: false,
    defaultExtension: 'ts',
    acceptedExtensions: ['.ts'],
    logger: {
      info: () => undefined,
      warn: (message: unknown) => log.warn({}, String(message)),
      error: (message: unknown) => log.error({}, String(message)),
    },
    errorHandler: (error: unknown) =>
      log.warn(
        { error: messageOf(error) },
        'A housekeeping job failed; it is tried again with the next round.',
      ),
    jobs: [
      {
        name: 'retention',
        path: fileURLToPath(new URL('./retention-job.ts', import.meta.url)),
        timeout: firstAfterMs,
        interval: hour,
        worker: { workerData: order },
      },
      {
        name: 'libraries',
        path: fileURLToPath(new URL('./library-job.ts', import.meta.url)),
        timeout: firstAfterMs,
        interval: hour,
        worker: { workerData: order },
      },
      {
        name: 'people',
        path: fileURLToPath(new URL('./people-job.ts', import.meta.url)),
        timeout: firstAfterMs,
        interval: hour,
        worker: { workerData: order },
      },
      {
        name: 'cluster-logs',
        path: fileURLToPath(new URL('./cluster-logs-job.ts', import.meta.url)),
        timeout: Math.min(firstAfterMs, clusterLogsIntervalMs),
        interval: clusterLogsIntervalMs,
        worker: { workerData: order },
      },
    ],
  });
  await bree.start();
  return { stop: () => bree.stop() };
}
