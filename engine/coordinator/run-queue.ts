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
  type CapacityUsage,
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
    const { jobId } = job;
    const next = selectNextJob([...jobs.values()].filter((other) => other.jobId !== jobId));
    const { admitted, end } = await admitOldestRuns(ports, job, admissionsBefore(job, next));
    job.activeRuns += admitted;
    if (end === 'workspace full') return;
    if (end === 'no more now') jobs.delete(jobId);
  }
}

/** Runs that one transaction admits. */
const admissionBatchMax = 100;

/** Returns how many runs of a job are admitted before it is the turn of `next`. */
function admissionsBefore(
  { activeRuns, maxConcurrentRuns = Infinity }: QueuedJob,
  next: QueuedJob | undefined,
): number {
  const turn = Math.max(1, (next?.activeRuns ?? Infinity) - activeRuns);
  return Math.min(admissionBatchMax, turn, maxConcurrentRuns - activeRuns);
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

interface JobAdmission {
  readonly admitted: number;
  /** Why no further run of the job was admitted; undefined when more may be. */
  readonly end: 'no more now' | 'workspace full' | undefined;
}

/** Admits up to `maximum` of the oldest queued runs of a job, as far as the limits allow it. The job is locked meanwhile. */
async function admitOldestRuns(
  ports: RunQueuePorts,
  { jobId }: QueuedJob,
  maximum: number,
): Promise<JobAdmission> {
  const { runs, limits, nodeId, clock } = ports;
  const { accepted, wait, queued } = await runs.launchTransaction(async (transaction) => {
    // The hidden job of a submission has no limit; the locks on its runs are enough.
    const job = await transaction.lockJob(jobId);
    const waiting = await transaction.lockOldestQueuedRuns(jobId, maximum);
    if (waiting.length === 0) return { accepted: [], wait: undefined, queued: 0 };
    const decision = decideAdmissions(waiting, {
      limits,
      limit: job === undefined ? Infinity : maxConcurrentRunsOf(job.settings),
      active: (await transaction.countRuns(jobId)).active,
      capacity: await capacityUsageOf(transaction, sumOf(waiting.map(parallelTasksOf)), limits),
    });
    const refused = waiting[decision.admitted.length];
    if (refused !== undefined && decision.wait !== undefined)
      await transaction.updateQueueReason(refused.runId, decision.wait.code, decision.wait.message);
    const admissions = decision.admitted.map((run) => admissionOf(run, nodeId, clock.now()));
    return {
      accepted: admissions.length === 0 ? [] : await transaction.admitRuns(admissions),
      wait: decision.wait,
      queued: waiting.length,
    };
  });
  for (const run of accepted) ports.acceptRun(run);
  const admitted = accepted.length;
  if (wait?.code === 'ACTIVE_RUNS_LIMIT_REACHED') return { admitted, end: 'workspace full' };
  return { admitted, end: wait === undefined && queued === maximum ? undefined : 'no more now' };
}

interface AdmissionFacts {
  /** Active runs of the job, and the maximum. */
  readonly active: number;
  readonly limit: number;
  /** Of the workspace, before the admissions. */
  readonly capacity: CapacityUsage;
  readonly limits: Limits;
}

/** Decides about runs in their order, up to the first one that has to wait. */
function decideAdmissions(
  waiting: readonly Run[],
  { active, limit, capacity, limits }: AdmissionFacts,
): { readonly admitted: readonly Run[]; readonly wait: QueueDecision | undefined } {
  const admitted: Run[] = [];
  let { taskRuns, runJobTasks } = capacity;
  for (const run of waiting) {
    const added = parallelTasksOf(run);
    const usage = {
      taskRuns,
      runJobTasks,
      addedTaskRuns: added.taskRuns,
      addedRunJobTasks: added.runJobTasks,
      hasWaitingRuns: false,
    };
    const decision =
      active + admitted.length >= limit ? queueForJobLimit(limit) : decideCapacity(usage, limits);
    if (decision.kind !== 'start') return { admitted, wait: decision };
    admitted.push(run);
    taskRuns += added.taskRuns;
    runJobTasks += added.runJobTasks;
  }
  return { admitted, wait: undefined };
}

function sumOf(parts: readonly ParallelTasks[]): ParallelTasks {
  return {
    taskRuns: parts.reduce((sum, { taskRuns }) => sum + taskRuns, 0),
    runJobTasks: parts.reduce((sum, { runJobTasks }) => sum + runJobTasks, 0),
  };
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
