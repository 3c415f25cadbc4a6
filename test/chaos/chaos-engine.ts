/**
 * Engine as a child process that can be killed, paused, stopped and restarted; its output goes to a log file.
 */
import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { createWriteStream } from 'node:fs';
import { createInterface } from 'node:readline';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';

export interface ChaosEngine {
  readonly name: string;
  /** Returns the address of the engine; undefined while it is down. */
  url(): string | undefined;
  /** Sends SIGKILL and resolves when the process has exited. */
  kill(): Promise<void>;
  /**
   * Sends SIGTERM, and a second SIGTERM to an engine that drains for too long. Resolves to false when the
   * engine had to be killed.
   */
  terminate(): Promise<boolean>;
  pause(): void;
  resume(): void;
  /**
   * Starts the engine and retries until it is ready, because a start without the database fails. Does nothing
   * after `dispose`.
   */
  start(): Promise<void>;
  /** Sends SIGKILL and prevents further starts. */
  dispose(): Promise<void>;
}

export interface ChaosEngineOptions {
  readonly name: string;
  /** True when a stopping engine waits for its running tasks. */
  readonly drain: boolean;
  readonly dataDirectory: string;
  readonly logFile: string;
  readonly environment: Readonly<Record<string, string>>;
  /** Called after each failed start. */
  readonly onFailedStart: () => void;
}

const main = fileURLToPath(new URL('../../cli/main.ts', import.meta.url));

/** Time an engine may drain before the second SIGTERM, and time it may then take on a busy machine. */
const drainMs = 8_000;
const stopMs = 60_000;

/**
 * Maximum failed starts in a row. Each start takes seconds, and every database fault is shorter than that.
 */
const maxStarts = 40;
const retryDelayMs = 250;

export function createChaosEngine(options: ChaosEngineOptions): ChaosEngine {
  let child: ChildProcess | undefined;
  let url: string | undefined;
  let disposed = false;
  /** Sends signals one after the other until the process exits; SIGKILL follows the last one. */
  const stop = async (
    ...signals: readonly (readonly [signal: NodeJS.Signals, milliseconds: number])[]
  ): Promise<boolean> => {
    url = undefined;
    const stopping = child;
    if (stopping === undefined) return true;
    const hasExited = (): boolean => stopping.exitCode !== null || stopping.signalCode !== null;
    const exited = hasExited() ? Promise.resolve() : once(stopping, 'exit');
    for (const [signal, milliseconds] of signals) {
      if (hasExited()) break;
      stopping.kill(signal);
      // A paused process does not handle SIGTERM.
      stopping.kill('SIGCONT');
      await Promise.race([exited, sleep(milliseconds, undefined, { ref: false })]);
    }
    const exitedInTime = hasExited();
    if (!exitedInTime) stopping.kill('SIGKILL');
    await exited;
    child = undefined;
    return exitedInTime;
  };
  return {
    name: options.name,
    url: () => url,
    kill: async () => void (await stop(['SIGKILL', stopMs])),
    terminate: () => stop(['SIGTERM', options.drain ? drainMs : stopMs], ['SIGTERM', stopMs]),
    async dispose() {
      disposed = true;
      await stop(['SIGKILL', stopMs]);
    },
    pause: () => void child?.kill('SIGSTOP'),
    resume: () => void child?.kill('SIGCONT'),
    async start() {
      for (let tries = 1; ; tries += 1) {
        if (disposed) return;
        child = spawnEngine(options);
        url = await waitForUrl(child, options.logFile);
        if (url !== undefined) return;
        options.onFailedStart();
        if (tries === maxStarts)
          throw new Error(
            `Engine ${options.name} failed to start ${tries} times; its log is ${options.logFile}.`,
          );
        await sleep(retryDelayMs);
      }
    },
  };
}

function spawnEngine({ dataDirectory, environment, drain }: ChaosEngineOptions): ChildProcess {
  return spawn(process.execPath, [main, 'serve', ...(drain ? ['--drain'] : [])], {
    cwd: dataDirectory,
    env: {
      PATH: process.env['PATH'] ?? '',
      RUNYARD_PORT: '0',
      RUNYARD_DATA_DIR: dataDirectory,
      ...environment,
    },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
}

/** Returns the address that a ready engine prints; undefined when the engine exits before. */
async function waitForUrl(child: ChildProcess, logFile: string): Promise<string | undefined> {
  if (child.stdout === null || child.stderr === null) throw new Error('The engine has no output streams.');
  const log = createWriteStream(logFile, { flags: 'a' });
  child.stderr.pipe(log, { end: false });
  child.stdout.pipe(log, { end: false });
  child.once('close', () => log.end());
  return new Promise((resolve) => {
    child.once('exit', () => resolve(undefined));
    createInterface({ input: child.stdout ?? process.stdin }).on('line', (line) => {
      const url = /"url":"([^"]+)"/.exec(line)?.[1];
      if (url !== undefined) resolve(url);
    });
  });
}
