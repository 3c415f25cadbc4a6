/**
 * `exec` starts the process of an attempt, or attaches to the one that an earlier call started.
 *
 * A process writes its own logs, and a supervisor shell records its exit code, so it survives the engine.
 * Later callers (another thread, another engine) find its state in the directory of the attempt: `pid` holds
 * the claim, `exit` the exit code, `stdout` and `stderr` the logs.
 */
import { spawn, type ChildProcess } from 'node:child_process';
import {
  closeSync,
  constants,
  fchownSync,
  fstatSync,
  openSync,
  statSync,
  watch,
  type FSWatcher,
} from 'node:fs';
import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { hostName, isAlive, type ProcessIdentity } from '../../engine/process-identity.ts';
import { createWakeSignal, type WakeSignal } from '../wake-signal.ts';
import type { Exit } from '../contract.ts';
import { openProcessWindow, type ProcessWindow } from './process-window.ts';
import { truncateLogs, createLogTruncator } from './log-truncation.ts';
import { preventStart, readClaim, readExitCode, readStop, recordStop } from './process-state.ts';
import { attemptMarker, terminateGroup, killMarkedProcesses, signalGroup } from './process-group.ts';

/** Program to run, and the directory of its files. */
export interface ProcessSpec {
  /** Absolute directory for `pid`, `exit`, `stdout` and `stderr`; created when missing. */
  readonly directory: string;
  /** Directory of the attempt, with which all its processes are marked. */
  readonly attemptDirectory: string;
  readonly argv: readonly [string, ...string[]];
  readonly cwd: string;
  /** Complete environment; nothing is inherited from the service. */
  readonly env: Readonly<Record<string, string>>;
  /** Command prefix that runs the supervisor as another user. */
  readonly runAs?: readonly string[];
  /** Resource limits of the program, as options and values of `ulimit`. */
  readonly limits?: string;
  /** Milliseconds between SIGTERM and SIGKILL. */
  readonly stopGraceMs: number;
  /** Maximum size of stdout and of stderr; larger logs are truncated in the middle. */
  readonly logBytesMax: number;
  /** Aborted, with the message as reason, when the process must end because what it needs is gone. */
  readonly lostNeed?: AbortSignal | undefined;
}

const supervisorScript = fileURLToPath(new URL('./supervise.sh', import.meta.url));

/** Time after which an unfilled claim counts as abandoned; normally it is filled within microseconds. */
const claimWriteTimeoutMs = 60_000;
/** Time that a process to stop has to fill its claim before it is killed anyway. */
const claimStopTimeoutMs = 2_000;

/**
 * Runs the process of `spec`, or waits for the end of the one that an earlier call started. Idempotent, also
 * for concurrent calls from several processes: the program is started once.
 * @param signal aborting it ends the process group with the exit `stopped`; a process that has not started
 *   yet never will.
 * @throws Error when the directory cannot be written or no process can be spawned
 */
export async function exec(spec: ProcessSpec, signal: AbortSignal): Promise<Exit> {
  await mkdir(spec.directory, { recursive: true });
  const wakeSignal = createWakeSignal();
  signal.addEventListener('abort', wakeSignal.wake);
  spec.lostNeed?.addEventListener('abort', wakeSignal.wake);
  const ended = readExitCode(spec.directory);
  if (ended !== undefined) return finishExited(spec, ended, wakeSignal);
  let started: StartedProcess | undefined;
  if (readClaim(spec.directory) === undefined) {
    if (signal.aborted && (await preventStart(spec.directory))) return { kind: 'stopped' };
    if (!signal.aborted) started = await startSupervisor(spec, wakeSignal);
  }
  // The end of another process is detected by its exit file.
  const watcher = started === undefined ? watchExitFile(spec.directory, wakeSignal) : undefined;
  try {
    return await waitForExit(spec, signal, wakeSignal, started);
  } finally {
    watcher?.close();
    signal.removeEventListener('abort', wakeSignal.wake);
    spec.lostNeed?.removeEventListener('abort', wakeSignal.wake);
  }
}

/**
 * Starts the process of `spec` unless an earlier call did, and does not wait for its end: for servers, which run
 * until `terminateGroup` or `killMarkedProcesses` ends them. `exec` attaches to the same process.
 */
export async function startProcess(spec: ProcessSpec): Promise<void> {
  await mkdir(spec.directory, { recursive: true });
  if ((await readClaim(spec.directory)) === undefined) await startSupervisor(spec, createWakeSignal());
}

/** Waits for the end of the process and truncates its logs. Ends it on abort or if truncation fails. */
async function waitForExit(
  spec: ProcessSpec,
  signal: AbortSignal,
  wakeSignal: WakeSignal,
  started: StartedProcess | undefined,
): Promise<Exit> {
  const child = started?.child;
  let unclaimedMs = 0;
  const truncate = createLogTruncator(spec.directory, spec.logBytesMax);
  for (;;) {
    // Read first: a supervisor that claims and exits during this round has an exit code in the next one.
    const isChildOver = child !== undefined && (child.exitCode !== null || child.signalCode !== null);
    const claim = readClaim(spec.directory);
    const alive = typeof claim === 'object' && (await isAlive(claim));
    // Read after the liveness check: a process that wrote its exit code in between is not lost.
    const code = readExitCode(spec.directory);
    if (code !== undefined) return finishExited(spec, code, wakeSignal, started?.openWindow);
    if (claim === 'prevented') return { kind: 'stopped' };
    if (claim === undefined || claim === 'unfilled') {
      const over = await stopUnclaimed(spec, signal, wakeSignal, {
        claim,
        child: isChildOver ? undefined : child,
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

/** Returns the exit of a process without a filled claim, if it is given up. `child` may still claim it. */
async function stopUnclaimed(
  spec: ProcessSpec,
  signal: AbortSignal,
  wakeSignal: WakeSignal,
  {
    claim,
    child,
    unclaimedMs,
  }: { claim: 'unfilled' | undefined; child: ChildProcess | undefined; unclaimedMs: number },
): Promise<Exit | undefined> {
  if (signal.aborted && unclaimedMs >= claimStopTimeoutMs) {
    if (child?.pid !== undefined) signalGroup(child.pid, 'SIGKILL');
    await preventStart(spec.directory);
    await killMarkedProcesses(spec.attemptDirectory, wakeSignal);
    return { kind: 'stopped' };
  }
  const isGivenUp = child === undefined && (claim === undefined || unclaimedMs >= claimWriteTimeoutMs);
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

/** O_APPEND lets a process truncate its own log; O_NOFOLLOW ignores links made by the attempt. */
const logOpenFlags = constants.O_WRONLY | constants.O_CREAT | constants.O_APPEND | constants.O_NOFOLLOW;

/** A process that this call of `exec` started. */
interface StartedProcess {
  readonly child: ChildProcess;
  /** Returns the processes that were started since, its descendants among them. */
  readonly openWindow: () => ProcessWindow;
}

async function startSupervisor(spec: ProcessSpec, wakeSignal: WakeSignal): Promise<StartedProcess> {
  await mkdir(spec.cwd, { recursive: true });
  const stdout = openLog(spec, 'stdout');
  const stderr = openLog(spec, 'stderr');
  try {
    const [program = '', ...words] = [
      ...(spec.runAs ?? []),
      '/bin/sh',
      supervisorScript,
      spec.directory,
      spec.limits ?? '',
      ...spec.argv,
    ];
    const openWindow = openProcessWindow();
    const child = spawn(program, words, {
      cwd: spec.cwd,
      env: { ...spec.env, [attemptMarker]: spec.attemptDirectory },
      detached: true,
      stdio: ['ignore', stdout, stderr],
    });
    child.once('exit', wakeSignal.wake);
    await new Promise<void>((resolve, reject) => {
      child.once('spawn', resolve);
      child.once('error', reject);
    });
    // The engine may exit while its tasks run.
    child.unref();
    return { child, openWindow };
  } finally {
    closeSync(stdout);
    closeSync(stderr);
  }
}

/**
 * Opens a log. The user of the task owns it like its directory, because programs reopen `/dev/stdout`. A file
 * with other hard links keeps its owner.
 */
function openLog({ directory, runAs = [] }: ProcessSpec, name: 'stdout' | 'stderr'): number {
  const log = openSync(join(directory, name), logOpenFlags, 0o600);
  if (runAs.length === 0) return log;
  const { uid, gid } = statSync(directory);
  const found = fstatSync(log);
  if (found.uid !== uid && found.isFile() && found.nlink === 1) fchownSync(log, uid, gid);
  return log;
}

/** Watches for the exit file. Without a watcher (network file systems, limits) polling finds it. */
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
