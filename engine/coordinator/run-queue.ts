/**
 * The queue: takes runs out of it when a limit has cleared, first in first out within a job, and fair between
 * jobs (spec 3.1).
 */
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
  type QueueDecision,
} from '../run/admission.ts';
import { stepOf, type StepFacts } from '../run/step.ts';
import { stopMessage } from '../run/roll-up.ts';
import type { Run, RunWithTasks } from '../run/run.ts';
import { isTerminal } from '../run/states.ts';
import type { RunEndListeners } from './run-end-listeners.ts';

export interface RunQueuePorts {
  readonly runs: Pick<RunStore, 'launchTransaction' | 'listQueuedJobs' | 'listRunsLeavingQueue' | 'write'>;
  readonly clock: Clock;
  readonly log: Log;
  readonly limits: Limits;
  readonly nodeId: string;
  /** Drives a run that was taken out of the queue. */
  readonly acceptRun: (run: RunWithTasks) => void;
  readonly runEndListeners: RunEndListeners;
}

export interface RunQueue {
  /**
   * Looks at the queue, soon: call it whenever a place may be free, or a run in the queue was told to stop.
   */
  wake(): void;
  /** Looks no more. Resolves when nothing is under way. */
  close(): Promise<void>;
}

/** The queue as this node serves it. Others may do so at the same time. */
export function createRunQueue(ports: RunQueuePorts): RunQueue {
  let closed = false;
  let again = false;
  let serving: Promise<void> | undefined;
  const serve = async (): Promise<void> => {
    do {
      again = false;
      await processQueue(ports, () => closed).catch((error: unknown) => {
        ports.log.warn(
          { error: messageOf(error) },
          'The queue could not be served; it is looked at again with the next beat.',
        );
      });
    } while (again);
    serving = undefined;
  };
  return {
    wake() {
      if (closed) return;
      again = true;
      serving ??= serve();
    },
    async close() {
      closed = true;
      again = false;
      await serving;
    },
  };
}

const hourMs = 60 * 60 * 1_000;
/** Runs that are read together when they leave the queue. */
const leavingBatchSize = 200;

async function processQueue(ports: RunQueuePorts, closed: () => boolean): Promise<void> {
  const { runs, clock, limits } = ports;
  // Mostly nothing waits: then this is all that it costs.
  if ((await runs.listQueuedJobs()).length === 0) return;
  const leaving = () => runs.listRunsLeavingQueue(clock.now() - limits.queueHours * hourMs, leavingBatchSize);
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
 * The job whose turn it is: of those that are below their limit the one with the fewest active runs, so that
 * a job with a long queue leaves room for the others; of several the one that waits longest.
 */
export function selectNextJob<Waiting extends QueuedJob>(jobs: Iterable<Waiting>): Waiting | undefined {
  let next: Waiting | undefined;
  // Asked once for each run that is admitted, and thousands of jobs may wait: looked through, not sorted.
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

/**
 * Takes the oldest run of a job out of the queue, if its limits allow it now that nobody else can start one.
 */
async function admitOldestRun(
  ports: RunQueuePorts,
  { jobId }: QueuedJob,
): Promise<'admitted' | 'not now' | 'workspace full'> {
  const { runs, limits, nodeId, clock } = ports;
  const outcome = await runs.launchTransaction(async (transaction) => {
    // Hidden jobs of submissions have no limit: their runs are locked, and that is enough.
    const job = await transaction.lockJob(jobId);
    const first = await transaction.lockOldestQueuedRun(jobId);
    if (first === undefined) return 'not now';
    const limit = job === undefined ? Infinity : maxConcurrentRunsOf(job.settings);
    const wait =
      (await transaction.countRuns(jobId)).active >= limit
        ? queueForJobLimit(limit)
        : decideCapacity(
            {
              ...(await capacityUsageOf(transaction, tasksOf(first.settings), limits)),
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

/** Returns the write that takes a run out of the queue. */
function admissionOf(run: Run, owner: string, now: number): QueueAdmission {
  const { from, to } = stepOf({ kind: 'run', ...run }, 'admit', now).change;
  // A machine's clock may step back; the times of a run never do.
  const admittedTime = Math.max(now, run.progress.startTime ?? 0);
  return { runId: run.runId, from, to, owner, admittedTime };
}

/** Ends a run in the queue: cancelled, or skipped because it has waited too long. */
async function endQueuedRun(
  { runs, clock, limits, runEndListeners }: RunQueuePorts,
  { run, tasks }: RunWithTasks,
): Promise<void> {
  const now = clock.now();
  const { stopReason, jobId, runId } = run;
  const skipped = stopReason === undefined;
  const message = skipped
    ? `Skipping this run because it has waited ${limits.queueHours} hours in the queue, the longest time allowed.`
    : stopMessage[stopReason];
  const event = skipped ? 'skip' : 'withdraw';
  const facts: StepFacts = { message, ...(!skipped && { result: 'CANCELED' }) };
  const step = stepOf({ kind: 'run', ...run }, event, now, facts);
  const single = run.format === 'SINGLE_TASK';
  // A task of several never started; that of a single-task run is the run. One that is over was withdrawn by
  // another node just now: then the write is refused.
  const taskSteps = tasks
    .filter(({ progress }) => !isTerminal(progress.state))
    .map((task) =>
      single
        ? stepOf({ kind: 'task', ...task }, event, now, facts).change
        : stepOf({ kind: 'task', ...task }, 'skip', now, { message }).change,
    );
  await runs.write({
    changes: [step.change, ...taskSteps],
    notifications: notificationsForEnd(run.settings, step.progress, { jobId, runId, now }),
  });
  runEndListeners.notify(runId);
}
