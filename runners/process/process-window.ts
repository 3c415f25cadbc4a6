/**
 * The processes that started after an instant, by their process ids. Looking for the processes of an attempt among
 * these only is cheap; the scan of all processes of a busy machine costs several milliseconds.
 */
import { readFileSync } from 'node:fs';

/** The process ids that were given out after the window was opened. */
export interface ProcessWindow {
  /** Returns whether a process with this id may have started since; true when that cannot be told. */
  mayContain(pid: number): boolean;
  /** All its process ids when they are few; undefined otherwise. */
  readonly ids: readonly number[] | undefined;
}

interface PidCounters {
  /** Processes and threads started since boot. */
  readonly forks: number;
  /** The id that was given out last. */
  readonly lastPid: number;
}

/** Starts that the kernel has given an id and not yet counted: far more than a machine has processors. */
const uncountedMax = 4_096;

/** Opens a window. A call before the start of a process makes the window contain it and all its descendants. */
export function openProcessWindow(): () => ProcessWindow {
  const start = readCounters(['forks', 'lastPid']);
  return () =>
    toWindow(start, readCounters(['lastPid', 'forks']), readNumber('/proc/sys/kernel/pid_max', /\d+/));
}

/** Contains every process. */
export const allProcesses: ProcessWindow = { mayContain: () => true, ids: undefined };

/** Number of ids up to which looking at each costs less than listing all processes. */
const fewIds = 100;

/**
 * Ids are given out in ascending order and begin again after the greatest one. Without a whole round in between, the
 * new ones are those from the last one at the start to the last one now.
 */
export function toWindow(
  start: PidCounters | undefined,
  now: PidCounters | undefined,
  greatestPid: number | undefined,
): ProcessWindow {
  if (start === undefined || now === undefined || greatestPid === undefined) return allProcesses;
  if (now.forks - start.forks + uncountedMax >= greatestPid) return allProcesses;
  const [from, to] = [start.lastPid, now.lastPid];
  return {
    mayContain: from <= to ? (pid) => pid > from && pid <= to : (pid) => pid > from || pid <= to,
    ids:
      from <= to && to - from <= fewIds
        ? Array.from({ length: to - from }, (_, index) => from + 1 + index)
        : undefined,
  };
}

/** Reads in the given order, so that the difference of `forks` covers that of `lastPid`. */
function readCounters(order: readonly (keyof PidCounters)[]): PidCounters | undefined {
  const read = new Map(order.map((name) => [name, readNumber(sources[name].file, sources[name].pattern)]));
  const [forks, lastPid] = [read.get('forks'), read.get('lastPid')];
  return forks === undefined || lastPid === undefined ? undefined : { forks, lastPid };
}

const sources = {
  forks: { file: '/proc/stat', pattern: /^processes (\d+)$/m },
  lastPid: { file: '/proc/loadavg', pattern: / (\d+)\s*$/ },
} as const satisfies Record<keyof PidCounters, { readonly file: string; readonly pattern: RegExp }>;

function readNumber(file: string, pattern: RegExp): number | undefined {
  try {
    const match = pattern.exec(readFileSync(file, 'utf8'));
    return match === null ? undefined : Number(match[1] ?? match[0]);
  } catch {
    return undefined;
  }
}
