/** Starts PostgreSQL's programs as their own user, in a clean environment, and ends them with the engine. */
import { execFile, spawn } from 'node:child_process';
import { Socket } from 'node:net';
import { isMainThread } from 'node:worker_threads';

/** User that the programs run as. PostgreSQL refuses to run as root; undefined is the engine's own user. */
export type ServerUser = { readonly uid: number; readonly gid: number } | undefined;

export interface ManagedCommand {
  readonly program: string;
  readonly arguments: readonly string[];
  readonly user: ServerUser;
  /** File descriptor for the program's output; may be closed once the command has started. */
  readonly output: number;
  /** Signal sent to the program when the engine dies. */
  readonly parentDeathSignal: 'INT' | 'KILL';
}

export interface ManagedProcess {
  /** Undefined when the program could not be started. */
  readonly pid: number | undefined;
  /**
   * Describes the end: "exit code 1", "signal SIGKILL", or the error that prevented the start. Never
   * rejects.
   */
  readonly exited: Promise<string>;
  hasExited(): boolean;
  /** Sends a signal; does nothing after the exit. */
  kill(signal: NodeJS.Signals): void;
  /** Allows the engine to exit while the process runs. */
  unref(): void;
}

/**
 * Environment of the programs. It holds no secrets of the engine, and no PG* variables that would configure
 * the server.
 */
const cleanEnvironment = { PATH: '/usr/local/bin:/usr/bin:/bin:/usr/sbin:/sbin', LC_ALL: 'C', TZ: 'UTC' };

/** Runs in "/", because the user may have no access to the engine's working directory. */
const commonOptions = (user: ServerUser) => ({ ...user, env: cleanEnvironment, cwd: '/' });

/** Runs a short command and returns true when its exit code is 0. */
export function commandSucceeds(
  user: ServerUser,
  program: string,
  ...parameters: readonly string[]
): Promise<boolean> {
  return new Promise((resolve) => {
    execFile(program, parameters, commonOptions(user), (error) => resolve(error === null));
  });
}

/**
 * Watches a pipe whose other end only the engine holds: a line means that the command has ended, end-of-file
 * that the engine is gone.
 */
const pipeWatchScript = 'onDeath=$1; shift; (read -r line || kill -"$onDeath" $$) <&3 & exec "$@" 3<&-';

/**
 * Starts a command in a session of its own, so that Ctrl-C reaches only the engine. The kernel signals the
 * command when the engine dies. That signal is tied to the thread that spawned it, so in a worker thread,
 * and on systems without it, a shell watches a pipe instead.
 */
export async function spawnManaged(command: ManagedCommand): Promise<ManagedProcess> {
  const { program, user, output, parentDeathSignal } = command;
  const usesKernelSignal =
    isMainThread && (await commandSucceeds(user, 'setpriv', '--pdeathsig', parentDeathSignal, 'true'));
  const wrapper = usesKernelSignal
    ? ['setpriv', '--pdeathsig', parentDeathSignal, '--']
    : ['sh', '-c', pipeWatchScript, 'sh', parentDeathSignal];
  const [file = '', ...rest] = [...wrapper, program, ...command.arguments];
  const child = spawn(file, rest, {
    ...commonOptions(user),
    detached: true,
    stdio: ['ignore', output, output, ...(usesKernelSignal ? [] : ['pipe' as const])],
  });
  const lifeline = child.stdio[3];
  if (lifeline instanceof Socket) lifeline.on('error', () => undefined).unref();

  let ended = false;
  const exited = new Promise<string>((resolve) => {
    const end = (reason: string): void => {
      ended = true;
      if (lifeline instanceof Socket) lifeline.end('over\n');
      resolve(reason);
    };
    child.once('exit', (code, signal) => end(signal === null ? `exit code ${code}` : `signal ${signal}`));
    child.once('error', (error) => end(error.message));
  });
  return {
    pid: child.pid,
    exited,
    hasExited: () => ended,
    kill: (signal) => void child.kill(signal),
    unref: () => child.unref(),
  };
}
