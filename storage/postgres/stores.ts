/**
 * The stores that the engine and the API use, assembled from the functions of the folders beside this file.
 */
import type { Kysely } from 'kysely';
import type { Clock } from '../../engine/clock.ts';
import type { JobStore } from '../../engine/ports/jobs.ts';
import type { Log } from '../../engine/ports/log.ts';
import type { NodeReader, NodeStore } from '../../engine/ports/nodes.ts';
import type { RunReader } from '../../engine/ports/run-reader.ts';
import type { RunRemover } from '../../engine/ports/runs.ts';
import type { OutageOptions, RunStore } from '../../engine/ports/runs.ts';
import { bindDatabase } from './bind-database.ts';
import { retryTransient } from './transient-errors.ts';
import { findRunLaunchedBy, runLaunchTransaction, reserveRunIds } from './runs/launch-transaction.ts';
import {
  adoptRuns,
  databaseTime,
  expireNodes,
  registerNode,
  unregisterNode,
  listNodes,
  listNodesOnHost,
  resumeOwnedRuns,
} from './nodes/leases.ts';
import { changeJob } from './jobs/job-changes.ts';
import { createJob, deleteJob, findJob, listJobs } from './jobs/jobs.ts';
import { listRunsLeavingQueue, listQueuedJobs } from './queue/run-queue.ts';
import { repairsOf } from './runs/repairs.ts';
import { maskOfRun } from './runs/run-mask.ts';
import {
  findRun,
  findLatestAttempt,
  listRuns,
  findStopRequest,
  listAttempts,
  requestStop,
  requestStopOfRuns,
  listOwnedRuns,
} from './runs/runs.ts';
import { deleteRun } from './runs/run-removal.ts';
import type { Database } from './schema.ts';
import { isAttemptActive, taskRunsOf } from './task-runs/task-runs.ts';
import { createStateWriter } from './runs/state-writer.ts';
import { requestTaskStop, storeWarning } from './runs/warnings.ts';

export function createRunStore(db: Kysely<Database>, clock: Clock, log: Log): RunStore {
  const withRetry = <Result>(work: () => Promise<Result>): Promise<Result> =>
    retryTransient(clock, log, work);
  /** Runs `work`; retries while the database is unavailable only when the caller asks for it. */
  const onRequest = <Result>(
    { onOutage }: OutageOptions = {},
    work: () => Promise<Result>,
  ): Promise<Result> => (onOutage === 'retry' ? withRetry(work) : work());
  return {
    ...bindDatabase(db, {
      isAttemptActive,
      requestTaskStop,
      listQueuedJobs,
      listRunsLeavingQueue,
      requestStopAll: requestStopOfRuns,
      listOwnedRuns,
      adopt: adoptRuns,
      adoptOwn: resumeOwnedRuns,
    }),
    launchTransaction: (steps, options) => onRequest(options, () => runLaunchTransaction(db, steps)),
    find: (runId, options) => onRequest(options, () => findRun(db, runId)),
    requestStop: (runId, reason, options) =>
      onRequest(options, () => requestStop(db, runId, reason, options)),
    findStopRequest: (runId) => withRetry(() => findStopRequest(db, runId)),
    reserveRunIds: (count) => withRetry(() => reserveRunIds(db, count)),
    recordDurationWarning: (warning) => withRetry(() => storeWarning(db, warning)),
    findLaunchedRun: (taskRunId) => withRetry(() => findRunLaunchedBy(db, taskRunId)),
    findLatestAttempt: (runId) => withRetry(() => findLatestAttempt(db, runId)),
    write: createStateWriter(db, clock, log).write,
  };
}

/** @param getTime the clock that the nodes share; default: that of the database */
export function createNodeStore(
  db: Kysely<Database>,
  getTime = () => databaseTime(db),
): NodeStore & NodeReader {
  return {
    ...bindDatabase(db, {
      join: registerNode,
      leave: unregisterNode,
      listOnHost: listNodesOnHost,
      expire: expireNodes,
    }),
    getTime,
    list: async () => listNodes(db, await getTime()),
  };
}

/** Creates the reader of runs for the API. */
export function createRunReader(db: Kysely<Database>): RunReader {
  return bindDatabase(db, {
    find: findRun,
    list: listRuns,
    listTaskRuns: taskRunsOf,
    findLaunchedRun: findRunLaunchedBy,
    listAttempts,
    listRepairs: repairsOf,
    getMask: maskOfRun,
  });
}

export function createJobStore(db: Kysely<Database>): JobStore {
  return bindDatabase(db, {
    create: createJob,
    update: changeJob,
    find: findJob,
    list: listJobs,
    remove: deleteJob,
  });
}

export function createRunRemover(db: Kysely<Database>): RunRemover {
  return bindDatabase(db, { delete: deleteRun });
}
