/** The stores that the engine and the API ask for, put together from the statements of this folder. */
import type { Kysely } from 'kysely';
import type { Clock } from '../engine/clock.ts';
import type { JobStore, Log, NodeStore, RunReader, RunRemover, RunStore } from '../engine/ports.ts';
import { launch } from './launches.ts';
import { adoptRuns, reclaimRuns, expireNodes, joinNodes, leaveNodes, nodesOnHost, renewLease } from './leases.ts';
import { changeJob } from './job-changes.ts';
import { createJob, deleteJob, findJob, listJobs } from './jobs.ts';
import { repairsOf } from './repairs.ts';
import { findRun, listRuns, requestStop, requestStopOfAll, runsOwnedBy } from './runs.ts';
import { deleteRun } from './run-removal.ts';
import type { Database } from './schema.ts';
import { attemptIsActive, taskRunsOf } from './task-runs.ts';
import { createStateWriter } from './transitions.ts';

export function createRunStore(db: Kysely<Database>, clock: Clock, log: Log): RunStore {
  const writer = createStateWriter(db, clock, log);
  return {
    launch: (steps) => launch(db, steps),
    find: (runId) => findRun(db, runId),
    attemptIsActive: (runId) => attemptIsActive(db, runId),
    write: writer.write,
    requestStop: (runId, reason) => requestStop(db, runId, reason),
    requestStopOfAll: (filter) => requestStopOfAll(db, filter),
    ownedBy: (node) => runsOwnedBy(db, node),
    adopt: (node, now, limit) => adoptRuns(db, node, now, limit),
    reclaim: (node, runIds) => reclaimRuns(db, node, runIds),
  };
}

export function createNodeStore(db: Kysely<Database>): NodeStore {
  return {
    join: (node, leaseUntil, now) => joinNodes(db, node, leaseUntil, now),
    renew: (nodeId, leaseUntil, now) => renewLease(db, nodeId, leaseUntil, now),
    leave: (nodeId) => leaveNodes(db, nodeId),
    onHost: (host, now) => nodesOnHost(db, host, now),
    expire: (nodeIds, now) => expireNodes(db, nodeIds, now),
  };
}

/** Runs as the API reads them. */
export function createRunReader(db: Kysely<Database>): RunReader {
  return {
    find: (runId) => findRun(db, runId),
    list: (filter) => listRuns(db, filter),
    tasksOf: (runIds) => taskRunsOf(db, runIds),
    repairsOf: (run) => repairsOf(db, run),
  };
}

/** Jobs as the API keeps them. */
export function createJobStore(db: Kysely<Database>): JobStore {
  return {
    create: (job, quotas) => createJob(db, job, quotas),
    change: (jobId, settingsOf, now) => changeJob(db, jobId, settingsOf, now),
    find: (jobId) => findJob(db, jobId),
    list: (filter) => listJobs(db, filter),
    remove: (jobId, now, notices) => deleteJob(db, jobId, now, notices),
  };
}

/** Runs that are removed for good. */
export function createRunRemover(db: Kysely<Database>): RunRemover {
  return { delete: (runId, now) => deleteRun(db, runId, now) };
}
