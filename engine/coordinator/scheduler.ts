/** Fires schedules: waits for the first that is due, starts the runs of all that are, and waits again. */
import type { Clock } from '../clock.ts';
import { messageOf } from '../errors.ts';
import { launchScheduledRun, type LaunchPorts } from '../launch.ts';
import type { Log } from '../ports/log.ts';
import type { LaunchTransaction } from '../ports/runs.ts';
import { toRunWithTasks, type NewRun } from '../run/new-run.ts';
import { createCachedDecider, type DecideDueFires, type DueFires } from '../schedule/due-fires.ts';
import { scheduleOf } from '../job/job-schedule.ts';
import { createNextFireTime } from '../schedule/schedule.ts';
import type { ScheduleClaim, DueSchedule, ScheduleUpdate, ScheduleStore } from '../ports/schedules.ts';

export interface SchedulerPorts {
  readonly schedules: ScheduleStore;
  readonly launchPorts: Omit<LaunchPorts, 'runs'>;
  readonly clock: Clock;
  readonly log: Log;
  /** True for an error after which the same may succeed later. */
  readonly isTransientError: (error: unknown) => boolean;
}

export interface Scheduler {
  /** There may be a fire at this time (epoch ms), which may come before the one that is waited for. */
  wake(at: number): void;
  /** Fires no more. Resolves when nothing is under way. */
  close(): Promise<void>;
}

/** Schedules that one transaction claims; more follow at once. */
const claimBatchSize = 1_000;
/** Nobody waits longer without a look: clocks are set, and machines sleep. */
const maxWaitMs = 60_000;
/** Until what others hold is looked at again, and until the database is asked again after an error. */
const lockedRetryMs = 50;
const errorRetryMs = 1_000;

/** Starts firing; what was missed is the first that it finds. */
export function startScheduler(ports: SchedulerPorts): Scheduler {
  const { clock } = ports;
  let closed = false;
  let waitsFor = Number.POSITIVE_INFINITY;
  let cancel = (): void => undefined;
  let turn: Promise<void> | undefined;
  // What comes while schedules are fired is looked at afterwards.
  let wokenFor = Number.POSITIVE_INFINITY;
  const wait = (at: number): void => {
    if (closed) return;
    cancel();
    waitsFor = at;
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
      else if (at < waitsFor) wait(at);
    },
    async close() {
      closed = true;
      cancel();
      await turn;
    },
  };
}

/**
 * Fires everything that is due, and gives the time of the next look. Never rejects: nothing may stop the
 * loop.
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
    log.warn({ error: messageOf(error) }, 'Schedules cannot be fired now; trying again.');
    return clock.now() + errorRetryMs;
  }
}

/**
 * Fires all that is due, and gives how many there were. Two portions go side by side where there is more than
 * one: while the database stores the one, the other is decided.
 */
async function fireAllDue(ports: SchedulerPorts, closed: () => boolean): Promise<number> {
  let fired = 0;
  const goOn = async (onFull?: () => void): Promise<void> => {
    for (let claimed = claimBatchSize; claimed === claimBatchSize && !closed(); fired += claimed)
      claimed = await fireBatch(ports, onFull);
  };
  let second: Promise<void> | undefined;
  const first = goOn(() => {
    second ??= goOn();
  });
  const ends = await Promise.allSettled([first, first.catch(() => undefined).then(() => second)]);
  for (const end of ends) if (end.status === 'rejected') throw end.reason;
  return fired;
}

/**
 * Fires a portion of what is due, and gives its size. When one of them fails, each is fired on its own: it
 * fails alone.
 * @param onFull called as soon as the portion is known to be a whole one, so that there may be more
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
      'The run of this schedule could not be started; the next fire is tried again.',
    );
    await schedules.skipFire(schedule.nextFireAt, updateAfterSkip(schedule, clock.now()));
  }
}

/** Claims, launches and moves on in one transaction; the runs are driven when that is durable. */
async function claimAndFire(
  ports: SchedulerPorts,
  claim: ScheduleClaim,
  heard?: (due: readonly DueSchedule[]) => void,
): Promise<number> {
  const launched: NewRun[] = [];
  const claimed = await ports.schedules.claimDue(claim, (due) => {
    heard?.(due);
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
  for (const run of launched) if (run.state === 'PENDING') ports.launchPorts.acceptRun(toRunWithTasks(run));
  return claimed;
}

/** A schedule that has come due, and what is done about it. */
interface ScheduleDecision extends DueSchedule {
  readonly outcome: DueFires | InvalidSchedule;
}

/** The transaction of a portion, and the runs that it has launched so far. */
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
      'Fires of this schedule were found late; these of them are run.',
    );
  }
}

function toScheduleUpdate({ job: { jobId }, outcome }: ScheduleDecision): ScheduleUpdate {
  if ('problem' in outcome)
    return { jobId, lastFireAt: undefined, nextFireAt: undefined, problem: outcome.problem };
  return { jobId, lastFireAt: outcome.fires.at(-1), nextFireAt: outcome.next, problem: undefined };
}

/** A schedule that rests, and why. */
interface InvalidSchedule {
  readonly problem: string;
}

/** What is to be fired. A schedule that nobody can read rests from now on: it must not hold up the others. */
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
      'The schedule of this job cannot be read; it rests until the job is changed.',
    );
    return { problem };
  }
}

/** The schedule after a fire that was given up. */
function updateAfterSkip({ job, nextFireAt }: DueSchedule, now: number): ScheduleUpdate {
  const timing = scheduleOf(job.settings);
  const next = timing && createNextFireTime(timing, nextFireAt)(now);
  return { jobId: job.jobId, lastFireAt: nextFireAt, nextFireAt: next, problem: undefined };
}
