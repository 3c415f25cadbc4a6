/** Scheduler: waits for the next due schedule, launches the runs of all that are due, and repeats. */
import type { Clock } from '../clock.ts';
import { messageOf } from '../errors.ts';
import { acceptNewRun, launchScheduledRun, type LaunchPorts } from '../launch.ts';
import type { Log } from '../ports/log.ts';
import type { LaunchTransaction } from '../ports/runs.ts';
import type { NewRun } from '../run/new-run.ts';
import { createCachedDecider, type DecideDueFires, type DueFires } from '../schedule/due-fires.ts';
import { scheduleOf } from '../job/job-schedule.ts';
import { createNextFireTime } from '../schedule/schedule.ts';
import type { ScheduleClaim, DueSchedule, ScheduleUpdate, ScheduleStore } from '../ports/schedules.ts';

export interface SchedulerPorts {
  readonly schedules: ScheduleStore;
  readonly launchPorts: Omit<LaunchPorts, 'runs'>;
  readonly clock: Clock;
  readonly log: Log;
  /** Returns whether an operation that failed with this error may succeed later. */
  readonly isTransientError: (error: unknown) => boolean;
}

export interface Scheduler {
  /** Announces a possible fire at this time (epoch ms), before the one that the scheduler waits for. */
  wake(at: number): void;
  /** Stops firing. Resolves when nothing is under way. */
  close(): Promise<void>;
}

/** Schedules that one transaction claims; further batches follow at once. */
const claimBatchSize = 1_000;
/** Longest wait between two rounds: clocks are set, and machines sleep. */
const maxWaitMs = 60_000;
/** Delays before a retry: of schedules that another node has locked, and after a database error. */
const lockedRetryMs = 50;
const errorRetryMs = 1_000;

/** Starts the scheduler. Fires that were missed while no engine ran come first. */
export function startScheduler(ports: SchedulerPorts): Scheduler {
  const { clock } = ports;
  let closed = false;
  let nextRoundAt = Number.POSITIVE_INFINITY;
  let cancel = (): void => undefined;
  let turn: Promise<void> | undefined;
  // Wake-ups during a round are handled after it.
  let wokenFor = Number.POSITIVE_INFINITY;
  const wait = (at: number): void => {
    if (closed) return;
    cancel();
    nextRoundAt = at;
    cancel = clock.runAt(at, () => {
      turn = takeTurn();
    });
  };
  const takeTurn = async (): Promise<void> => {
    wokenFor = Number.POSITIVE_INFINITY;
    const next = await runRound(ports, () => closed);
    turn = undefined;
    wait(Math.min(next, wokenFor));
  };
  wait(clock.now());
  return {
    wake(at) {
      if (turn !== undefined) wokenFor = Math.min(wokenFor, at);
      else if (at < nextRoundAt) wait(at);
    },
    async close() {
      closed = true;
      cancel();
      await turn;
    },
  };
}

/**
 * Fires everything that is due and returns the time of the next round. Never rejects, so the loop goes on.
 */
async function runRound(ports: SchedulerPorts, closed: () => boolean): Promise<number> {
  const { schedules, clock, log } = ports;
  try {
    const claimed = await fireAllDue(ports, closed);
    const now = clock.now();
    const next = await schedules.getNextDueTime();
    if (next === undefined) return now + maxWaitMs;
    return Math.min(
      Math.max(next, now + (next <= now && claimed === 0 ? lockedRetryMs : 0)),
      now + maxWaitMs,
    );
  } catch (error) {
    log.warn({ error: messageOf(error) }, 'Firing of schedules failed; retrying in 1 s.');
    return clock.now() + errorRetryMs;
  }
}

/**
 * Fires all due schedules and returns their number. Two batches run concurrently: one is decided while the
 * database stores the other.
 */
async function fireAllDue(ports: SchedulerPorts, closed: () => boolean): Promise<number> {
  let fired = 0;
  const fireBatches = async (onFull?: () => void): Promise<void> => {
    for (let claimed = claimBatchSize; claimed === claimBatchSize && !closed(); fired += claimed)
      claimed = await fireBatch(ports, onFull);
  };
  let second: Promise<void> | undefined;
  const first = fireBatches(() => {
    second ??= fireBatches();
  });
  const ends = await Promise.allSettled([first, first.catch(() => undefined).then(() => second)]);
  for (const end of ends) if (end.status === 'rejected') throw end.reason;
  return fired;
}

/**
 * Fires a batch of due schedules and returns its size. When the batch fails, each schedule is fired on its
 * own.
 * @param onFull called as soon as the batch is known to be full: more schedules may be due
 */
async function fireBatch(ports: SchedulerPorts, onFull?: () => void): Promise<number> {
  const { clock, isTransientError } = ports;
  let claimed: readonly DueSchedule[] = [];
  try {
    return await claimAndFire(ports, { now: clock.now(), limit: claimBatchSize }, (due) => {
      claimed = due;
      if (due.length === claimBatchSize) onFull?.();
    });
  } catch (error) {
    if (isTransientError(error)) throw error;
    for (const schedule of claimed) await fireSingle(ports, schedule);
    return claimed.length;
  }
}

async function fireSingle(ports: SchedulerPorts, schedule: DueSchedule): Promise<void> {
  const { schedules, clock, log, isTransientError } = ports;
  const { jobId } = schedule.job;
  try {
    await claimAndFire(ports, { now: clock.now(), limit: 1, jobId });
  } catch (error) {
    if (isTransientError(error)) throw error;
    log.error(
      { job_id: jobId, due: schedule.nextFireAt, error: messageOf(error) },
      'The run of this schedule could not be started; the scheduler continues with the next fire.',
    );
    await schedules.skipFire(schedule.nextFireAt, updateAfterSkip(schedule, clock.now()));
  }
}

/** Claims schedules, launches their runs and sets the next fires in one transaction; then drives the runs. */
async function claimAndFire(
  ports: SchedulerPorts,
  claim: ScheduleClaim,
  onClaimed?: (due: readonly DueSchedule[]) => void,
): Promise<number> {
  const launched: NewRun[] = [];
  const claimed = await ports.schedules.claimDue(claim, (due) => {
    onClaimed?.(due);
    const decide = createCachedDecider(ports.clock.now());
    const decisions = due.map((schedule) => ({ ...schedule, outcome: decideFires(ports, schedule, decide) }));
    return {
      updates: decisions.map(toScheduleUpdate),
      async launchRuns(transaction) {
        const ends = await Promise.allSettled(
          decisions.map((decision) => launchDueRuns(ports, decision, { transaction, launched })),
        );
        for (const end of ends) if (end.status === 'rejected') throw end.reason;
      },
    };
  });
  for (const run of launched) acceptNewRun(ports.launchPorts, run);
  return claimed;
}

/** A due schedule and the decision about it. */
interface ScheduleDecision extends DueSchedule {
  readonly outcome: DueFires | InvalidSchedule;
}

/** The transaction of a batch and the runs that it has launched so far. */
interface LaunchBatch {
  readonly transaction: LaunchTransaction;
  readonly launched: NewRun[];
}

async function launchDueRuns(
  ports: SchedulerPorts,
  { job, nextFireAt, outcome }: ScheduleDecision,
  { transaction, launched }: LaunchBatch,
): Promise<void> {
  if ('problem' in outcome) return;
  for (const scheduledTime of outcome.fires)
    launched.push(await launchScheduledRun(ports.launchPorts, transaction, { job, scheduledTime }));
  if (outcome.fires.length !== 1 || outcome.fires[0] !== nextFireAt) {
    ports.log.info(
      { job_id: job.jobId, due: nextFireAt, fires: outcome.fires },
      'Fires of this schedule were missed; the listed ones run now.',
    );
  }
}

function toScheduleUpdate({ job: { jobId }, outcome }: ScheduleDecision): ScheduleUpdate {
  if ('problem' in outcome)
    return { jobId, lastFireAt: undefined, nextFireAt: undefined, problem: outcome.problem };
  return { jobId, lastFireAt: outcome.fires.at(-1), nextFireAt: outcome.next, problem: undefined };
}

/** A schedule that is disabled because it is invalid. */
interface InvalidSchedule {
  readonly problem: string;
}

/** Decides what to fire. An invalid schedule is disabled, so that it does not block the others. */
function decideFires(
  { log }: SchedulerPorts,
  { job, nextFireAt }: DueSchedule,
  decide: DecideDueFires,
): DueFires | InvalidSchedule {
  const { jobId } = job;
  try {
    const timing = scheduleOf(job.settings);
    if (timing === undefined || timing.paused) return { fires: [], next: undefined };
    return decide(timing, nextFireAt);
  } catch (error) {
    const problem = messageOf(error);
    log.error(
      { job_id: jobId, error: problem },
      'The schedule of this job is invalid; it is disabled until the job changes.',
    );
    return { problem };
  }
}

/** Returns the update of a schedule whose fire is skipped. */
function updateAfterSkip({ job, nextFireAt }: DueSchedule, now: number): ScheduleUpdate {
  const timing = scheduleOf(job.settings);
  const next = timing && createNextFireTime(timing, nextFireAt)(now);
  return { jobId: job.jobId, lastFireAt: nextFireAt, nextFireAt: next, problem: undefined };
}
