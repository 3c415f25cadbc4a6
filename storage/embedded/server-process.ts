/**
 * One process of the embedded PostgreSQL: ends what an earlier engine left, starts, waits until it answers,
 * stops.
 */
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
  /** How it ended, with the end of its log. Never rejects. */
  readonly exited: Promise<string>;
  /**
   * Ends it cleanly (open transactions are rolled back), by force if it takes too long; resolves when it is
   * gone.
   */
  stop(): Promise<void>;
}

/** How a server is ended: the next signal follows when the time (ms) of the one before is over. */
const stopEscalation = [
  ['SIGINT', 5_000],
  ['SIGQUIT', 2_000],
  ['SIGKILL', 2_000],
] as const;
/** An orphan gets more time: it may have the checkpoint of a long life to write. */
const orphanEscalation = [
  ['SIGINT', 10_000],
  ['SIGQUIT', 5_000],
  ['SIGKILL', 5_000],
] as const;

/** What the server says while processes of its killed predecessor are still leaving. */
const predecessorStillExiting = /pre-existing shared memory block|lock file .* already exists/;
const predecessorExitMs = 10_000;
const slowStartMs = 10_000;

/**
 * Starts the server and returns once it accepts connections, however long its recovery takes; `signal` ends
 * the attempt. A server that an earlier engine left on this data is stopped first, so the caller must hold
 * the lock of the directory. Throws with the end of the server's log when it ends before it is ready.
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
        exited: child.exited.then(async (how) => appendLogTail(how, mark)),
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

/** False when the process ended or the attempt was given up. */
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
        'PostgreSQL is still starting, probably recovering from a crash.',
      );
      slowAt = Infinity;
    }
    await sleep(plan.clock, 10, signal);
  }
  return false;
}

/** Ends a server that still runs on this data, and removes what would make a new one believe that it does. */
async function stopPredecessor(plan: ServerOptions): Promise<void> {
  const text = await readPidFile(plan.data);
  if (text !== undefined) {
    const pid = Number.parseInt(text, 10);
    if ((await commandLineOf(pid)).includes(`postgres -D ${plan.data} -c`)) {
      plan.log.warn(
        { serverPid: pid, data: plan.data },
        'A PostgreSQL that an earlier engine left behind is being stopped.',
      );
      const gone = async (): Promise<boolean> => (await identifyProcess(pid)) === undefined;
      await stopProcess(plan.clock, orphanEscalation, (name) => signalProcess(pid, name), gone);
    }
    await invalidatePidFile(plan);
  }
  await rm(join(plan.socketDirectory, `.s.PGSQL.${serverPort}.lock`), { force: true });
}

/**
 * The pid may be a zombie or belong to some other process by now, and PostgreSQL would take either for a
 * running server. A pid that cannot exist is put in its place; the rest of the file stays, because through it
 * PostgreSQL still notices when processes of the old server use its memory.
 */
async function invalidatePidFile({ data, user }: ServerOptions): Promise<void> {
  const text = await readPidFile(data);
  if (text === undefined) return;
  // What a power failure left empty tells nothing, and PostgreSQL would refuse to start beside it.
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

async function appendLogTail(how: string, mark: LogPosition): Promise<string> {
  const tail = await readLogSince(mark).catch(() => '');
  return tail === '' ? how : `${how}\n${tail}`;
}
