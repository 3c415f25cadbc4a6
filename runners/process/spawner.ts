/**
 * Starts supervisors: directly, or through a spawner process. A fork blocks the caller in proportion to the memory
 * of its process: a start from an engine with 1 GB takes forty times as long as one from the spawner.
 */
import { spawn, type ChildProcess } from 'node:child_process';
import { createInterface } from 'node:readline';
import type { Socket } from 'node:net';
import { fileURLToPath } from 'node:url';
import { codeOf } from '../../engine/errors.ts';
import { startSupervisor, type SupervisorRequest } from './start-supervisor.mjs';

/** A supervisor that was started. */
export interface StartedProcess {
  readonly pid: number;
  /** Returns whether it has ended. */
  isOver(): boolean;
  /** Returns whether its end is reported. Otherwise its exit file must be watched. */
  isObserved(): boolean;
}

/**
 * Starts a supervisor.
 * @param onChange called when it ends, and when its end can no longer be reported
 * @throws Error when it cannot be started
 */
export type StartSupervisor = (request: SupervisorRequest, onChange: () => void) => Promise<StartedProcess>;

/** Starts a supervisor as a child of this process. */
export const startDirectly: StartSupervisor = async (request, onChange) => {
  const child = startSupervisor(request);
  child.once('exit', onChange);
  await new Promise<void>((resolve, reject) => {
    child.once('spawn', resolve);
    child.once('error', reject);
  });
  // The engine may exit while its tasks run.
  child.unref();
  return {
    pid: child.pid ?? 0,
    isOver: () => child.exitCode !== null || child.signalCode !== null,
    isObserved: () => true,
  };
};

/** A line of the spawner process. */
type SpawnerAnswer =
  | { readonly id: number; readonly pid: number }
  | { readonly id: number; readonly error: string }
  | { readonly id: number; readonly ended: true };

/** A start that was requested. */
interface Start {
  readonly onStarted: (pid: number) => void;
  readonly onFailed: (error: Error) => void;
  readonly onChange: () => void;
  pid: number | undefined;
  state: 'running' | 'over' | 'unobserved';
}

const spawnerScript = fileURLToPath(new URL('./spawner-process.mjs', import.meta.url));
const spawnerOptions = ['--max-semi-space-size=1', '--max-old-space-size=64'];

/** The spawner process ended before it answered. */
class SpawnerGoneError extends Error {}

/**
 * Creates a starter with a spawner process of its own, which runs from the first start to the end of this thread. A
 * new one replaces a spawner that died; its processes continue.
 * @param program tests replace the command of the spawner process
 */
export function createSpawner(
  program: readonly [string, ...string[]] = [process.execPath, ...spawnerOptions, spawnerScript],
): StartSupervisor & { readonly pid: () => number | undefined } {
  let current: SpawnerConnection | undefined;
  const start: StartSupervisor = async (request, onChange) => {
    try {
      if (current?.isGone() !== false) current = openSpawner(program);
      return await current.start(request, onChange);
    } catch (error) {
      if (!(error instanceof SpawnerGoneError)) throw error;
      // It may have started the supervisor; then the claim makes the second one exit.
      return startDirectly(request, onChange);
    }
  };
  return Object.assign(start, { pid: () => (current?.isGone() === false ? current.pid : undefined) });
}

interface SpawnerConnection {
  readonly pid: number | undefined;
  readonly start: StartSupervisor;
  isGone(): boolean;
}

function openSpawner([program, ...words]: readonly [string, ...string[]]): SpawnerConnection {
  // Without the environment of the service, and in a session of its own: signals of a terminal are not for it.
  const child = spawn(program, words, {
    cwd: '/',
    env: {},
    detached: true,
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  const { input, output } = pipesOf(child);
  const starts = new Map<number, Start>();
  let waiting = 0;
  let gone = false;
  let last = 0;
  const setWaiting = (change: 1 | -1): void => {
    waiting += change;
    // Only a caller that waits for an answer keeps this thread alive.
    if (waiting === 0) output.unref();
    else output.ref();
  };
  const endAll = (): void => {
    gone = true;
    for (const start of starts.values()) loseStart(start);
    starts.clear();
  };
  child.once('error', endAll);
  child.once('exit', endAll);
  input.on('error', endAll);
  child.unref();
  input.unref();
  output.unref();
  createInterface({ input: output }).on('line', (line) => {
    const answer: SpawnerAnswer = JSON.parse(line);
    const start = starts.get(answer.id);
    if (start === undefined) return;
    if ('pid' in answer) start.onStarted(answer.pid);
    else {
      starts.delete(answer.id);
      if ('error' in answer) start.onFailed(new Error(answer.error));
      else {
        start.state = 'over';
        start.onChange();
      }
    }
  });
  return {
    pid: child.pid,
    isGone: () => gone,
    start(request, onChange) {
      const id = (last += 1);
      setWaiting(1);
      return new Promise<StartedProcess>((resolve, reject) => {
        const start: Start = {
          onStarted(pid) {
            start.pid = pid;
            resolve({ pid, isOver: () => isOver(start), isObserved: () => start.state !== 'unobserved' });
          },
          onFailed: reject,
          onChange,
          pid: undefined,
          state: 'running',
        };
        starts.set(id, start);
        input.write(`${JSON.stringify({ id, request })}\n`);
      }).finally(() => setWaiting(-1));
    },
  };
}

/** Ends the observation of a start whose spawner is gone. */
function loseStart(start: Start): void {
  if (start.pid === undefined) return start.onFailed(new SpawnerGoneError('The spawner process ended.'));
  start.state = 'unobserved';
  start.onChange();
}

function isOver({ state, pid = 0 }: Start): boolean {
  return state === 'over' || (state === 'unobserved' && !exists(pid));
}

function exists(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch (error) {
    return codeOf(error) === 'EPERM';
  }
}

/** The pipes of a child process are sockets. */
function pipesOf({ stdin, stdout }: ChildProcess): { readonly input: Socket; readonly output: Socket } {
  if (stdin === null || stdout === null) throw new Error('The spawner process has no pipes.');
  return { input: stdin as Socket, output: stdout as Socket };
}
