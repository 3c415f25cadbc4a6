/** Identity of processes. A pid alone is ambiguous because the kernel reuses pids. */
import { execFile } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { hostname } from 'node:os';
import { promisify } from 'node:util';

/** Identifies a process, also against a later process with the same pid and against other machines. */
export interface ProcessIdentity {
  readonly pid: number;
  /** Start time, only for comparison: clock ticks since boot from /proc, else the text of `ps` in UTC. */
  readonly startTime: string;
  /** Boot id of the machine; `unknown` without /proc, where `ps` gives an absolute start time. */
  readonly bootId: string;
}

/** Entry of the process table. */
export interface ProcessStatus {
  readonly startTime: string;
  readonly processGroup: number;
  /** True for a zombie: the process has exited and its parent has not reaped it. */
  readonly exited: boolean;
}

export const hostName = hostname();

const hasProc = existsSync('/proc/self/stat');
const bootIdRead = readFile('/proc/sys/kernel/random/boot_id', 'utf8').then(
  (text) => text.trim(),
  () => 'unknown',
);

/** Finds the living process with a pid; undefined for a zombie. */
export async function identifyProcess(pid: number): Promise<ProcessIdentity | undefined> {
  const status = await getProcessStatus(pid);
  return status === undefined || status.exited
    ? undefined
    : { pid, startTime: status.startTime, bootId: await bootIdRead };
}

/** Tells whether exactly this process still runs. */
export async function isAlive(identity: ProcessIdentity): Promise<boolean> {
  const now = await identifyProcess(identity.pid);
  return now !== undefined && now.startTime === identity.startTime && now.bootId === identity.bootId;
}

/** Finds the process with a pid, living or zombie. */
export async function getProcessStatus(pid: number): Promise<ProcessStatus | undefined> {
  return hasProc ? readStatusFromProc(pid) : readStatusFromPs(pid);
}

function readStatusFromProc(pid: number): ProcessStatus | undefined {
  const stat = readProcStat(pid);
  if (stat === undefined) return undefined;
  // Field 2, the name, may contain spaces and parentheses. Fields are counted from the last parenthesis, so
  // that the next one is field 3, the state.
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  const [state, group, startTime] = [fields[0] ?? 'X', fields[5 - 3], fields[22 - 3] ?? ''];
  return { startTime, processGroup: Number(group), exited: state === 'Z' || state === 'X' };
}

/** Synchronous, because the kernel answers from memory. */
function readProcStat(pid: number): string | undefined {
  try {
    return readFileSync(`/proc/${pid}/stat`, 'utf8');
  } catch {
    return undefined;
  }
}

async function readStatusFromPs(pid: number): Promise<ProcessStatus | undefined> {
  // `lstart` is compared as text. A fixed zone and locale keep it independent of daylight saving time.
  const env = { PATH: '/usr/bin:/bin', LC_ALL: 'C', TZ: 'UTC' };
  const answer = await promisify(execFile)('ps', ['-o', 'stat=,pgid=,lstart=', '-p', String(pid)], {
    env,
  }).catch(() => ({ stdout: '' }));
  const [state = '', group, ...start] = answer.stdout.trim().split(/\s+/);
  return state === ''
    ? undefined
    : { startTime: start.join(' '), processGroup: Number(group), exited: state.startsWith('Z') };
}
