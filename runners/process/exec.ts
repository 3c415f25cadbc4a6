/**
 * `exec` starts the process of an attempt, or attaches to the one that an earlier call started.
 *
 * A process writes its own logs, and a supervisor shell records its exit code, so it survives the engine.
 * Later callers (another thread, another engine) find its state in the directory of the attempt: `pid` holds
 * the claim, `exit` the exit code, `stdout` and `stderr` the logs.
 */
import { existsSync, mkdirSync, watch, type FSWatcher } from 'node:fs';
import { mkdir } from 'node:fs/promises';
import { hostName, isAlive, type ProcessIdentity } from '../../engine/process-identity.ts';
import { createWakeSignal, type WakeSignal } from '../wake-signal.ts';
import type { Exit } from '../contract.ts';
import { openProcessWindow, type ProcessWindow } from './process-window.ts';
import { truncateLogs, createLogTruncator } from './log-truncation.ts';
import { preventStart, readClaim, readExitCode, readStop, recordStop } from './process-state.ts';
import { terminateGroup, killMarkedProcesses, signalGroup } from './process-group.ts';
import { startDirectly } from './spawner.ts';
import type { StartedProcess, StartSupervisor } from './start-connection.ts';
import type { SupervisorRequest } from './start-supervisor.mjs';

/** Program to run, and the directory of its files; its directories are created when missing. */
export interface ProcessSpec extends SupervisorRequest {
  /** Milliseconds between SIGTERM and SIGKILL. */
  readonly stopGraceMs: number;
  /** Maximum size of stdout and of stderr; larger logs are truncated in the middle. */
  readonly logBytesMax: number;
  /** Aborted, with the message as reason, when the process must end because what it needs is gone. */
  readonly lostNeed?: AbortSignal | undefined;
}

/** Time after which an unfilled claim counts as abandoned; normally it is filled within microseconds. */
const claimWriteTimeoutMs = 60_000;
/** Time that a process to stop has to fill its claim before it is killed anyway. */
const claimStopTimeoutMs = 2_000;

/**
 * Runs the process of `spec`, or waits for the end of the one that an earlier call started. Idempotent, also
 * for concurrent calls from several processes: the program is started once.
 * @param signal aborting it ends the process group with the exit `stopped`; a process that has not started
 *   yet never will.
 * @param start starts the process
 * @throws Error when the directory cannot be written or no process can be spawned
 */
export async function exec(
  spec: ProcessSpec,
  signal: AbortSignal,
  start: StartSupervisor = startDirectly,
): Promise<Exit> {
  // Synchronous: the kernel answers from memory, and a thread pool costs ten times as much.
  mkdirSync(spec.directory, { recursive: true });
  const wakeSignal = createWakeSignal();
  signal.addEventListener('abort', wakeSignal.wake);
  spec.lostNeed?.addEventListener('abort', wakeSignal.wake);
  const ended = readExitCode(spec.directory);
  if (ended !== undefined) return finishExited(spec, ended, wakeSignal);
  let started: WindowedProcess | undefined;
  if (readClaim(spec.directory) === undefined) {
    if (signal.aborted && (await preventStart(spec.directory))) return { kind: 'stopped' };
    if (!signal.aborted) started = await startWindowed(spec, wakeSignal, start);
  }
  const watcher = createExitWatcher(spec.directory, wakeSignal);
  try {
    return await waitForExit(spec, signal, wakeSignal, watcher, started);
  } finally {
    watcher.close();
    signal.removeEventListener('abort', wakeSignal.wake);
    spec.lostNeed?.removeEventListener('abort', wakeSignal.wake);
  }
}

/**
 * Starts the process of `spec` unless an earlier call did, and does not wait for its end: for servers, which run
 * until `terminateGroup` or `killMarkedProcesses` ends them. `exec` attaches to the same process.
 */
export async function startProcess(spec: ProcessSpec, start: StartSupervisor = startDirectly): Promise<void> {
  mkdirSync(spec.directory, { recursive: true });
  if (readClaim(spec.directory) !== undefined) return;
  await ensureDirectory(spec.cwd);
  await start(requestOf(spec), () => undefined);
}

/** Waits for the end of the process and truncates its logs. Ends it on abort or if truncation fails. */
async function waitForExit(
  spec: ProcessSpec,
  signal: AbortSignal,
  wakeSignal: WakeSignal,
  watcher: ExitWatcher,
  started: WindowedProcess | undefined,
): Promise<Exit> {
  let unclaimedMs = 0;
  const truncate = createLogTruncator(spec.directory, spec.logBytesMax);
  for (;;) {
    if (started?.isObserved() !== true) watcher.open();
    // Read first: a supervisor that claims and exits during this round has an exit code in the next one.
    const isStartedOver = started?.isOver() === true;
    const claim = readClaim(spec.directory);
    const alive = typeof claim === 'object' && (await isAlive(claim));
    // Read after the liveness check: a process that wrote its exit code in between is not lost.
    const code = readExitCode(spec.directory);
    if (code !== undefined) return finishExited(spec, code, wakeSignal, started?.openWindow);
    if (claim === 'prevented') return { kind: 'stopped' };
    if (claim === undefined || claim === 'unfilled') {
      const over = await stopUnclaimed(spec, signal, wakeSignal, {
        claim,
        started: isStartedOver ? undefined : started,
        unclaimedMs,
      });
      if (over !== undefined) return over;
      unclaimedMs += 20;
      await wakeSignal.wait(20);
      continue;
    }
    if (!alive) return finishVanished(spec, claim, wakeSignal);
    const { flood: overflow, pauseMs } = await truncate();
    const flood = spec.lostNeed?.aborted === true ? String(spec.lostNeed.reason) : overflow;
    if (signal.aborted) return stopProcess(spec, claim.pid, wakeSignal);
    if (flood !== undefined) return stopProcess(spec, claim.pid, wakeSignal, flood);
    // Also the interval of liveness checks of adopted processes.
    await wakeSignal.wait(pauseMs);
  }
}

/** Terminates the group of a process. @param flood why, unless the run was stopped */
async function stopProcess(
  spec: ProcessSpec,
  pid: number,
  wakeSignal: WakeSignal,
  flood?: string,
): Promise<Exit> {
  // Recorded first: after a crash of this engine the exit must still count as ours.
  await recordStop(spec.directory, flood ?? '');
  await terminateGroup(pid, spec.attemptDirectory, spec.stopGraceMs, wakeSignal);
  await truncateLogs(spec.directory, spec.logBytesMax, true);
  return flood === undefined ? { kind: 'stopped' } : { kind: 'flooded', message: flood };
}

/** Returns the exit of a process without a filled claim, if it is given up. `started` may still claim it. */
async function stopUnclaimed(
  spec: ProcessSpec,
  signal: AbortSignal,
  wakeSignal: WakeSignal,
  {
    claim,
    started,
    unclaimedMs,
  }: { claim: 'unfilled' | undefined; started: StartedProcess | undefined; unclaimedMs: number },
): Promise<Exit | undefined> {
  if (signal.aborted && unclaimedMs >= claimStopTimeoutMs) {
    if (started !== undefined) signalGroup(started.pid, 'SIGKILL');
    await preventStart(spec.directory);
    await killMarkedProcesses(spec.attemptDirectory, wakeSignal);
    return { kind: 'stopped' };
  }
  const isGivenUp = started === undefined && (claim === undefined || unclaimedMs >= claimWriteTimeoutMs);
  return isGivenUp ? lostExit("The task's process ended before it was started completely.") : undefined;
}

/** Returns the exit of a process that is gone without an exit code. */
async function finishVanished(
  spec: ProcessSpec,
  { pid }: ProcessIdentity,
  wakeSignal: WakeSignal,
): Promise<Exit> {
  await killMarkedProcesses(spec.attemptDirectory, wakeSignal);
  await truncateLogs(spec.directory, spec.logBytesMax, true);
  return (
    readStop(spec.directory) ??
    lostExit(
      `The task's process ${pid} on node ${hostName} disappeared without an exit code (killed with its supervisor, or the machine restarted).`,
    )
  );
}

/** Kills the remaining processes of the attempt, in whatever process group, and returns the exit. */
async function finishExited(
  spec: ProcessSpec,
  code: number,
  wakeSignal: WakeSignal,
  openWindow?: () => ProcessWindow,
): Promise<Exit> {
  // Also for a process that this engine never saw alive.
  await killMarkedProcesses(spec.attemptDirectory, wakeSignal, openWindow);
  // The process may have written more since the last check.
  await truncateLogs(spec.directory, spec.logBytesMax, true);
  return readStop(spec.directory) ?? { kind: 'exited', code };
}

/** A process that this call of `exec` started. */
interface WindowedProcess extends StartedProcess {
  /** Returns the processes that were started since, its descendants among them. */
  readonly openWindow: () => ProcessWindow;
}

async function startWindowed(
  spec: ProcessSpec,
  wakeSignal: WakeSignal,
  start: StartSupervisor,
): Promise<WindowedProcess> {
  await ensureDirectory(spec.cwd);
  const openWindow = openProcessWindow();
  return { ...(await start(requestOf(spec), wakeSignal.wake)), openWindow };
}

async function ensureDirectory(directory: string): Promise<void> {
  if (!existsSync(directory)) await mkdir(directory, { recursive: true });
}

function requestOf({
  directory,
  attemptDirectory,
  argv,
  cwd,
  env,
  runAs,
  limits,
}: ProcessSpec): SupervisorRequest {
  return { directory, attemptDirectory, argv, cwd, env, runAs, limits };
}

/** Watch for the exit file, with which the end of a process is detected that nothing reports. */
interface ExitWatcher {
  /** Begins to watch, unless it does already. */
  open(): void;
  close(): void;
}

function createExitWatcher(directory: string, wakeSignal: WakeSignal): ExitWatcher {
  let watcher: FSWatcher | undefined;
  return {
    open: () => void (watcher ??= watchExitFile(directory, wakeSignal)),
    close: () => watcher?.close(),
  };
}

/** Watches for the exit file. Without a watcher (network file systems, limits), polling finds it. */
function watchExitFile(directory: string, wakeSignal: WakeSignal): FSWatcher | undefined {
  try {
    const watcher = watch(directory, { persistent: false }, (_event, name) => {
      if (name === 'exit') wakeSignal.wake();
    });
    watcher.on('error', () => watcher.close());
    return watcher;
  } catch {
    return undefined;
  }
}

function lostExit(message: string): Exit {
  return { kind: 'lost', message };
}
