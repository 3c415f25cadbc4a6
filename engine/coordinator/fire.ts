/** Fires schedules: waits for the first that is due, starts the runs of all that are, and waits again. */
import type { Clock } from '../clock.ts';
import { messageOf } from '../errors.ts';
import { fireRun, type LaunchPorts } from '../launch.ts';
import type { Log } from '../ports/engine.ts';
import type { LaunchTransaction } from '../ports/runs.ts';
import { createdRun, type NewRun } from '../run/created.ts';
import { createDecider, type Decide, type Due } from '../schedule/due.ts';
import { timingOf } from '../job/job-timing.ts';
import { rhythmOf } from '../schedule/timing.ts';
import type { Claim, DueSchedule, FiredSchedule, ScheduleStore } from '../ports/schedules.ts';

export interface FirePorts {
  readonly schedules: ScheduleStore;
  readonly launching: Omit<LaunchPorts, 'runs'>;
  readonly clock: Clock;
  readonly log: Log;
  /** True for an error after which the same may succeed later. */
  readonly isPassing: (error: unknown) => boolean;
}

export interface Firing {
  /** There may be a fire at this time (epoch ms), which may come before the one that is waited for. */
  wake(at: number): void;
  /** Fires no more. Resolves when nothing is under way. */
  close(): Promise<void>;
}

/** Schedules that one transaction claims; more follow at once. */
const claimMax = 1_000;
/** Nobody waits longer without a look: clocks are set, and machines sleep. */
const longestWaitMs = 60_000;
/** Until what others hold is looked at again, and until the database is asked again after an error. */
const heldMs = 50;
const errorMs = 1_000;

/** Starts firing; what was missed is the first that it finds. */
export function startFiring(ports: FirePorts): Firing {
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
    cancel = clock.at(at, () => {
      turn = takeTurn();
    });
  };
  const takeTurn = async (): Promise<void> => {
    wokenFor = Number.POSITIVE_INFINITY;
    const next = await lookAndFire(ports, () => closed);
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
async function lookAndFire(ports: FirePorts, closed: () => boolean): Promise<number> {
  const { schedules, clock, log } = ports;
  try {
    const claimed = await fireAll(ports, closed);
    const now = clock.now();
    const next = await schedules.firstDue();
    if (next === undefined) return now + longestWaitMs;
    return Math.min(Math.max(next, now + (next <= now && claimed === 0 ? heldMs : 0)), now + longestWaitMs);
  } catch (error) {
    log.warn({ error: messageOf(error) }, 'Schedules cannot be fired now; trying again.');
    return clock.now() + errorMs;
  }
}

/**
 * Fires all that is due, and gives how many there were. Two portions go side by side where there is more than
 * one: while the database stores the one, the other is decided.
 */
async function fireAll(ports: FirePorts, closed: () => boolean): Promise<number> {
  let fired = 0;
  const goOn = async (onFull?: () => void): Promise<void> => {
    for (let claimed = claimMax; claimed === claimMax && !closed(); fired += claimed)
      claimed = await fireMany(ports, onFull);
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
async function fireMany(ports: FirePorts, onFull?: () => void): Promise<number> {
  const { clock, isPassing } = ports;
  let claimed: readonly DueSchedule[] = [];
  try {
    return await fireClaimed(ports, { now: clock.now(), limit: claimMax }, (due) => {
      claimed = due;
      if (due.length === claimMax) onFull?.();
    });
  } catch (error) {
    if (isPassing(error)) throw error;
    for (const schedule of claimed) await fireAlone(ports, schedule);
    return claimed.length;
  }
}

async function fireAlone(ports: FirePorts, schedule: DueSchedule): Promise<void> {
  const { schedules, clock, log, isPassing } = ports;
  const { jobId } = schedule.job;
  try {
    await fireClaimed(ports, { now: clock.now(), limit: 1, jobId });
  } catch (error) {
    if (isPassing(error)) throw error;
    log.error(
      { job_id: jobId, due: schedule.nextFireAt, error: messageOf(error) },
      'The run of this schedule could not be started; the next fire is tried again.',
    );
    await schedules.giveUp(schedule.nextFireAt, nextOf(schedule, clock.now()));
  }
}

/** Claims, launches and moves on in one transaction; the runs are driven when that is durable. */
async function fireClaimed(
  ports: FirePorts,
  claim: Claim,
  heard?: (due: readonly DueSchedule[]) => void,
): Promise<number> {
  const launched: NewRun[] = [];
  const claimed = await ports.schedules.fireDue(claim, (due) => {
    heard?.(due);
    const decide = createDecider(ports.clock.now());
    const decisions = due.map((schedule) => ({ ...schedule, outcome: dueOf(ports, schedule, decide) }));
    return {
      fired: decisions.map(firedSchedule),
      async launch(transaction) {
        const ends = await Promise.allSettled(
          decisions.map((decision) => launchFires(ports, decision, { transaction, launched })),
        );
        for (const end of ends) if (end.status === 'rejected') throw end.reason;
      },
    };
  });
  for (const run of launched) if (run.state === 'PENDING') ports.launching.accept(createdRun(run));
  return claimed;
}

/** A schedule that has come due, and what is done about it. */
interface Decision extends DueSchedule {
  readonly outcome: Due | Unreadable;
}

/** The transaction of a portion, and the runs that it has launched so far. */
interface Portion {
  readonly transaction: LaunchTransaction;
  readonly launched: NewRun[];
}

async function launchFires(
  ports: FirePorts,
  { job, nextFireAt, outcome }: Decision,
  { transaction, launched }: Portion,
): Promise<void> {
  if ('problem' in outcome) return;
  for (const scheduledTime of outcome.fires)
    launched.push(await fireRun(ports.launching, transaction, { job, scheduledTime }));
  if (outcome.fires.length !== 1 || outcome.fires[0] !== nextFireAt) {
    ports.log.info(
      { job_id: job.jobId, due: nextFireAt, fires: outcome.fires },
      'Fires of this schedule were found late; these of them are run.',
    );
  }
}

function firedSchedule({ job: { jobId }, outcome }: Decision): FiredSchedule {
  if ('problem' in outcome)
    return { jobId, lastFireAt: undefined, nextFireAt: undefined, problem: outcome.problem };
  return { jobId, lastFireAt: outcome.fires.at(-1), nextFireAt: outcome.next, problem: undefined };
}

/** A schedule that rests, and why. */
interface Unreadable {
  readonly problem: string;
}

/** What is to be fired. A schedule that nobody can read rests from now on: it must not hold up the others. */
function dueOf({ log }: FirePorts, { job, nextFireAt }: DueSchedule, decide: Decide): Due | Unreadable {
  const { jobId } = job;
  try {
    const timing = timingOf(job.settings);
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
function nextOf({ job, nextFireAt }: DueSchedule, now: number): FiredSchedule {
  const timing = timingOf(job.settings);
  const next = timing && rhythmOf(timing, nextFireAt)(now);
  return { jobId: job.jobId, lastFireAt: nextFireAt, nextFireAt: next, problem: undefined };
}
