/** When an expression fires in a time zone, with what clock changes do to it, exactly as Quartz does it. */
import { fromEpochDay, secondsPerDay } from './calendar.ts';
import { localTimeAt, resolveLocalTime, type ClockChange } from './local-time.ts';
import { lastYear, nextLocalTime, type QuartzExpression } from './quartz.ts';
import type { Zone } from './zones.ts';

/**
 * Local times that fit but do not exist: the clocks were turned forward over them. Seconds without a zone.
 */
export interface SkippedTimes {
  readonly first: number;
  /** Whether there are more than the first one. */
  readonly hasMore: boolean;
  readonly change: ClockChange;
}

export interface Fire {
  /** Epoch milliseconds. */
  readonly time: number;
  /** What the clocks show then, in seconds without a zone. */
  readonly local: number;
  /** What was skipped between the instant that was asked for and this fire. */
  readonly skipped: readonly SkippedTimes[];
  /** Set when clocks show this time twice, because they were turned back: this is the later one. */
  readonly repeated: ClockChange | undefined;
}

/** A schedule looks no further ahead. */
const searchYears = 100;

/**
 * The first fire strictly after an instant (epoch ms), searched forward in local time and never backward: a
 * time that clocks show twice fires at the later instant alone, one that they leap over does not fire. Ask
 * with the fire before, not with the time of asking. Undefined when there is none within a hundred years.
 */
export function nextFire(quartz: QuartzExpression, zone: Zone, after: number): Fire | undefined {
  const instant = Math.floor(after / 1_000);
  let local: number | undefined = localTimeAt(zone, instant) + 1;
  const until = Math.min(lastYear, fromEpochDay(Math.floor(local / secondsPerDay)).year + searchYears);
  const skipped: SkippedTimes[] = [];
  for (;;) {
    local = nextLocalTime(quartz, local, until);
    if (local === undefined) return undefined;
    const showing = resolveLocalTime(zone, local);
    if (showing.kind === 'never') {
      const { change } = showing;
      const second = nextLocalTime(quartz, local + 1, until);
      skipped.push({ first: local, hasMore: second !== undefined && second < change.to, change });
      local = change.to;
      continue;
    }
    if (showing.instant > instant) {
      return {
        time: showing.instant * 1_000,
        local,
        skipped,
        repeated: showing.kind === 'twice' ? showing.change : undefined,
      };
    }
    local += 1;
  }
}
