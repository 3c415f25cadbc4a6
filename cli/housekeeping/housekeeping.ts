/** Periodic housekeeping of the service: bree runs each job in a worker thread with its own connection. */
import { fileURLToPath } from 'node:url';
import Bree from 'bree';
import { messageOf } from '../../engine/errors.ts';
import type { Log } from '../../engine/ports/log.ts';
import type { ClusterLogsJobData } from './cluster-logs-job.ts';
import type { LibraryJobData } from './library-job.ts';
import type { PeopleJobData } from './people-job.ts';
import type { RetentionJobData } from './retention-job.ts';

export interface Housekeeping {
  /** Stops the running jobs; the next round continues their work. */
  stop(): Promise<void>;
}

const hour = 60 * 60 * 1_000;
/** Interval of cluster log delivery (spec 2.8). */
const clusterLogsIntervalMs = hour / 12;

/** Starts the jobs. The first round begins ten minutes later, after the more urgent work of a start. */
export async function startHousekeeping(
  jobData: RetentionJobData & PeopleJobData & ClusterLogsJobData & LibraryJobData,
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
      log.warn({ error: messageOf(error) }, 'A housekeeping job failed; the next round retries it.'),
    jobs: [
      {
        name: 'retention',
        path: fileURLToPath(new URL('./retention-job.ts', import.meta.url)),
        timeout: firstAfterMs,
        interval: hour,
        worker: { workerData: jobData },
      },
      {
        name: 'libraries',
        path: fileURLToPath(new URL('./library-job.ts', import.meta.url)),
        timeout: firstAfterMs,
        interval: hour,
        worker: { workerData: jobData },
      },
      {
        name: 'people',
        path: fileURLToPath(new URL('./people-job.ts', import.meta.url)),
        timeout: firstAfterMs,
        interval: hour,
        worker: { workerData: jobData },
      },
      {
        name: 'cluster-logs',
        path: fileURLToPath(new URL('./cluster-logs-job.ts', import.meta.url)),
        timeout: Math.min(firstAfterMs, clusterLogsIntervalMs),
        interval: clusterLogsIntervalMs,
        worker: { workerData: jobData },
      },
    ],
  });
  await bree.start();
  return { stop: () => bree.stop() };
}
