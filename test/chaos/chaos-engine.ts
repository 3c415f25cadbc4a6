/** One engine as a process that is killed, paused, stopped and started again; what it says goes to a file. */
import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { createWriteStream } from 'node:fs';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';

export interface ChaosEngine {
  readonly name: string;
  /** Where it listens; undefined while it is down. */
  url(): string | undefined;
  /** kill -9; resolves when it is gone. */
  kill(): Promise<void>;
  /**
   * SIGTERM, and a second one for an engine that waits for its tasks too long. False when it did not end by
   * itself.
   */
  terminate(): Promise<boolean>;
  pause(): void;
  resume(): void;
  /**
   * Starts it, again and again until it is ready: without its database a start fails. Nothing happens once it
   * is retired.
   */
  start(): Promise<void>;
  /** kill -9, for good. */
  dispose(): Promise<void>;
}

export interface ChaosEngineOptions {
  readonly name: string;
  /** Whether it waits for its running tasks when it is told to stop. */
  readonly drain: boolean;
  readonly dataDirectory: string;
  readonly logFile: string;
  readonly environment: Readonly<Record<string, string>>;
  /** Called for each start that failed. */
  readonly onFailedStart: () => void;
}

const main = fileURLToPath(new URL('../../cli/main.ts', import.meta.url));

/**
 * How long an engine may wait for its tasks before it is told again, and how long it may take then, on a
 * machine that is busy.
 */
const drainMs = 8_000;
const stopMs = 60_000;

/**
 * How often a start may fail before it is given up: each takes seconds, and every fault of the database is
 * shorter.
 */
const maxStarts = 40;

export function createChaosEngine(options: ChaosEngineOptions): ChaosEngine {
  let child: ChildProcess | undefined;
  let url: string | undefined;
  let retired = false;
  /** Signals that follow one another while it lives. */
  const end = async (
    ...signals: readonly (readonly [signal: NodeJS.Signals, milliseconds: number])[]
  ): Promise<boolean> => {
    url = undefined;
    const ending = child;
    if (ending === undefined) return true;
    const over = (): boolean => ending.exitCode !== null || ending.signalCode !== null;
    const gone = over() ? Promise.resolve() : once(ending, 'exit');
    for (const [signal, milliseconds] of signals) {
      if (over()) break;
      ending.kill(signal);
      // A process that is paused does not hear SIGTERM.
      ending.kill('SIGCONT');
      await Promise.race([
        gone,
        new Promise((resolve) => {
          setTimeout(resolve, milliseconds).unref();
        }),
      ]);
    }
    const byItself = over();
    if (!byItself) ending.kill('SIGKILL');
    await gone;
    child = undefined;
    return byItself;
  };
  return {
    name: options.name,
    url: () => url,
    kill: async () => void (await end(['SIGKILL', stopMs])),
    terminate: () => end(['SIGTERM', options.drain ? drainMs : stopMs], ['SIGTERM', stopMs]),
    async dispose() {
      retired = true;
      await end(['SIGKILL', stopMs]);
    },
    pause: () => void child?.kill('SIGSTOP'),
    resume: () => void child?.kill('SIGCONT'),
    async start() {
      for (let tries = 1; ; tries += 1) {
        if (retired) return;
        child = spawnEngine(options);
        url = await waitForUrl(child, options.logFile);
        if (url !== undefined) return;
        options.onFailedStart();
        if (tries === maxStarts)
          throw new Error(
            `Engine ${options.name} could not be started ${tries} times; see ${options.logFile}`,
          );
        await new Promise((resolve) => {
          setTimeout(resolve, 250);
        });
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

/** The address that it prints once it is ready; undefined when it ended before. */
async function waitForUrl(child: ChildProcess, logFile: string): Promise<string | undefined> {
  if (child.stdout === null || child.stderr === null) throw new Error('The engine has no output to read.');
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
