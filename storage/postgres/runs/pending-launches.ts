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

export function createPendingLauncher(
  db: Kysely<Database>,
  options: PendingLauncherOptions,
): PendingLauncher {
  const known = new Map<number, KnownJob>();
  const waiting: Waiting[] = [];
  let isStoring = false;
  const storeAll = async (): Promise<void> => {
    isStoring = true;
    while (waiting.length > 0) await storeBatch(db, options, known, takeBatch(waiting));
    isStoring = false;
  };
  return {
    async findJob(jobId) {
      const found = known.get(jobId) ?? (await findJobWithRevision(db, jobId));
      if (known.size >= knownJobsMax) known.clear();
      if (found !== undefined) known.set(jobId, found);
      return found;
    },
    launch: (launch) =>
      new Promise((resolve, reject) => {
        waiting.push({ launch, resolve, reject });
        if (!isStoring) void storeAll();
      }),
  };
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

/** Stores a batch and settles its promises. A launch without a stored run makes the engine read its job again. */
async function storeBatch(
  db: Kysely<Database>,
  options: PendingLauncherOptions,
  known: Map<number, KnownJob>,
  batch: readonly Waiting[],
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
    // After a broken connection the batch may be committed. Otherwise nothing is stored, and each launch is decided
    // alone.
    if (!isTransientError(error) && codeOf(error) !== lockNotAvailable)
      options.log.warn(
        { error: messageOf(error), launches: batch.length },
        'A batch of launches failed; each of them gets a transaction of its own.',
      );
    for (const { reject, resolve } of batch) {
      if (isTransientError(error)) reject(error);
      else resolve(undefined);
    }
  }
}

interface StoredRow {
  readonly launch_index: number;
  readonly launched_run_id: number;
  readonly launched_number: number;
  readonly launched_at: number;
  readonly task_run_ids: Readonly<Record<string, number>>;
}

/** Returns the stored runs by the index of their launch. */
async function storeLaunches(
  db: Kysely<Database>,
  { clock, nodeId, maxTaskRuns }: PendingLauncherOptions,
  launches: readonly PendingLaunch[],
): Promise<Map<number, PendingRun>> {
  const jobs = new Map(launches.map((launch) => [launch.known.job.jobId, launch]));
  // Launches that know another revision of their job than the last one of the batch are decided alone.
  const current = [...launches.entries()].filter(
    ([, { known }]) => jobs.get(known.job.jobId)?.known.revision === known.revision,
  );
  const { rows } = await sql<StoredRow>`
    select * from launch_pending_runs_1(${JSON.stringify([...jobs.values()].map(toJobRow))}::jsonb,
      ${JSON.stringify(current.map(toLaunchRow))}::jsonb, ${nodeId}, ${clock.now()}, ${maxTaskRuns},
      ${advisoryLocks.launchCapacity}, ${lockSlots}, ${taskRunsPerSlot})`.execute(db);
  return new Map(
    rows.map((row) => [
      row.launch_index,
      {
        startTime: row.launched_at,
        runId: row.launched_run_id,
        numberInJob: row.launched_number,
        taskRunIds: row.task_run_ids,
      },
    ]),
  );
}

function toJobRow({
  known: { job, revision },
  maxConcurrentRuns,
  name,
  parallelTasks,
  tasks,
}: PendingLaunch) {
  return {
    job_id: job.jobId,
    settings_revision: revision,
    max_concurrent_runs: maxConcurrentRuns,
    format: formatOf(job.settings),
    name,
    parallel_task_runs: parallelTasks.taskRuns,
    tasks: tasks.map(({ taskKey, message }) => ({ task_key: taskKey, message })),
  };
}

function toLaunchRow([index, { known, creator, parameters }]: readonly [number, PendingLaunch]) {
  return { index, job_id: known.job.jobId, creator, parameters: parameters ?? null };
}
