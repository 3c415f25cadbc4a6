/** Runs the programs of PostgreSQL: as their user, in a clean environment, and never outliving the engine. */
import { execFile, spawn } from 'node:child_process';
import { Socket } from 'node:net';
import { isMainThread } from 'node:worker_threads';

/**
 * Whom the programs run as. PostgreSQL refuses to run as root; undefined stands for the engine's own user.
 */
export type ServerUser = { readonly uid: number; readonly gid: number } | undefined;

export interface ManagedCommand {
  readonly program: string;
  readonly arguments: readonly string[];
  readonly user: ServerUser;
  /** File descriptor for what the program writes; may be closed once the command has been started. */
  readonly output: number;
  /** Sent to the program when the engine is gone. */
  readonly parentDeathSignal: 'INT' | 'KILL';
}

export interface ManagedProcess {
  /** Undefined when the program could not be started. */
  readonly pid: number | undefined;
  /**
   * How it ended, in words: "exit code 1", "signal SIGKILL", or why it could not be started. Never rejects.
   */
  readonly exited: Promise<string>;
  hasExited(): boolean;
  /** Sends a signal; nothing happens when it is gone already. */
  kill(signal: NodeJS.Signals): void;
  /** Lets the engine end while the process runs: waiting for it alone no longer keeps the engine alive. */
  unref(): void;
}

/**
 * Nothing of the engine's environment passes on: no secrets, and no PG* variable that would change the
 * server.
 */
const cleanEnvironment = { PATH: '/usr/local/bin:/usr/bin:/bin:/usr/sbin:/sbin', LC_ALL: 'C', TZ: 'UTC' };

/** From "/", because the user may not be allowed into the engine's working directory. */
const commonOptions = (user: ServerUser) => ({ ...user, env: cleanEnvironment, cwd: '/' });

/** Runs a short command and answers whether it ended with 0. */
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
 * The pipe's other end is held by the engine alone: a line says all is over, end-of-file says the engine is
 * gone.
 */
const pipeWatchScript = 'onDeath=$1; shift; (read -r line || kill -"$onDeath" $$) <&3 & exec "$@" 3<&-';

/**
 * Starts a command in a session of its own, so that Ctrl-C reaches only the engine, which then decides. The
 * kernel signals it when the engine dies. That signal follows the thread that spawned, so in a worker thread,
 * and where there is no such kernel service, a shell watches a pipe instead.
 */
export async function spawnManaged(command: ManagedCommand): Promise<ManagedProcess> {
  const { program, user, output, parentDeathSignal } = command;
  const byKernel =
    isMainThread && (await commandSucceeds(user, 'setpriv', '--pdeathsig', parentDeathSignal, 'true'));
  const wrapper = byKernel
    ? ['setpriv', '--pdeathsig', parentDeathSignal, '--']
    : ['sh', '-c', pipeWatchScript, 'sh', parentDeathSignal];
  const [file = '', ...rest] = [...wrapper, program, ...command.arguments];
  const child = spawn(file, rest, {
    ...commonOptions(user),
    detached: true,
    stdio: ['ignore', output, output, ...(byKernel ? [] : ['pipe' as const])],
  });
  const lifeline = child.stdio[3];
  if (lifeline instanceof Socket) lifeline.on('error', () => undefined).unref();

  let ended = false;
  const exited = new Promise<string>((resolve) => {
    const end = (how: string): void => {
      ended = true;
      if (lifeline instanceof Socket) lifeline.end('over\n');
      resolve(how);
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
