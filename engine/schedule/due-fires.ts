/** Decides which due fires of a schedule become runs, and computes the next fire. */
import {
  createNextFireTime,
  scheduleKey,
  type MisfirePolicy,
  type NextFireTime,
  type Schedule,
} from './schedule.ts';
import { fixedLimits } from '../limits.ts';

export interface DueFires {
  /** Fires that become runs, epoch ms, oldest first. */
  readonly fires: readonly number[];
  /** Next fire, epoch ms; undefined when the schedule never fires again. */
  readonly next: number | undefined;
}

/**
 * Decides about a schedule that is due. A fire is on time for a minute. When the first due fire is older, the
 * misfire policy selects the fires that become runs. The work is bounded for any number of fires.
 * @param due first due fire, epoch ms
 * @throws ServiceError INVALID_PARAMETER_VALUE for an expression or zone that is refused
 */
export function decideDueFires(schedule: Schedule, due: number, now: number): DueFires {
  const nextFireTime = createNextFireTime(schedule, due);
  const onTime = now - fixedLimits.misfireThresholdMs;
  const { from, maximum } =
    due < onTime
      ? misfireSelections[schedule.misfirePolicy](due, onTime)
      : { from: due, maximum: fixedLimits.catchUpFires };
  const fires = latestFires(nextFireTime, from, now, maximum);
  const last = fires.at(-1);
  return { fires, next: last === undefined ? nextFireTime(now) : nextSpacedFire(nextFireTime, last) };
}

/** Selects the due fires that become runs: the last `maximum` fires at or after `from`. */
interface FireSelection {
  readonly from: number;
  readonly maximum: number;
}

const misfireSelections: Readonly<Record<MisfirePolicy, (due: number, onTime: number) => FireSelection>> = {
  FIRE_ONCE: (due) => ({ from: due, maximum: 1 }),
  SKIP: (_due, onTime) => ({ from: onTime, maximum: fixedLimits.catchUpFires }),
  FIRE_ALL: (due) => ({ from: due, maximum: fixedLimits.catchUpFires }),
};

/** Returns the last `maximum` fires from `from` to `until`, both inclusive, oldest first. */
function latestFires(nextFireTime: NextFireTime, from: number, until: number, maximum: number): number[] {
  const firesAfter = (after: number, count: number): number[] => {
    const times: number[] = [];
    let next = nextFireTime(after);
    for (
      ;
      next !== undefined && next <= until && times.length < count;
      next = nextSpacedFire(nextFireTime, next)
    )
      times.push(next);
    return times;
  };
  let [low, high] = [from - 1, until];
  const first = firesAfter(low, maximum + 1);
  if (first.length <= maximum) return first;
  // A binary search finds the latest instant with enough fires after it; iterating over years of fires would
  // take too long.
  while (high - low > 1_000) {
    const middle = Math.floor((low + high) / 2);
    if (firesAfter(middle, maximum).length === maximum) low = middle;
    else high = middle;
  }
  return firesAfter(low, maximum + 1).slice(-maximum);
}

/** Returns the next fire that keeps the minimum gap to a fire. */
function nextSpacedFire(nextFireTime: NextFireTime, fire: number): number | undefined {
  let next = nextFireTime(fire);
  while (next !== undefined && next - fire < fixedLimits.fireGapMs) next = nextFireTime(next);
  return next;
}

/** `decideDueFires` for one instant. */
export type DecideDueFires = (schedule: Schedule, due: number) => DueFires;

/** Creates a decider for many schedules at one instant. It caches decisions about equal schedules. */
export function createCachedDecider(now: number): DecideDueFires {
  const decided = new Map<string, DueFires>();
  return (schedule, due) => {
    const key = `${due} ${schedule.misfirePolicy} ${scheduleKey(schedule)}`;
    const known = decided.get(key) ?? decideDueFires(schedule, due, now);
    decided.set(key, known);
    return known;
  };
}
