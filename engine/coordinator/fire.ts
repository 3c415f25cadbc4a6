/** Fires schedules: waits for the first that is due, starts the runs of all that are, and waits again. */
import type { Clock } from '../clock.ts';
import { messageOf } from '../errors.ts';
import { fireRun, type LaunchPorts } from '../launch.ts';
import type { Log } from '../ports.ts';
import type { LaunchTransaction } from '../run-ports.ts';
import { createdRun, type NewRun } from '../run/created.ts';
import { decideDue } from '../schedule/due.ts';
import { rhythmOf, timingOf } from '../schedule/timing.ts';
import type { Claim, DueSchedule, FiredSchedule, ScheduleStore } from '../schedule-ports.ts';

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
const claimMax = 500;
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
    cancel = clock.at(at, () => { turn = takeTurn(); });
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

/** Fires everything that is due, and gives the time of the next look. Never rejects: nothing may stop the loop. */
async function lookAndFire(ports: FirePorts, closed: () => boolean): Promise<number> {
  const { schedules, clock, log } = ports;
  try {
    let claimed = claimMax;
    while (claimed === claimMax && !closed()) claimed = await fireMany(ports);
    const now = clock.now();
    const next = await schedules.firstDue();
    if (next === undefined) return now + longestWaitMs;
    return Math.min(Math.max(next, now + (next <= now && claimed === 0 ? heldMs : 0)), now + longestWaitMs);
  } catch (error) {
    log.warn({ error: messageOf(error) }, 'Schedules cannot be fired now; trying again.');
    return clock.now() + errorMs;
  }
}

/** Fires a portion of what is due, and gives its size. When one of them fails, each is fired on its own: it fails alone. */
async function fireMany(ports: FirePorts): Promise<number> {
  const { clock, isPassing } = ports;
  let claimed: readonly DueSchedule[] = [];
  try {
    return await fireClaimed(ports, { now: clock.now(), limit: claimMax }, (due) => { claimed = due; });
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
    log.error({ job_id: jobId, due: schedule.nextFireAt, error: messageOf(error) }, 'The run of this schedule could not be started; the next fire is tried again.');
    await schedules.giveUp(schedule.nextFireAt, nextOf(schedule, clock.now()));
  }
}

/** Claims, launches and moves on in one transaction; the runs are driven when that is durable. */
async function fireClaimed(ports: FirePorts, claim: Claim, heard?: (due: readonly DueSchedule[]) => void): Promise<number> {
  const launched: NewRun[] = [];
  const claimed = await ports.schedules.fireDue(claim, async (due, transaction) => {
    heard?.(due);
    const fired = await Promise.allSettled(due.map((schedule) => fireOne(ports, schedule, transaction, launched)));
    return fired.map((one) => {
      if (one.status === 'rejected') throw one.reason;
      return one.value;
    });
  });
  for (const run of launched) if (run.state === 'PENDING') ports.launching.accept(createdRun(run));
  return claimed;
}

async function fireOne(ports: FirePorts, schedule: DueSchedule, transaction: LaunchTransaction, launched: NewRun[]): Promise<FiredSchedule> {
  const { job, nextFireAt } = schedule;
  const due = dueOf(ports, schedule);
  if ('problem' in due) return due;
  for (const scheduledTime of due.fires) launched.push(await fireRun(ports.launching, transaction, { job, scheduledTime }));
  if (due.fires.length !== 1 || due.fires[0] !== nextFireAt) {
    ports.log.info({ job_id: job.jobId, due: nextFireAt, fires: due.fires }, 'Fires of this schedule were found late; these of them are run.');
  }
  return { jobId: job.jobId, lastFireAt: due.fires.at(-1), nextFireAt: due.next, problem: undefined };
}

/** What is to be fired. A schedule that nobody can read rests from now on: it must not hold up the others. */
function dueOf({ clock, log }: FirePorts, { job, nextFireAt }: DueSchedule): ReturnType<typeof decideDue> | FiredSchedule {
  const { jobId } = job;
  try {
    const timing = timingOf(job.settings);
    if (timing === undefined || timing.paused) return { fires: [], next: undefined };
    return decideDue(timing, nextFireAt, clock.now());
  } catch (error) {
    const problem = messageOf(error);
    log.error({ job_id: jobId, error: problem }, 'The schedule of this job cannot be read; it rests until the job is changed.');
    return { jobId, lastFireAt: undefined, nextFireAt: undefined, problem };
  }
}

/** The schedule after a fire that was given up. */
function nextOf({ job, nextFireAt }: DueSchedule, now: number): FiredSchedule {
  const timing = timingOf(job.settings);
  const next = timing && rhythmOf(timing, nextFireAt)(now);
  return { jobId: job.jobId, lastFireAt: nextFireAt, nextFireAt: next, problem: undefined };
}
