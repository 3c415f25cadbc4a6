/** Scheduler queue: admits runs when a limit clears, FIFO within a job and fair between jobs (spec 3.1). */
import type { Clock } from '../clock.ts';
import { messageOf } from '../errors.ts';
import { tasksOf } from '../job/job-format.ts';
import { capacityUsageOf } from '../store-run.ts';
import type { Limits } from '../limits.ts';
import { notificationsForEnd } from '../notification/routing.ts';
import type { Log } from '../ports/log.ts';
import type { QueueAdmission, QueuedJob, RunStore } from '../ports/runs.ts';
import {
  decideCapacity,
  maxConcurrentRunsOf,
  queueForJobLimit,
  skipForJobLimit,
  type QueueDecision,
} from '../run/admission.ts';
import { countParallelTasks, type ParallelTasks } from '../run/parallel-tasks.ts';
import { queueEntryTimeOf } from '../run/repair-rounds.ts';
import { stepOf, type StepFacts } from '../run/step.ts';
import { explainConcurrency, explainQueueTimeout, explainStopOfRun } from '../run/explain/explain-run.ts';
import type { Explained } from '../run/explain/explanation.ts';
import type { Run, RunWithTasks } from '../run/run.ts';
import { isTerminal } from '../run/states.ts';
import { requestOfRun } from './describe-stop.ts';
import type { RunEndListeners } from './run-end-listeners.ts';

export interface RunQueuePorts {
  readonly runs: Pick<RunStore, 'launchTransaction' | 'listQueuedJobs' | 'listRunsLeavingQueue' | 'write'>;
  readonly clock: Clock;
  readonly log: Log;
  readonly limits: Limits;
  readonly nodeId: string;
  /** Drives an admitted run. */
  readonly acceptRun: (run: RunWithTasks) => void;
  readonly runEndListeners: RunEndListeners;
}

export interface RunQueue {
  /** Processes the queue soon: capacity may be free, or a queued run is to stop. */
  wake(): void;
  /** Stops processing. Resolves when nothing is under way. */
  close(): Promise<void>;
}

/** Creates this node's processing of the queue. Other nodes process the same queue at the same time. */
export function createRunQueue(ports: RunQueuePorts): RunQueue {
  let closed = false;
  let wokenAgain = false;
  let processing: Promise<void> | undefined;
  const process = async (): Promise<void> => {
    do {
      wokenAgain = false;
      await processQueue(ports, () => closed).catch((error: unknown) => {
        ports.log.warn(
          { error: messageOf(error) },
          'Queue processing failed; retrying at the next heartbeat.',
        );
      });
    } while (wokenAgain);
    processing = undefined;
  };
  return {
    wake() {
      if (closed) return;
      wokenAgain = true;
      processing ??= process();
    },
    async close() {
      closed = true;
      wokenAgain = false;
      await processing;
    },
  };
}

const hourMs = 60 * 60 * 1_000;
/** Runs that one query reads when they leave the queue. */
const leavingBatchSize = 200;

async function processQueue(ports: RunQueuePorts, closed: () => boolean): Promise<void> {
  const { runs, clock, limits } = ports;
  // An empty queue costs one query.
  const waiting = await runs.listQueuedJobs();
  if (waiting.length === 0) return;
  const closedJobs = waiting.flatMap(({ jobId, maxConcurrentRuns }) =>
    maxConcurrentRuns === 0 ? [jobId] : [],
  );
  const leaving = () =>
    runs.listRunsLeavingQueue(clock.now() - limits.queueHours * hourMs, leavingBatchSize, closedJobs);
  for (let some = await leaving(); some.length > 0; some = await leaving()) {
    for (const run of some) await endQueuedRun(ports, run);
    if (some.length < leavingBatchSize) break;
  }
  const jobs = new Map((await runs.listQueuedJobs()).map((job) => [job.jobId, { ...job }]));
  for (
    let job = selectNextJob(jobs.values());
    job !== undefined && !closed();
    job = selectNextJob(jobs.values())
  ) {
    const admitted = await admitOldestRun(ports, job);
    if (admitted === 'workspace full') return;
    if (admitted === 'admitted') job.activeRuns += 1;
    else jobs.delete(job.jobId);
  }
}

/**
 * Selects the job whose run is admitted next: below its limit, with the fewest active runs, so that a job
 * with a long queue leaves capacity for the others. Of several, the one that waits longest.
 */
function selectNextJob<Waiting extends QueuedJob>(jobs: Iterable<Waiting>): Waiting | undefined {
  let next: Waiting | undefined;
  // A scan, not a sort: called for each admitted run, and thousands of jobs may wait.
  for (const job of jobs) {
    const { activeRuns, since, maxConcurrentRuns = Infinity } = job;
    if (activeRuns >= maxConcurrentRuns) continue;
    if (
      next === undefined ||
      activeRuns < next.activeRuns ||
      (activeRuns === next.activeRuns && since < next.since)
    )
      next = job;
  }
  return next;
}

/** Admits the oldest queued run of a job if the limits allow it. The job is locked meanwhile. */
async function admitOldestRun(
  ports: RunQueuePorts,
  { jobId }: QueuedJob,
): Promise<'admitted' | 'not now' | 'workspace full'> {
  const { runs, limits, nodeId, clock } = ports;
  const outcome = await runs.launchTransaction(async (transaction) => {
    // The hidden job of a submission has no limit; the lock on its run is enough.
    const job = await transaction.lockJob(jobId);
    const first = await transaction.lockOldestQueuedRun(jobId);
    if (first === undefined) return 'not now';
    const limit = job === undefined ? Infinity : maxConcurrentRunsOf(job.settings);
    const wait =
      (await transaction.countRuns(jobId)).active >= limit
        ? queueForJobLimit(limit)
        : decideCapacity(
            {
              ...(await capacityUsageOf(transaction, parallelTasksOf(first), limits)),
              hasWaitingRuns: false,
            },
            limits,
          );
    if (wait.kind === 'start') return transaction.admitRun(admissionOf(first, nodeId, clock.now()));
    await transaction.updateQueueReason(first.runId, wait.code, wait.message);
    return wait satisfies QueueDecision;
  });
  if (outcome === 'not now') return outcome;
  if ('kind' in outcome) return outcome.code === 'ACTIVE_RUNS_LIMIT_REACHED' ? 'workspace full' : 'not now';
  ports.acceptRun(outcome);
  return 'admitted';
}

function parallelTasksOf({ parallelTasks, settings }: Run): ParallelTasks {
  return parallelTasks ?? countParallelTasks(tasksOf(settings));
}

/** Returns the write that takes a run out of the queue. */
function admissionOf(run: Run, owner: string, now: number): QueueAdmission {
  const { from, to } = stepOf({ kind: 'run', ...run }, 'admit', now).change;
  // A machine's clock may step back; the times of a run never do.
  const admittedTime = Math.max(now, queueEntryTimeOf(run));
  return { runId: run.runId, from, to, owner, admittedTime };
}

/** Ends a queued run: cancelled, or skipped because of a limit. */
async function endQueuedRun(
  { runs, clock, limits, runEndListeners }: RunQueuePorts,
  { run, tasks }: RunWithTasks,
): Promise<void> {
  const now = clock.now();
  const { stopReason, jobId, runId } = run;
  const skipped = stopReason === undefined;
  const explained =
    stopReason === undefined
      ? explainQueueEnd(run, limits, now)
      : explainStopOfRun({ reason: 'cancel', by: requestOfRun(run) }, undefined);
  const event = skipped ? 'skip' : 'withdraw';
  const facts: StepFacts = { ...explained, ...(!skipped && { result: 'CANCELED' }) };
  const step = stepOf({ kind: 'run', ...run }, event, now, facts);
  const single = run.format === 'SINGLE_TASK';
  // The task of a single-task run ends like the run; tasks of other runs were never started. When another
  // node has just ended the run, the write is refused.
  const taskSteps = tasks
    .filter(({ progress }) => !isTerminal(progress.state))
    .map((task) =>
      single
        ? stepOf({ kind: 'task', ...task }, event, now, facts).change
        : stepOf({ kind: 'task', ...task }, 'skip', now, { ...explained }).change,
    );
  await runs.write({
    changes: [step.change, ...taskSteps],
    notifications: notificationsForEnd(run.settings, step.progress, { jobId, runId, now }),
  });
  runEndListeners.notify(runId, explained.explanation.cause_code);
}

/** A run that has not waited too long leaves the queue because the limit of its job was lowered to 0. */
function explainQueueEnd(run: Run, { queueHours }: Limits, now: number): Explained {
  return queueEntryTimeOf(run) < now - queueHours * hourMs
    ? explainQueueTimeout(queueHours)
    : explainConcurrency(skipForJobLimit(0).message, []);
}
