/** Terminates process groups: SIGTERM, then SIGKILL, then a check that no process remains. */
import { readFileSync, readlinkSync } from 'node:fs';
import { readdir } from 'node:fs/promises';
import { setImmediate } from 'node:timers/promises';
import { join } from 'node:path';
import { codeOf } from '../../engine/errors.ts';
import { getProcessStatus } from '../../engine/process-identity.ts';
import { allProcesses, type ProcessWindow } from './process-window.ts';
import type { WakeSignal } from '../wake-signal.ts';
import { attemptMarker } from './start-supervisor.mjs';

/** Sends a signal to a process group; false when it is empty. */
export function signalGroup(group: number, signal: NodeJS.Signals | 0): boolean {
  try {
    process.kill(-group, signal);
    return true;
  } catch (error) {
    if (codeOf(error) === 'ESRCH') return false;
    // EPERM: the group has members, but none that this user may signal.
    if (codeOf(error) === 'EPERM') return true;
    throw error;
  }
}

/** Lists the readable processes with their environment and the logs that they write to. */
export const listProcesses = singleFlight(async () => describeProcesses(await listPids()));

interface ProcessDescription {
  readonly pid: number;
  /** `NAME=value` of its environment. */
  readonly variables: readonly string[];
  /** Logs that it writes to, unless its environment has a mark. */
  readonly logs: readonly string[];
}

function describeProcess(pid: number): ProcessDescription {
  const variables = readEnvironment(pid);
  // A mark says more than a log.
  const isMarked = variables.some((variable) => variable.startsWith(`${attemptMarker}=`));
  return { pid, variables, logs: isMarked ? [] : listLogFiles(pid) };
}

/** Reads synchronously: the kernel answers from memory, and a thread pool costs ten times as much. */
function readEnvironment(pid: number): string[] {
  try {
    return readFileSync(`/proc/${pid}/environ`, 'utf8').split('\0');
  } catch {
    return [];
  }
}

/** Returns the files of stdout and stderr of a process that have the names of logs. */
function listLogFiles(pid: number): string[] {
  return [1, 2].flatMap((descriptor) => {
    try {
      const file = readlinkSync(`/proc/${pid}/fd/${descriptor}`);
      return /\/std(out|err)$/.test(file) ? file : [];
    } catch {
      return [];
    }
  });
}

const listProcessStatuses = singleFlight(async () => Promise.all((await listPids()).map(getProcessStatus)));

/**
 * Coalesces scans of all processes: a scan serves every caller that came before it began, never one that came
 * later. A hundred tasks that are stopped together need one scan.
 */
function singleFlight<Found>(look: () => Promise<Found>): () => Promise<Found> {
  let present: Promise<unknown> = Promise.resolve();
  let coming: Promise<Found> | undefined;
  return () => {
    coming ??= present.then(() => {
      coming = undefined;
      const looking = look();
      present = looking.catch(() => undefined);
      return looking;
    });
    return coming;
  };
}

/** Windows of the callers that the next scan serves. */
const waitingWindows: ProcessWindow[] = [];

const listWindowedProcesses = singleFlight(async () => {
  const windows = waitingWindows.splice(0);
  const isWanted = (pid: number): boolean => windows.some((window) => window.mayContain(pid));
  return describeProcesses((await listPids()).filter(isWanted));
});

/** Lists the processes of a window. A scan serves all callers that wait for one, because many tasks end at once. */
async function listCandidates(window: ProcessWindow): Promise<readonly ProcessDescription[]> {
  if (window === allProcesses) return listProcesses();
  if (window.ids !== undefined) return window.ids.map(describeProcess);
  waitingWindows.push(window);
  return listWindowedProcesses();
}

/** Processes that are read between two turns of the event loop. */
const readAtOnce = 64;

async function describeProcesses(pids: readonly number[]): Promise<ProcessDescription[]> {
  const described: ProcessDescription[] = [];
  for (const [index, pid] of pids.entries()) {
    if (index % readAtOnce === readAtOnce - 1) await setImmediate();
    described.push(describeProcess(pid));
  }
  return described;
}

/**
 * Returns the living processes of an attempt by their mark, also after setsid or a double fork. A process
 * with a cleared environment is recognized by the log that it writes to.
 */
async function findMarkedProcesses(directory: string, window: ProcessWindow): Promise<number[]> {
  const mark = `${attemptMarker}=${directory}`;
  const candidates = await listCandidates(window);
  const marked = candidates.filter(
    ({ variables, logs }) =>
      variables.includes(mark) || logs.some((log) => log.startsWith(join(directory, '/'))),
  );
  // Zombies have an empty environment and are therefore not included.
  return marked.map(({ pid }) => pid);
}

/** Tells whether a group has a member that is not a zombie. */
async function isGroupAlive(group: number): Promise<boolean> {
  if (!signalGroup(group, 0)) return false;
  const all = await listProcessStatuses();
  if (all.length === 0) return true;
  return all.some((status) => status !== undefined && status.processGroup === group && !status.exited);
}

/**
 * Terminates a group: SIGTERM, SIGKILL after the grace period, then SIGKILL for marked processes that left
 * the group. Resolves when no process remains.
 * @param wakeSignal woken when a member ends, which avoids a wait for the next poll
 */
export async function terminateGroup(
  group: number,
  directory: string,
  graceMs: number,
  wakeSignal: WakeSignal,
): Promise<void> {
  const tick = 50;
  signalGroup(group, 'SIGTERM');
  for (let waited = 0; waited < graceMs && (await isGroupAlive(group)); waited += tick)
    await wakeSignal.wait(tick);
  while (await isGroupAlive(group)) {
    signalGroup(group, 'SIGKILL');
    await wakeSignal.wait(tick);
  }
  await killMarkedProcesses(directory, wakeSignal);
}

/**
 * Kills every process with the mark of an attempt.
 * @param openWindow returns the processes among which they are; default: all processes of this machine
 */
export async function killMarkedProcesses(
  directory: string,
  wakeSignal: WakeSignal,
  openWindow: () => ProcessWindow = () => allProcesses,
): Promise<void> {
  for (;;) {
    const left = await findMarkedProcesses(directory, openWindow());
    if (left.length === 0) return;
    for (const pid of left) killProcess(pid);
    await wakeSignal.wait(50);
  }
}

function killProcess(pid: number): void {
  try {
    process.kill(pid, 'SIGKILL');
  } catch (error) {
    // The process has already ended.
    if (codeOf(error) !== 'ESRCH') throw error;
  }
}

/** Lists all process ids; empty without /proc. */
async function listPids(): Promise<number[]> {
  const names = await readdir('/proc').catch(() => []);
  return names.filter((name) => /^\d+$/.test(name)).map(Number);
}
