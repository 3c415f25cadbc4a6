/** Which fires of a schedule are due, which of them become runs, and when the next one is. */
import { nextFire } from './next-fire.ts';
import { parseQuartz, type Quartz } from './quartz.ts';
import { zoneOf, type Zone } from './zones.ts';

/** What happens to fires that were missed: one run for the last of them, none, or one each. */
export type MisfirePolicy = 'FIRE_ONCE' | 'SKIP' | 'FIRE_ALL';

/** The part of a job's schedule that says when it fires. */
export interface Timing {
  readonly quartz_cron_expression: string;
  readonly timezone_id: string;
  readonly pause_status?: 'PAUSED' | 'UNPAUSED';
  readonly misfire_policy?: MisfirePolicy;
}

/** The least distance between two runs of one schedule, in milliseconds; a fire that is closer is dropped. */
export const runDistanceMs = 10_000;

/** How late a fire may be and still count as on time, in milliseconds: a restart is no reason to lose a run. */
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
 * The first fire of a schedule after an instant (epoch ms); undefined while it is paused, and when it never fires again.
 * @throws ServiceError INVALID_PARAMETER_VALUE for an expression or zone that is refused
 */
export function firstFire(timing: Timing, after: number): number | undefined {
  const { quartz, zone } = read(timing);
  return timing.pause_status === 'PAUSED' ? undefined : nextFire(quartz, zone, after)?.time;
}

/** Whether a schedule, paused or not, fires at all after an instant. @throws ServiceError as `firstFire` */
export function everFires(timing: Timing, after: number): boolean {
  return firstFire({ ...timing, pause_status: 'UNPAUSED' }, after) !== undefined;
}

/**
 * What to do about a schedule whose next fire has come. Fires are on time for a minute; when the first of those that have come
 * is older, they were missed, and the policy decides. However many there are, the work is bounded.
 * @param due the first fire that has come, epoch ms
 * @throws ServiceError INVALID_PARAMETER_VALUE for an expression or zone that is refused
 */
export function decideDue(timing: Timing, due: number, now: number): Due {
  const { quartz, zone } = read(timing);
  const onTime = now - onTimeMs;
  const { from, most } = due < onTime ? missed[timing.misfire_policy ?? 'FIRE_ONCE'](due, onTime) : { from: due, most: missedFiresMax };
  const fires = latestFires(quartz, zone, from, now, most);
  const last = fires.at(-1);
  return { fires, next: last === undefined ? nextFire(quartz, zone, now)?.time : distantFire(quartz, zone, last) };
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
function latestFires(quartz: Quartz, zone: Zone, from: number, until: number, most: number): number[] {
  const firesAfter = (after: number, enough: number): number[] => {
    const times: number[] = [];
    let next = nextFire(quartz, zone, after)?.time;
    for (; next !== undefined && next <= until && times.length < enough; next = distantFire(quartz, zone, next)) times.push(next);
    return times;
  };
  // Years of fires are not gone through one by one: the latest instant with enough fires after it is found by halving.
  let [low, high] = [from - 1, until];
  if (firesAfter(low, most + 1).length <= most) return firesAfter(low, most);
  while (high - low > 1_000) {
    const middle = Math.floor((low + high) / 2);
    if (firesAfter(middle, most).length === most) low = middle;
    else high = middle;
  }
  return firesAfter(low, most + 1).slice(-most);
}

/** The next fire that is far enough from one to be run, too. */
function distantFire(quartz: Quartz, zone: Zone, fire: number): number | undefined {
  let next: number | undefined = fire;
  do next = nextFire(quartz, zone, next)?.time;
  while (next !== undefined && next - fire < runDistanceMs);
  return next;
}

function read(timing: Timing): { readonly quartz: Quartz; readonly zone: Zone } {
  return { quartz: parseQuartz(timing.quartz_cron_expression), zone: zoneOf(timing.timezone_id) };
}
