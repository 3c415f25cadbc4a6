/**
 * Starts supervisors: directly, or through a spawner process. A fork blocks the caller in proportion to the memory
 * of its process: a start from an engine with 1 GB takes forty times as long as one from the spawner.
 */
import { spawn, type ChildProcess } from 'node:child_process';
import type { Socket } from 'node:net';
import { fileURLToPath } from 'node:url';
import {
  ConnectionLostError,
  openStartConnection,
  type StartConnection,
  type StartSupervisor,
} from './start-connection.ts';
import { startSupervisor } from './start-supervisor.mjs';

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

const spawnerScript = fileURLToPath(new URL('./spawner-process.mjs', import.meta.url));
const spawnerOptions = ['--max-semi-space-size=1', '--max-old-space-size=64'];

/** Starts supervisors through a spawner process. */
export interface Spawner {
  readonly start: StartSupervisor;
  /** Returns the process id of the spawner while it runs. */
  pid(): number | undefined;
}

/**
 * Creates a spawner, whose process runs from the first start to the end of this thread. A new one replaces a process
 * that died; what that one started continues.
 * @param program tests replace the command of the spawner process
 */
export function createSpawner(
  program: readonly [string, ...string[]] = [process.execPath, ...spawnerOptions, spawnerScript],
): Spawner {
  let current: (StartConnection & { readonly pid: number | undefined }) | undefined;
  return {
    async start(request, onChange) {
      try {
        if (current?.isLost() !== false) current = openSpawner(program);
        return await current.start(request, onChange);
      } catch (error) {
        if (!(error instanceof ConnectionLostError)) throw error;
        // The process may have started the supervisor; then the claim makes the second one exit.
        return startDirectly(request, onChange);
      }
    },
    pid: () => (current?.isLost() === false ? current.pid : undefined),
  };
}

function openSpawner([program, ...words]: readonly [string, ...string[]]): StartConnection & {
  readonly pid: number | undefined;
} {
  // Without the environment of the service, and in a session of its own: signals of a terminal are not for it.
  const child = spawn(program, words, {
    cwd: '/',
    env: {},
    detached: true,
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  const { input, output } = pipesOf(child);
  // A program that cannot be started: the pipes close.
  child.once('error', () => {
    input.destroy();
    output.destroy();
  });
  child.unref();
  return { ...openStartConnection(input, output), pid: child.pid };
}

/** The pipes of a child process are sockets. */
function pipesOf({ stdin, stdout }: ChildProcess): { readonly input: Socket; readonly output: Socket } {
  if (stdin === null || stdout === null) throw new Error('The spawner process has no pipes.');
  return { input: stdin as Socket, output: stdout as Socket };
}
