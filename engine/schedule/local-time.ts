/**
 * Local times of a zone: what its clocks show at an instant, and at which instants they show something. Whole
 * seconds throughout.
 */
import { secondsPerDay } from './calendar.ts';
import type { Zone } from './zones.ts';

/** A jump of the clocks, in local times: they go from `from` to `to`. */
export interface ClockChange {
  readonly from: number;
  readonly to: number;
}

/** When clocks show a local time. */
export type LocalTimeResolution =
  | { readonly kind: 'once'; readonly instant: number }
  /** They were turned back by `change`; the later instant is that of Quartz. */
  | { readonly kind: 'twice'; readonly instant: number; readonly change: ClockChange }
  /** They were turned forward over it. */
  | { readonly kind: 'never'; readonly change: ClockChange };

/** What the clocks show at an instant. */
export function localTimeAt(zone: Zone, instant: number): number {
  return instant + zone.offsetAt(instant);
}

/** When the clocks of a zone show a local time. */
export function resolveLocalTime(zone: Zone, local: number): LocalTimeResolution {
  // No zone is a day from UTC, so whatever offsets are in force around this local time are among these three.
  const offsets = [...new Set([-secondsPerDay, 0, secondsPerDay].map((away) => zone.offsetAt(local + away)))];
  const instants = offsets
    .map((offset) => local - offset)
    .filter((instant) => localTimeAt(zone, instant) === local);
  const first = Math.min(...instants);
  const last = Math.max(...instants);
  if (instants.length === 0)
    return {
      kind: 'never',
      change: findClockChange(zone, local - Math.max(...offsets), local - Math.min(...offsets)),
    };
  if (first === last) return { kind: 'once', instant: last };
  return { kind: 'twice', instant: last, change: findClockChange(zone, first, last) };
}

/** The change of the clocks after `before` and not after `after`, found by halving. */
function findClockChange(zone: Zone, before: number, after: number): ClockChange {
  const [from, to] = [zone.offsetAt(before), zone.offsetAt(after)];
  let [low, high] = [before, after];
  while (high - low > 1) {
    const middle = Math.floor((low + high) / 2);
    if (zone.offsetAt(middle) === from) low = middle;
    else high = middle;
  }
  return { from: high + from, to: high + to };
}
