/** The stores that the engine and the API ask for, put together from the statements of this folder. */
import type { Kysely } from 'kysely';
import type { Clock } from '../../engine/clock.ts';
import type { JobStore } from '../../engine/ports/jobs.ts';
import type { Log } from '../../engine/ports/log.ts';
import type { NodeReader, NodeStore } from '../../engine/ports/nodes.ts';
import type { RunReader } from '../../engine/ports/run-reader.ts';
import type { RunRemover, RunStore } from '../../engine/ports/runs.ts';
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
  requestStop,
  requestStopOfRuns,
  listOwnedRuns,
} from './runs/runs.ts';
import { deleteRun } from './runs/run-removal.ts';
import type { Database } from './schema.ts';
import { attemptIsActive, taskRunsOf } from './task-runs/task-runs.ts';
import { createStateWriter } from './runs/state-writer.ts';
import { requestTaskStop, storeWarning } from './runs/warnings.ts';

export function createRunStore(db: Kysely<Database>, clock: Clock, log: Log): RunStore {
  const writer = createStateWriter(db, clock, log);
  const waiting = <Result>(work: () => Promise<Result>): Promise<Result> => retryTransient(clock, log, work);
  return {
    launchTransaction: (steps, onOutage) =>
      onOutage === undefined
        ? runLaunchTransaction(db, steps)
        : waiting(() => runLaunchTransaction(db, steps)),
    find: (runId, onOutage) =>
      onOutage === undefined ? findRun(db, runId) : waiting(() => findRun(db, runId)),
    isAttemptActive: (runId) => attemptIsActive(db, runId),
    write: writer.write,
    reserveRunIds: (count) => waiting(() => reserveRunIds(db, count)),
    recordDurationWarning: (warning) => waiting(() => storeWarning(db, warning)),
    requestTaskStop: (taskRunId) => requestTaskStop(db, taskRunId),
    listQueuedJobs: () => listQueuedJobs(db),
    listRunsLeavingQueue: (since, limit) => listRunsLeavingQueue(db, since, limit),
    findLaunchedRun: (taskRunId) => waiting(() => findRunLaunchedBy(db, taskRunId)),
    findLatestAttempt: (runId) => waiting(() => findLatestAttempt(db, runId)),
    requestStop: (runId, reason, onOutage) =>
      onOutage === undefined ? requestStop(db, runId, reason) : waiting(() => requestStop(db, runId, reason)),
    requestStopAll: (filter) => requestStopOfRuns(db, filter),
    listOwnedRuns: (node) => listOwnedRuns(db, node),
    adopt: (node, now, limit) => adoptRuns(db, node, now, limit),
    adoptOwn: (node, runIds) => resumeOwnedRuns(db, node, runIds),
  };
}

/** @param time what the nodes share as their clock; that of the database unless a test has another one */
export function createNodeStore(db: Kysely<Database>, time = () => databaseTime(db)): NodeStore & NodeReader {
  return {
    getTime: time,
    join: (node, leaseUntil, now) => registerNode(db, node, leaseUntil, now),
    leave: (nodeId) => unregisterNode(db, nodeId),
    listOnHost: (host, now) => listNodesOnHost(db, host, now),
    expire: (nodeIds, now) => expireNodes(db, nodeIds, now),
    list: async () => listNodes(db, await time()),
  };
}

/** Runs as the API reads them. */
export function createRunReader(db: Kysely<Database>): RunReader {
  return {
    find: (runId) => findRun(db, runId),
    list: (filter) => listRuns(db, filter),
    listTaskRuns: (runIds) => taskRunsOf(db, runIds),
    findLaunchedRun: (taskRunId) => findRunLaunchedBy(db, taskRunId),
    listRepairs: (run) => repairsOf(db, run),
    getMask: (run) => maskOfRun(db, run),
  };
}

/** Jobs as the API keeps them. */
export function createJobStore(db: Kysely<Database>): JobStore {
  return {
    create: (job, quotas) => createJob(db, job, quotas),
    update: (jobId, settingsOf, now) => changeJob(db, jobId, settingsOf, now),
    find: (jobId) => findJob(db, jobId),
    list: (filter) => listJobs(db, filter),
    remove: (jobId, now, notices) => deleteJob(db, jobId, now, notices),
  };
}

/** Runs that are removed for good. */
export function createRunRemover(db: Kysely<Database>): RunRemover {
  return { delete: (runId, now) => deleteRun(db, runId, now) };
}
