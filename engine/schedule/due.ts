/** Which fires of a schedule are due, which of them become runs, and when the next one is. */
import { rhythmOf, timingText, type MisfirePolicy, type Rhythm, type Timing } from './timing.ts';

/** The least distance between two runs of one schedule, in milliseconds; a fire that is closer is dropped. */
export const runDistanceMs = 10_000;

/**
 * How late a fire may be and still count as on time, in milliseconds: a restart is no reason to lose a run.
 */
export const onTimeMs = 60_000;

/** Most fires that FIRE_ALL makes up for: the latest. */
export const missedFiresMax = 100;

export interface Due {
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
export function decideDue(timing: Timing, due: number, now: number): Due {
  const rhythm = rhythmOf(timing, due);
  const onTime = now - onTimeMs;
  const { from, most } =
    due < onTime ? missed[timing.misfirePolicy](due, onTime) : { from: due, most: missedFiresMax };
  const fires = latestFires(rhythm, from, now, most);
  const last = fires.at(-1);
  return { fires, next: last === undefined ? rhythm(now) : distantFire(rhythm, last) };
}

/** Which of the fires that have come become runs: the last `most` of those that are not before `from`. */
interface Choice {
  readonly from: number;
  readonly most: number;
}

const missed: Readonly<Record<MisfirePolicy, (due: number, onTime: number) => Choice>> = {
  FIRE_ONCE: (due) => ({ from: due, most: 1 }),
  SKIP: (_due, onTime) => ({ from: onTime, most: missedFiresMax }),
  FIRE_ALL: (due) => ({ from: due, most: missedFiresMax }),
};

/** The last `most` fires that are not before `from` and not after `until`, oldest first. */
function latestFires(rhythm: Rhythm, from: number, until: number, most: number): number[] {
  const firesAfter = (after: number, enough: number): number[] => {
    const times: number[] = [];
    let next = rhythm(after);
    for (; next !== undefined && next <= until && times.length < enough; next = distantFire(rhythm, next))
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
function distantFire(rhythm: Rhythm, fire: number): number | undefined {
  let next = rhythm(fire);
  while (next !== undefined && next - fire < runDistanceMs) next = rhythm(next);
  return next;
}

/** As `decideDue`, for one instant. */
export type Decide = (timing: Timing, due: number) => Due;

/**
 * Decides about many schedules at one instant: those that say the same and are due for the same time are
 * decided once.
 */
export function createDecider(now: number): Decide {
  const decided = new Map<string, Due>();
  return (timing, due) => {
    const key = `${due} ${timing.misfirePolicy} ${timingText(timing)}`;
    const known = decided.get(key) ?? decideDue(timing, due, now);
    decided.set(key, known);
    return known;
  };
}
