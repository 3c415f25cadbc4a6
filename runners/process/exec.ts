/**
 * One verb, `exec`: starts the process of an attempt, or attaches to the one that was started before (DESIGN
 * section 5).
 *
 * A process writes its own logs and is watched by a shell of its own that keeps its exit code, so it needs no
 * engine to live and to end. Whoever asks later (a new thread, a new engine) finds what is so in the
 * attempt's directory:
 * `pid` says who claimed it, `exit` how it ended, `stdout` and `stderr` what it said.
 */
import { spawn, type ChildProcess } from 'node:child_process';
import { randomUUID } from 'node:crypto';
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
import { mkdir, rename, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { codeOf } from '../../engine/errors.ts';
import { isAlive, type ProcessIdentity } from '../../engine/process-identity.ts';
import { openRegularFile, readRange } from '../../engine/read-file.ts';
import { createWakeSignal, type WakeSignal } from '../wake-signal.ts';
import type { Exit } from '../contract.ts';
import { truncateLogs, createLogTruncator } from './log-truncation.ts';
import { attemptMarker, terminateGroup, killMarkedProcesses, signalGroup } from './process-group.ts';

/** What to run, and where its files are kept. */
export interface ProcessSpec {
  /** Absolute directory for `pid`, `exit`, `stdout` and `stderr`; created when missing. */
  readonly directory: string;
  /** The attempt's directory: the mark that all its processes carry. */
  readonly attemptDirectory: string;
  readonly argv: readonly [string, ...string[]];
  readonly cwd: string;
  /** The whole environment: nothing is inherited from the service. */
  readonly env: Readonly<Record<string, string>>;
  /** Words before the supervisor's own, which make it another user. */
  readonly runAs?: readonly string[];
  /** Limits of the program, as options and values of `ulimit`. */
  readonly limits?: string;
  /** Milliseconds between SIGTERM and SIGKILL when it is stopped. */
  readonly stopGraceMs: number;
  /** What is kept of stdout and stderr, each, in bytes: the middle of a longer one is left out. */
  readonly logBytesMax: number;
}

const supervisorScript = fileURLToPath(new URL('./supervise.sh', import.meta.url));

/**
 * A claim is filled within microseconds of its making; this long without is a claimer that died in between.
 */
const claimWriteTimeoutMs = 60_000;
/** More than `pid`, `exit` and `stopped` ever hold. */
const stateFileBytesMax = 4_096;
/** How long a process that is to stop may take to say who it is, before it is ended without being known. */
const claimStopTimeoutMs = 2_000;

/**
 * Runs the process of `spec` to its end, or waits for the end of the one that an earlier call started. Safe
 * to call any number of times, at the same time too, by any process: the program is started once.
 * @param signal when aborted, the process group is ended and the answer is `stopped`; a process that has not
 *   been started by then never will be.
 * @throws Error when the directory cannot be written or no process can be spawned
 */
export async function exec(spec: ProcessSpec, signal: AbortSignal): Promise<Exit> {
  await mkdir(spec.directory, { recursive: true });
  const bell = createWakeSignal();
  signal.addEventListener('abort', bell.wake);
  const ended = await readExitCode(spec.directory);
  if (ended !== undefined) return finishExited(spec, ended, bell);
  let child: ChildProcess | undefined;
  if ((await readClaim(spec.directory)) === undefined) {
    if (signal.aborted && (await preventStart(spec.directory))) return { kind: 'stopped' };
    if (!signal.aborted) child = await startSupervisor(spec, bell);
  }
  // A child of ours tells its end; of any other process the exit file does.
  const watcher = child === undefined ? watchExitFile(spec.directory, bell) : undefined;
  try {
    return await waitForExit(spec, signal, bell, child);
  } finally {
    watcher?.close();
    signal.removeEventListener('abort', bell.wake);
  }
}

/**
 * Waits until the process is over, keeps its logs small, and ends it when it is to stop or its logs cannot be
 * kept small.
 */
async function waitForExit(
  spec: ProcessSpec,
  signal: AbortSignal,
  bell: WakeSignal,
  child: ChildProcess | undefined,
): Promise<Exit> {
  let unknownFor = 0;
  const look = createLogTruncator(spec.directory, spec.logBytesMax);
  for (;;) {
    // Asked first: a supervisor that claims and ends while the rest is looked at has left an exit code by the
    // next round.
    const childIsOver = child !== undefined && (child.exitCode !== null || child.signalCode !== null);
    const claim = await readClaim(spec.directory);
    const alive = typeof claim === 'object' && (await isAlive(claim));
    // Read after the look at the process: one that wrote its exit and ended in between is not lost.
    const code = await readExitCode(spec.directory);
    if (code !== undefined) return finishExited(spec, code, bell);
    if (claim === 'forestalled') return { kind: 'stopped' };
    if (claim === undefined || claim === 'unfilled') {
      const over = await stopUnclaimed(spec, signal, bell, {
        claim,
        child: childIsOver ? undefined : child,
        unknownFor,
      });
      if (over !== undefined) return over;
      unknownFor += 20;
      await bell.wait(20);
      continue;
    }
    if (!alive) return finishVanished(spec, claim, bell);
    const { flood, pauseMs } = await look();
    if (signal.aborted || flood !== undefined) {
      // Said before it is done: whoever attaches after a kill of this engine must know that the end was ours.
      await recordStop(spec.directory, signal.aborted ? '' : (flood ?? ''));
      await terminateGroup(claim.pid, spec.attemptDirectory, spec.stopGraceMs, bell);
      await truncateLogs(spec.directory, spec.logBytesMax, true);
      return flood === undefined || signal.aborted
        ? { kind: 'stopped' }
        : { kind: 'flooded', message: flood };
    }
    // Also how often is looked whether an adopted process still lives.
    await bell.wait(pauseMs);
  }
}

/**
 * A process that has not said who it is: how it ended, if it is given up. `child` is ours, and may still say
 * it.
 */
async function stopUnclaimed(
  spec: ProcessSpec,
  signal: AbortSignal,
  bell: WakeSignal,
  {
    claim,
    child,
    unknownFor,
  }: { claim: 'unfilled' | undefined; child: ChildProcess | undefined; unknownFor: number },
): Promise<Exit | undefined> {
  if (signal.aborted && unknownFor >= claimStopTimeoutMs) {
    if (child?.pid !== undefined) signalGroup(child.pid, 'SIGKILL');
    await preventStart(spec.directory);
    await killMarkedProcesses(spec.attemptDirectory, bell);
    return { kind: 'stopped' };
  }
  const givenUp = child === undefined && (claim === undefined || unknownFor >= claimWriteTimeoutMs);
  return givenUp ? lostExit('Its process ended while it was being started.') : undefined;
}

/** A process that is gone without an exit code: an engine ended it, or nobody knows who did. */
async function finishVanished(spec: ProcessSpec, { pid }: ProcessIdentity, bell: WakeSignal): Promise<Exit> {
  await killMarkedProcesses(spec.attemptDirectory, bell);
  await truncateLogs(spec.directory, spec.logBytesMax, true);
  return (
    (await readStop(spec.directory)) ??
    lostExit(
      `Its process ${pid} is gone and left no exit code: it was killed together with its supervisor, or the machine was restarted.`,
    )
  );
}

/**
 * What a finished process left running is ended, wherever it has moved to, so that nothing of an attempt
 * outlives it.
 */
async function finishExited(spec: ProcessSpec, code: number, bell: WakeSignal): Promise<Exit> {
  // Whoever claimed it may have been seen by nobody: all of its life fits between two looks of an engine that
  // is paused.
  await killMarkedProcesses(spec.attemptDirectory, bell);
  // What it wrote since the last look, or while no engine was there.
  await truncateLogs(spec.directory, spec.logBytesMax, true);
  return (await readStop(spec.directory)) ?? { kind: 'exited', code };
}

/**
 * Keeps that an engine ends this process; `why` is empty for a task that is to stop, else what the task did.
 */
async function recordStop(directory: string, why: string): Promise<void> {
  const draft = join(directory, `stopped.${randomUUID()}`);
  await writeFile(draft, why, { mode: 0o600 });
  await rename(draft, join(directory, 'stopped'));
}

/** How an engine ended this process, if one did. */
async function readStop(directory: string): Promise<Exit | undefined> {
  const text = await readStateFile(join(directory, 'stopped'));
  if (text === undefined) return undefined;
  return text === '' ? { kind: 'stopped' } : { kind: 'flooded', message: text };
}

/**
 * Appending, so that a process that cuts its own log goes on at the new end; through no link, which another
 * process of the attempt may have put there.
 */
const logOpenFlags = constants.O_WRONLY | constants.O_CREAT | constants.O_APPEND | constants.O_NOFOLLOW;

async function startSupervisor(spec: ProcessSpec, bell: WakeSignal): Promise<ChildProcess> {
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
    const child = spawn(program, words, {
      cwd: spec.cwd,
      env: { ...spec.env, [attemptMarker]: spec.attemptDirectory },
      detached: true,
      stdio: ['ignore', stdout, stderr],
    });
    child.once('exit', bell.wake);
    await new Promise<void>((resolve, reject) => {
      child.once('spawn', resolve);
      child.once('error', reject);
    });
    // The engine may end while its tasks run.
    child.unref();
    return child;
  } finally {
    closeSync(stdout);
    closeSync(stderr);
  }
}

/**
 * A task that is another user gets its logs, as it has their directory: programs open `/dev/stdout` and
 * `/dev/stderr` anew. A file with other names stays whose it is.
 */
function openLog({ directory, runAs = [] }: ProcessSpec, name: 'stdout' | 'stderr'): number {
  const log = openSync(join(directory, name), logOpenFlags, 0o600);
  if (runAs.length === 0) return log;
  const { uid, gid } = statSync(directory);
  const found = fstatSync(log);
  if (found.uid !== uid && found.isFile() && found.nlink === 1) fchownSync(log, uid, gid);
  return log;
}

/**
 * Makes the claim without a process behind it, so that no supervisor that is still on its way can start one.
 */
async function preventStart(directory: string): Promise<boolean> {
  try {
    await writeFile(join(directory, 'pid'), preventedClaim, { flag: 'wx' });
    return true;
  } catch (error) {
    if (codeOf(error) === 'EEXIST') return false;
    throw error;
  }
}

type Claim = ProcessIdentity | 'unfilled' | 'forestalled' | undefined;

const preventedClaim = 'stopped before it was started\n';

/**
 * Who claimed the attempt: undefined when nobody has, `unfilled` when the claimer has not yet said who it is.
 */
async function readClaim(directory: string): Promise<Claim> {
  const text = await readStateFile(join(directory, 'pid'));
  if (text === undefined) return undefined;
  if (text === preventedClaim) return 'forestalled';
  const match = /^(\d+) (\S+) (.+)\n$/.exec(text);
  if (match === null) return 'unfilled';
  const [, pid = '', boot = '', startTime = ''] = match;
  return { pid: Number(pid), bootId: boot, startTime };
}

async function readExitCode(directory: string): Promise<number | undefined> {
  const text = await readStateFile(join(directory, 'exit'));
  return text === undefined || !/^\d+\n$/.test(text) ? undefined : Number(text);
}

/**
 * A small file that we keep beside the task; undefined when there is none. A pipe that the task made of it
 * holds nobody up.
 */
async function readStateFile(path: string): Promise<string | undefined> {
  const file = await openRegularFile(path);
  try {
    return file && (await readRange(file, 0, stateFileBytesMax)).toString('utf8');
  } finally {
    await file?.close();
  }
}

/** Without notifications (a network file system, too many watchers) the tick finds the exit file. */
function watchExitFile(directory: string, bell: WakeSignal): FSWatcher | undefined {
  try {
    const watcher = watch(directory, { persistent: false }, (_event, name) => {
      if (name === 'exit') bell.wake();
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
