/**
 * Launches in one round trip. Launches that come while a batch is being stored form the next batch, which shares one
 * statement and one commit.
 */
import { sql, type Kysely } from 'kysely';
import type { Clock } from '../../../engine/clock.ts';
import { codeOf, messageOf } from '../../../engine/errors.ts';
import { formatOf } from '../../../engine/job/job-format.ts';
import type { Log } from '../../../engine/ports/log.ts';
import type { KnownJob, PendingLaunch, PendingLauncher, PendingRun } from '../../../engine/ports/runs.ts';
import { advisoryLocks } from '../advisory-locks.ts';
import { findJobWithRevision } from '../jobs/jobs.ts';
import { lockSlots, taskRunsPerSlot } from '../queue/capacity.ts';
import type { Database } from '../schema.ts';
import { isTransientError } from '../transient-errors.ts';

export interface PendingLauncherOptions {
  readonly clock: Clock;
  readonly log: Log;
  /** The node that owns the runs. */
  readonly nodeId: string;
  /** Active task runs of the workspace. */
  readonly maxTaskRuns: number;
}

interface Waiting {
  readonly launch: PendingLaunch;
  readonly resolve: (run: PendingRun | undefined) => void;
  readonly reject: (error: unknown) => void;
}

/** Task runs of one batch: half of what all slots of the capacity check allow. */
const batchTaskRuns = (lockSlots * taskRunsPerSlot) / 2;
/** SQLSTATE of a job that another transaction locks for long. */
const lockNotAvailable = '55P03';
/** Jobs that an engine remembers. */
const knownJobsMax = 1_000;

/** Time that a batch waits for the locks of its jobs, ms: it holds up the launches of all other jobs. */
const sharedLockWaitMs = 200;
/** Time that the launches of one job wait for its lock, ms. */
const jobLockWaitMs = 2_000;

/** Launches that are stored one batch after the other. */
interface BatchQueue {
  add(launches: readonly Waiting[]): void;
}

/**
 * Creates the launcher. The launches of all jobs share batches; those of a job that another transaction keeps locked wait
 * for it in a queue of their own.
 */
export function createPendingLauncher(
  db: Kysely<Database>,
  options: PendingLauncherOptions,
): PendingLauncher {
  const known = new Map<number, KnownJob>();
  const queuesOfLockedJobs = new Map<number, BatchQueue>();
  const waitInOwnQueue = (batch: readonly Waiting[]): void => {
    for (const [jobId, launches] of Map.groupBy(batch, ({ launch }) => launch.known.job.jobId)) {
      const queue =
        queuesOfLockedJobs.get(jobId) ??
        createBatchQueue(
          (next) =>
            storeBatch(db, { ...options, lockWaitMs: jobLockWaitMs }, known, next, leaveToTransactions),
          () => queuesOfLockedJobs.delete(jobId),
        );
      queuesOfLockedJobs.set(jobId, queue);
      queue.add(launches);
    }
  };
  const reads = new Map<number, Promise<KnownJob | undefined>>();
  const readJob = async (jobId: number): Promise<KnownJob | undefined> => {
    try {
      const found = await findJobWithRevision(db, jobId);
      if (known.size >= knownJobsMax) known.clear();
      if (found !== undefined) known.set(jobId, found);
      return found;
    } finally {
      reads.delete(jobId);
    }
  };
  const shared = createBatchQueue((batch) =>
    storeBatch(db, { ...options, lockWaitMs: sharedLockWaitMs }, known, batch, waitInOwnQueue),
  );
  return {
    async findJob(jobId) {
      const found = known.get(jobId);
      if (found !== undefined) return found;
      // Launches that come together read the job once.
      const reading = reads.get(jobId) ?? readJob(jobId);
      reads.set(jobId, reading);
      return reading;
    },
    launch: (launch) =>
      new Promise((resolve, reject) => {
        const queue = queuesOfLockedJobs.get(launch.known.job.jobId) ?? shared;
        queue.add([{ launch, resolve, reject }]);
      }),
  };
}

/** @param onEmpty called whenever all launches of the queue are stored */
function createBatchQueue(
  store: (batch: readonly Waiting[]) => Promise<void>,
  onEmpty: () => void = () => undefined,
): BatchQueue {
  const waiting: Waiting[] = [];
  let isStoring = false;
  const storeAll = async (): Promise<void> => {
    isStoring = true;
    while (waiting.length > 0) await store(takeBatch(waiting));
    isStoring = false;
    onEmpty();
  };
  return {
    add(launches) {
      waiting.push(...launches);
      if (!isStoring) void storeAll();
    },
  };
}

function leaveToTransactions(batch: readonly Waiting[]): void {
  for (const { resolve } of batch) resolve(undefined);
}

interface StoreOptions extends PendingLauncherOptions {
  readonly lockWaitMs: number;
}

/** Takes the launches of the next batch, at least one. */
function takeBatch(waiting: Waiting[]): Waiting[] {
  let taskRuns = waiting[0]?.launch.parallelTasks.taskRuns ?? 0;
  let count = 1;
  while (count < waiting.length) {
    taskRuns += waiting[count]?.launch.parallelTasks.taskRuns ?? 0;
    if (taskRuns > batchTaskRuns) break;
    count += 1;
  }
  return waiting.splice(0, count);
}

/**
 * Stores a batch and settles its promises. A launch without a stored run makes the engine read its job again.
 * @param onLocked takes the batch when one of its jobs stays locked
 */
async function storeBatch(
  db: Kysely<Database>,
  options: StoreOptions,
  known: Map<number, KnownJob>,
  batch: readonly Waiting[],
  onLocked: (batch: readonly Waiting[]) => void,
): Promise<void> {
  try {
    const stored = await storeLaunches(
      db,
      options,
      batch.map(({ launch }) => launch),
    );
    for (const [index, { launch, resolve }] of batch.entries()) {
      if (!stored.has(index)) known.delete(launch.known.job.jobId);
      resolve(stored.get(index));
    }
  } catch (error) {
    if (codeOf(error) === lockNotAvailable) return onLocked(batch);
    // After a broken connection the batch may be committed. Otherwise nothing is stored, and each launch is decided
    // alone.
    if (isTransientError(error)) for (const { reject } of batch) reject(error);
    else {
      options.log.warn(
        { error: messageOf(error), launches: batch.length },
        'A batch of launches failed; each of them gets a transaction of its own.',
      );
      leaveToTransactions(batch);
    }
  }
}

interface StoredRow {
  readonly launch_index: number;
  readonly launched_run_id: number;
  readonly launched_number: number;
  readonly launched_at: number;
  readonly task_index: number;
  readonly task_run_id: number;
}

/** Returns the stored runs by the index of their launch. */
async function storeLaunches(
  db: Kysely<Database>,
  { clock, nodeId, maxTaskRuns, lockWaitMs }: StoreOptions,
  launches: readonly PendingLaunch[],
): Promise<Map<number, PendingRun>> {
  const jobs = new Map<number, { readonly launch: PendingLaunch; count: number }>();
  for (const launch of launches) jobs.set(launch.known.job.jobId, { launch, count: 0 });
  // Launches that know another revision or plan of their job than the last one of the batch are decided alone.
  const current = [...launches.entries()].filter(([, { known, tasks }]) => {
    const job = jobs.get(known.job.jobId);
    const isCurrent =
      job?.launch.known.revision === known.revision && beginsTasks(job.launch) === beginsTasks({ tasks });
    if (job !== undefined && isCurrent) job.count += 1;
    return isCurrent;
  });
  const { rows } = await sql<StoredRow>`
    select * from launch_pending_runs_2(${JSON.stringify([...jobs.values()].map(toJobRow))}::jsonb,
      ${current.map(([, { known }]) => known.job.jobId)}::bigint[], ${current.map(([, { creator }]) => creator)}::text[],
      ${current.map(([, { parameters }]) => (parameters === undefined ? null : JSON.stringify(parameters)))}::jsonb[],
      ${nodeId}, ${clock.now()}, ${maxTaskRuns},
      ${advisoryLocks.launchCapacity}, ${lockSlots}, ${taskRunsPerSlot}, ${lockWaitMs})`.execute(db);
  const stored = new Map<number, PendingRun & { readonly taskRunIds: number[] }>();
  for (const row of rows) {
    const [index = 0] = current[row.launch_index - 1] ?? [];
    const run = stored.get(index) ?? {
      startTime: row.launched_at,
      runId: row.launched_run_id,
      numberInJob: row.launched_number,
      taskRunIds: [],
    };
    run.taskRunIds[row.task_index - 1] = row.task_run_id;
    stored.set(index, run);
  }
  return stored;
}

function toJobRow({
  launch: {
    known: { job, revision },
    maxConcurrentRuns,
    name,
    parallelTasks,
    tasks,
  },
  count,
}: {
  readonly launch: PendingLaunch;
  readonly count: number;
}) {
  return {
    job_id: job.jobId,
    settings_revision: revision,
    launches: count,
    max_concurrent_runs: maxConcurrentRuns,
    format: formatOf(job.settings),
    name,
    parallel_task_runs: parallelTasks.taskRuns,
    tasks: tasks.map(({ taskKey, message, begins }) => ({ task_key: taskKey, message, begins })),
    begins: beginsTasks({ tasks }),
  };
}

function beginsTasks({ tasks }: Pick<PendingLaunch, 'tasks'>): boolean {
  return tasks.some(({ begins }) => begins);
}
