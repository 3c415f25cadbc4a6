/** Who a process is on this machine: its pid alone says little, because pids are used again. */
import { execFile } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { hostname } from 'node:os';
import { promisify } from 'node:util';

/**
 * Tells one process from every other, also from a later one with the same pid and from one of another
 * machine.
 */
export interface ProcessIdentity {
  readonly pid: number;
  /**
   * When it started: clock ticks since boot where there is /proc, else the text of `ps` (UTC). Only to be
   * compared.
   */
  readonly startTime: string;
  /** Which start of which machine; `unknown` where there is no /proc, since `ps` gives an absolute time. */
  readonly bootId: string;
}

/** One line of the process table. */
export interface ProcessStatus {
  readonly startTime: string;
  readonly processGroup: number;
  /** True for a zombie: over, but not yet collected by its parent. */
  readonly exited: boolean;
}

/** The name of this machine. */
export const hostName = hostname();

const hasProc = existsSync('/proc/self/stat');
const bootIdRead = readFile('/proc/sys/kernel/random/boot_id', 'utf8').then(
  (text) => text.trim(),
  () => 'unknown',
);

/** The living process with this pid; undefined when there is none, or only its zombie. */
export async function identifyProcess(pid: number): Promise<ProcessIdentity | undefined> {
  const status = await getProcessStatus(pid);
  return status === undefined || status.exited
    ? undefined
    : { pid, startTime: status.startTime, bootId: await bootIdRead };
}

/** True while exactly this process runs. */
export async function isAlive(identity: ProcessIdentity): Promise<boolean> {
  const now = await identifyProcess(identity.pid);
  return now !== undefined && now.startTime === identity.startTime && now.bootId === identity.bootId;
}

/** The process with this pid, living or a zombie; undefined when there is none. */
export async function getProcessStatus(pid: number): Promise<ProcessStatus | undefined> {
  return hasProc ? readStatusFromProc(pid) : readStatusFromPs(pid);
}

function readStatusFromProc(pid: number): ProcessStatus | undefined {
  const stat = readProcStat(pid);
  if (stat === undefined) return undefined;
  // The name in field 2 may hold spaces and brackets, so fields are counted from the last bracket: state is
  // field 3.
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  const [state, group, startTime] = [fields[0] ?? 'X', fields[5 - 3], fields[22 - 3] ?? ''];
  return { startTime, processGroup: Number(group), exited: state === 'Z' || state === 'X' };
}

/** Read at once: the kernel answers from memory. */
function readProcStat(pid: number): string | undefined {
  try {
    return readFileSync(`/proc/${pid}/stat`, 'utf8');
  } catch {
    return undefined;
  }
}

async function readStatusFromPs(pid: number): Promise<ProcessStatus | undefined> {
  // A fixed zone and language: `lstart` is compared as text, and a change of summer time must not alter it.
  const env = { PATH: '/usr/bin:/bin', LC_ALL: 'C', TZ: 'UTC' };
  const answer = await promisify(execFile)('ps', ['-o', 'stat=,pgid=,lstart=', '-p', String(pid)], {
    env,
  }).catch(() => ({ stdout: '' }));
  const [state = '', group, ...start] = answer.stdout.trim().split(/\s+/);
  return state === ''
    ? undefined
    : { startTime: start.join(' '), processGroup: Number(group), exited: state.startsWith('Z') };
}
