/** Conversion between instants and the local times of a zone, in whole seconds. */
import { secondsPerDay } from './calendar.ts';
import type { Zone } from './zones.ts';

/** Clock change of a zone, in local times: the clocks jump from `from` to `to`. */
export interface ClockChange {
  readonly from: number;
  readonly to: number;
}

/** Instants of a local time. */
export type LocalTimeResolution =
  | { readonly kind: 'once'; readonly instant: number }
  /** `change` turns the clocks back. Quartz uses the later instant. */
  | { readonly kind: 'twice'; readonly instant: number; readonly change: ClockChange }
  /** `change` turns the clocks forward over the local time. */
  | { readonly kind: 'never'; readonly change: ClockChange };

/** Returns the local time at an instant. */
export function localTimeAt(zone: Zone, instant: number): number {
  return instant + zone.offsetAt(instant);
}

/** Resolves a local time to its instants. */
export function resolveLocalTime(zone: Zone, local: number): LocalTimeResolution {
  // Every offset is shorter than a day, so these three instants cover all offsets around the local time.
  const offsets = [
    ...new Set([-secondsPerDay, 0, secondsPerDay].map((shift) => zone.offsetAt(local + shift))),
  ];
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

/** Finds the clock change after `before`, up to `after`, by binary search. */
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
