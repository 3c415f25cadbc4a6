/** Ending a process group for good: TERM, then KILL, then proof that nothing of it is left. */
import { readFileSync, readlinkSync } from 'node:fs';
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { codeOf } from '../../engine/errors.ts';
import { getProcessStatus } from '../../engine/process-identity.ts';
import type { WakeSignal } from '../wake-signal.ts';

/** Environment variable that marks every process of an attempt; its value is the attempt's directory. */
export const attemptMarker = 'RUNYARD_ATTEMPT_DIR';

/** Sends a signal to every process of a group; false when there is none. */
export function signalGroup(group: number, signal: NodeJS.Signals | 0): boolean {
  try {
    process.kill(-group, signal);
    return true;
  } catch (error) {
    if (codeOf(error) === 'ESRCH') return false;
    // EPERM: there are members, but none that we may signal.
    if (codeOf(error) === 'EPERM') return true;
    throw error;
  }
}

/** Every process that we may look at: its environment variables, and the logs that it writes to. */
export const listProcesses = singleFlight(async () =>
  (await listPids()).map((pid) => ({ pid, variables: readEnvironment(pid), logs: listLogFiles(pid) })),
);

/**
 * Read at once: the kernel answers from memory, and hundreds of reads in a thread pool cost ten times as
 * much, and memory for good.
 */
function readEnvironment(pid: number): string[] {
  try {
    return readFileSync(`/proc/${pid}/environ`, 'utf8').split('\0');
  } catch {
    return [];
  }
}

/** The files that stdout and stderr of a process lead to, as far as they have the names of logs. */
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
 * One look at all processes serves everybody who asks before it begins: a hundred tasks that are stopped
 * together would otherwise look a hundred times. It begins after they have asked, so that nobody gets an
 * answer older than the question.
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

/**
 * The living processes that carry the mark of an attempt, wherever they have moved to (setsid, double fork).
 * One that has cleared its environment is known by the attempt's log, which it still writes to.
 */
async function findMarkedProcesses(directory: string): Promise<number[]> {
  const mark = `${attemptMarker}=${directory}`;
  const marked = (await listProcesses()).filter(
    ({ variables, logs }) =>
      variables.includes(mark) || logs.some((log) => log.startsWith(join(directory, '/'))),
  );
  // The environment of a zombie is empty, so that none of them is dead.
  return marked.map(({ pid }) => pid);
}

/** True while a group has a member that is not a zombie. */
export async function isGroupAlive(group: number): Promise<boolean> {
  if (!signalGroup(group, 0)) return false;
  const all = await listProcessStatuses();
  if (all.length === 0) return true;
  return all.some((status) => status !== undefined && status.processGroup === group && !status.exited);
}

/**
 * Ends a group: SIGTERM, SIGKILL after the grace period, then every process that left the group but still
 * carries the attempt's mark. Resolves when nothing is left.
 * @param bell rung when a member ended, so that nobody waits for a tick
 */
export async function terminateGroup(
  group: number,
  directory: string,
  graceMs: number,
  bell: WakeSignal,
): Promise<void> {
  const tick = 50;
  signalGroup(group, 'SIGTERM');
  for (let waited = 0; waited < graceMs && (await isGroupAlive(group)); waited += tick) await bell.wait(tick);
  while (await isGroupAlive(group)) {
    signalGroup(group, 'SIGKILL');
    await bell.wait(tick);
  }
  await killMarkedProcesses(directory, bell);
}

/** Ends every process that carries an attempt's mark, at once. */
export async function killMarkedProcesses(directory: string, bell: WakeSignal): Promise<void> {
  for (;;) {
    const left = await findMarkedProcesses(directory);
    if (left.length === 0) return;
    for (const pid of left) killProcess(pid);
    await bell.wait(50);
  }
}

function killProcess(pid: number): void {
  try {
    process.kill(pid, 'SIGKILL');
  } catch (error) {
    // It ended by itself in the meantime.
    if (codeOf(error) !== 'ESRCH') throw error;
  }
}

/** Every pid of the machine; empty where there is no /proc. */
async function listPids(): Promise<number[]> {
  const names = await readdir('/proc').catch(() => []);
  return names.filter((name) => /^\d+$/.test(name)).map(Number);
}
