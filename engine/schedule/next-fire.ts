/** Computes the fires of an expression in a time zone; clock changes have the same effect as in Quartz. */
import { fromEpochDay, secondsPerDay } from './calendar.ts';
import { localTimeAt, resolveLocalTime, type ClockChange } from './local-time.ts';
import { lastYear, nextLocalTime, type QuartzExpression } from './quartz.ts';
import type { Zone } from './zones.ts';

/** Matching local times that do not exist because a clock change skips them. Seconds without a zone. */
export interface SkippedTimes {
  readonly first: number;
  /** True when the clock change skips more than one matching time. */
  readonly hasMore: boolean;
  readonly change: ClockChange;
}

export interface Fire {
  /** Epoch milliseconds. */
  readonly time: number;
  /** Local time of the fire, seconds without a zone. */
  readonly local: number;
  /** Times skipped between the requested instant and this fire. */
  readonly skipped: readonly SkippedTimes[];
  /** Clock change that repeats this local time; the fire is the later occurrence. */
  readonly repeated: ClockChange | undefined;
}

/** Maximum distance of the next fire, years. */
const searchYears = 100;

/**
 * Returns the first fire strictly after an instant (epoch ms); undefined when there is none within 100 years.
 * The search moves forward in local time: a repeated time fires only at the later instant, a skipped time
 * does not fire. To continue a schedule, pass the previous fire, not the current time.
 */
export function nextFire(quartz: QuartzExpression, zone: Zone, after: number): Fire | undefined {
  const instant = Math.floor(after / 1_000);
  let local: number | undefined = localTimeAt(zone, instant) + 1;
  const until = Math.min(lastYear, fromEpochDay(Math.floor(local / secondsPerDay)).year + searchYears);
  const skipped: SkippedTimes[] = [];
  for (;;) {
    local = nextLocalTime(quartz, local, until);
    if (local === undefined) return undefined;
    const resolved = resolveLocalTime(zone, local);
    if (resolved.kind === 'never') {
      const { change } = resolved;
      const second = nextLocalTime(quartz, local + 1, until);
      skipped.push({ first: local, hasMore: second !== undefined && second < change.to, change });
      local = change.to;
      continue;
    }
    if (resolved.instant > instant) {
      return {
        time: resolved.instant * 1_000,
        local,
        skipped,
        repeated: resolved.kind === 'twice' ? resolved.change : undefined,
      };
    }
    local += 1;
  }
}
