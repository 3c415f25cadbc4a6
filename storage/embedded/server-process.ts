/** One server process of the embedded PostgreSQL: stops a predecessor, starts, waits until ready, stops. */
import { chown, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Logger } from 'pino';
import type { Clock } from '../../engine/clock.ts';
import { codeOf } from '../../engine/errors.ts';
import { spawnManaged, type ManagedProcess, type ServerUser } from './command.ts';
import { serverPort } from './directory-layout.ts';
import { sleep, waitUntil } from './sleep.ts';
import { identifyProcess } from '../../engine/process-identity.ts';
import { commandLineOf } from './command-line.ts';
import { openServerLog, readLogSince, type LogPosition } from './server-log.ts';

export interface ServerOptions {
  readonly program: string;
  readonly arguments: readonly string[];
  readonly user: ServerUser;
  readonly data: string;
  readonly socketDirectory: string;
  readonly logFile: string;
  readonly clock: Clock;
  readonly log: Logger;
}

export interface Server {
  readonly pid: number;
  /** Describes the end of the process, with the last lines of its log. Never rejects. */
  readonly exited: Promise<string>;
  /**
   * Stops the server cleanly (open transactions are rolled back), by force after a timeout. Resolves after
   * the exit.
   */
  stop(): Promise<void>;
}

/** Signals that stop a server; the next one is sent after the time (ms) of the one before. */
const stopEscalation = [
  ['SIGINT', 5_000],
  ['SIGQUIT', 2_000],
  ['SIGKILL', 2_000],
] as const;
/** An orphaned server gets more time: it may have a large checkpoint to write. */
const orphanEscalation = [
  ['SIGINT', 10_000],
  ['SIGQUIT', 5_000],
  ['SIGKILL', 5_000],
] as const;

/** Errors of the server while processes of its killed predecessor are still exiting. */
const predecessorStillExiting = /pre-existing shared memory block|lock file .* already exists/;
const predecessorExitMs = 10_000;
const slowStartMs = 10_000;

/**
 * Starts the server and returns when it accepts connections, however long the recovery takes; `signal`
 * aborts the attempt. Stops an orphaned server on the same data first, so the caller must hold the lock of
 * the directory. Throws with the last lines of the server's log when it ends before it is ready.
 */
export async function startServer(plan: ServerOptions, signal: AbortSignal): Promise<Server> {
  const { clock } = plan;
  const deadline = clock.now() + predecessorExitMs;
  for (;;) {
    await stopPredecessor(plan);
    const { child, mark } = await spawnServer(plan);
    if (child.pid !== undefined && (await waitUntilReady(plan, child, signal))) {
      return {
        pid: child.pid,
        exited: child.exited.then(async (reason) => appendLogTail(reason, mark)),
        stop: () => stopProcess(clock, stopEscalation, (name) => child.kill(name), child.hasExited),
      };
    }
    if (!child.hasExited())
      await stopProcess(clock, stopEscalation, (name) => child.kill(name), child.hasExited);
    const failure = await appendLogTail(await child.exited, mark);
    if (signal.aborted || clock.now() >= deadline || !predecessorStillExiting.test(failure))
      throw new Error(`PostgreSQL did not start: ${failure}`);
    await sleep(clock, 250, signal);
  }
}

async function spawnServer(plan: ServerOptions): Promise<{ child: ManagedProcess; mark: LogPosition }> {
  const { handle, mark } = await openServerLog(plan.logFile);
  try {
    const child = await spawnManaged({
      program: plan.program,
      arguments: plan.arguments,
      user: plan.user,
      output: handle.fd,
      parentDeathSignal: 'INT',
    });
    child.unref();
    return { child, mark };
  } finally {
    await handle.close();
  }
}

/** Returns false when the process ended or the attempt was aborted. */
async function waitUntilReady(
  plan: ServerOptions,
  child: ManagedProcess,
  signal: AbortSignal,
): Promise<boolean> {
  let slowAt = plan.clock.now() + slowStartMs;
  while (!child.hasExited() && !signal.aborted) {
    const [pid, , , , , , , status] = (await readPidFile(plan.data))?.split('\n') ?? [];
    if (Number(pid) === child.pid && status?.trim() === 'ready') return true;
    if (plan.clock.now() >= slowAt) {
      plan.log.warn(
        { data: plan.data, status: status?.trim() },
        'PostgreSQL is still starting; it probably recovers from a crash.',
      );
      slowAt = Infinity;
    }
    await sleep(plan.clock, 10, signal);
  }
  return false;
}

/**
 * Stops a server that still runs on this data, and removes the traces that would keep a new one from
 * starting.
 */
async function stopPredecessor(plan: ServerOptions): Promise<void> {
  const text = await readPidFile(plan.data);
  if (text !== undefined) {
    const pid = Number.parseInt(text, 10);
    if ((await commandLineOf(pid)).includes(`postgres -D ${plan.data} -c`)) {
      plan.log.warn(
        { serverPid: pid, data: plan.data },
        'Stopping the orphaned PostgreSQL of an earlier engine.',
      );
      const gone = async (): Promise<boolean> => (await identifyProcess(pid)) === undefined;
      await stopProcess(plan.clock, orphanEscalation, (name) => signalProcess(pid, name), gone);
    }
    await invalidatePidFile(plan);
  }
  await rm(join(plan.socketDirectory, `.s.PGSQL.${serverPort}.lock`), { force: true });
}

/**
 * Replaces the pid in the pid file by one that cannot exist: the old pid may be a zombie or another process
 * by now, and PostgreSQL would take either for a running server. The rest of the file stays, because
 * PostgreSQL uses it to detect processes of the old server that still use its shared memory.
 */
async function invalidatePidFile({ data, user }: ServerOptions): Promise<void> {
  const text = await readPidFile(data);
  if (text === undefined) return;
  // A power failure can leave an empty file, and PostgreSQL would refuse to start with it.
  if (!/^\d+\n/.test(text)) return await rm(pidFile(data));
  const draft = `${pidFile(data)}.new`;
  await writeFile(draft, text.replace(/^\d+/, '2147483647'), { mode: 0o600 });
  if (user !== undefined) await chown(draft, user.uid, user.gid);
  await rename(draft, pidFile(data));
}

async function stopProcess(
  clock: Clock,
  steps: typeof stopEscalation | typeof orphanEscalation,
  kill: (signal: NodeJS.Signals) => void,
  gone: () => boolean | Promise<boolean>,
): Promise<void> {
  for (const [signal, milliseconds] of steps) {
    if (await gone()) return;
    kill(signal);
    if (await waitUntil(clock, milliseconds, gone)) return;
  }
}

function signalProcess(pid: number, signal: NodeJS.Signals): void {
  try {
    process.kill(pid, signal);
  } catch (error) {
    if (codeOf(error) !== 'ESRCH') throw error;
  }
}

function pidFile(data: string): string {
  return join(data, 'postmaster.pid');
}

async function readPidFile(data: string): Promise<string | undefined> {
  try {
    return await readFile(pidFile(data), 'utf8');
  } catch (error) {
    if (codeOf(error) === 'ENOENT') return undefined;
    throw error;
  }
}

async function appendLogTail(reason: string, mark: LogPosition): Promise<string> {
  const tail = await readLogSince(mark).catch(() => '');
  return tail === '' ? reason : `${reason}\n${tail}`;
}
