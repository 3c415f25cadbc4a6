/** Which fires of a schedule are due, which of them become runs, and when the next one is. */
import {
  createNextFireTime,
  scheduleKey,
  type MisfirePolicy,
  type NextFireTime,
  type Schedule,
} from './schedule.ts';
import { fixedLimits } from '../limits.ts';

export interface DueFires {
  /** For which times runs are started, epoch ms, oldest first. */
  readonly fires: readonly number[];
  /** The next fire, epoch ms; undefined when the schedule has none any more. */
  readonly next: number | undefined;
}

/**
 * What to do about a schedule whose next fire has come. Fires are on time for a minute; when the first of
 * those that have come is older, they were missed, and the policy decides. However many there are, the work
 * is bounded.
 * @param due the first fire that has come, epoch ms
 * @throws ServiceError INVALID_PARAMETER_VALUE for an expression or zone that is refused
 */
export function decideDueFires(timing: Schedule, due: number, now: number): DueFires {
  const rhythm = createNextFireTime(timing, due);
  const onTime = now - fixedLimits.misfireThresholdMs;
  const { from, maximum } =
    due < onTime
      ? misfireSelections[timing.misfirePolicy](due, onTime)
      : { from: due, maximum: fixedLimits.catchUpFires };
  const fires = latestFires(rhythm, from, now, maximum);
  const last = fires.at(-1);
  return { fires, next: last === undefined ? rhythm(now) : nextSpacedFire(rhythm, last) };
}

/** Which of the fires that have come become runs: the last `most` of those that are not before `from`. */
interface FireSelection {
  readonly from: number;
  readonly maximum: number;
}

const misfireSelections: Readonly<Record<MisfirePolicy, (due: number, onTime: number) => FireSelection>> = {
  FIRE_ONCE: (due) => ({ from: due, maximum: 1 }),
  SKIP: (_due, onTime) => ({ from: onTime, maximum: fixedLimits.catchUpFires }),
  FIRE_ALL: (due) => ({ from: due, maximum: fixedLimits.catchUpFires }),
};

/** The last `most` fires that are not before `from` and not after `until`, oldest first. */
function latestFires(rhythm: NextFireTime, from: number, until: number, most: number): number[] {
  const firesAfter = (after: number, enough: number): number[] => {
    const times: number[] = [];
    let next = rhythm(after);
    for (; next !== undefined && next <= until && times.length < enough; next = nextSpacedFire(rhythm, next))
      times.push(next);
    return times;
  };
  let [low, high] = [from - 1, until];
  const first = firesAfter(low, most + 1);
  if (first.length <= most) return first;
  // Years of fires are not gone through one by one: the latest instant with enough fires after it is found by
  // halving.
  while (high - low > 1_000) {
    const middle = Math.floor((low + high) / 2);
    if (firesAfter(middle, most).length === most) low = middle;
    else high = middle;
  }
  return firesAfter(low, most + 1).slice(-most);
}

/** The next fire that is far enough from one to be run, too. */
function nextSpacedFire(rhythm: NextFireTime, fire: number): number | undefined {
  let next = rhythm(fire);
  while (next !== undefined && next - fire < fixedLimits.fireGapMs) next = rhythm(next);
  return next;
}

/** As `decideDueFires`, for one instant. */
export type DecideDueFires = (timing: Schedule, due: number) => DueFires;

/**
 * Decides about many schedules at one instant: those that say the same and are due for the same time are
 * decided once.
 */
export function createCachedDecider(now: number): DecideDueFires {
  const decided = new Map<string, DueFires>();
  return (timing, due) => {
    const key = `${due} ${timing.misfirePolicy} ${scheduleKey(timing)}`;
    const known = decided.get(key) ?? decideDueFires(timing, due, now);
    decided.set(key, known);
    return known;
  };
}
