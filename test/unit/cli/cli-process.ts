/** Runs the command `runyard` as people do: a process of its own, its words and its exit code. */
import { spawn, type ChildProcess } from 'node:child_process';
import { chmod, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { onTestFinished } from 'vitest';

const main = fileURLToPath(new URL('../../../cli/main.ts', import.meta.url));

export interface CommandResult {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

export interface RunningCommand {
  readonly child: ChildProcess;
  /** Resolves when it is over and everything it wrote is there. */
  readonly result: Promise<CommandResult>;
  /**
   * Resolves with the match when either stream holds the pattern; rejects when the process ends without it.
   */
  waitForOutput(pattern: RegExp): Promise<RegExpExecArray>;
}

/**
 * Starts the command in `directory` with no environment but PATH, HOME and `variables`. It does not outlive
 * the test.
 */
export function startCommand(
  words: readonly string[],
  directory: string,
  variables: Readonly<Record<string, string>> = {},
): RunningCommand {
  const { PATH = '', HOME = '' } = process.env;
  const child = spawn(process.execPath, [main, ...words], {
    cwd: directory,
    env: { PATH, HOME, ...variables },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const said = { stdout: '', stderr: '' };
  const listeners = new Set<() => void>();
  for (const stream of ['stdout', 'stderr'] as const) {
    child[stream].setEncoding('utf8').on('data', (text: string) => {
      said[stream] += text;
      for (const listener of listeners) listener();
    });
  }
  const ended = new Promise<CommandResult>((resolve) => {
    child.once('close', (code) => resolve({ code, ...said }));
  });
  onTestFinished(async () => {
    child.kill('SIGKILL');
    await ended;
  });
  return {
    child,
    result: ended,
    waitForOutput: (pattern) =>
      new Promise((resolve, reject) => {
        const look = (): void => {
          const match = pattern.exec(said.stdout) ?? pattern.exec(said.stderr);
          if (match !== null) resolve(match);
        };
        listeners.add(look);
        look();
        void ended.then(() =>
          reject(new Error(`It never said ${pattern}, but:\n${said.stdout}${said.stderr}`)),
        );
      }),
  };
}

/** Runs the command to its end. */
export function runCommand(
  words: readonly string[],
  directory: string,
  variables: Readonly<Record<string, string>> = {},
): Promise<CommandResult> {
  return startCommand(words, directory, variables).result;
}

/**
 * A directory that every user may pass through, as the embedded database needs; gone when the test is over.
 */
export async function createTraversableDirectory(): Promise<string> {
  const directory = await mkdtemp(join(tmpdir(), 'runyard-command-'));
  onTestFinished(() => rm(directory, { recursive: true, force: true }));
  await chmod(directory, 0o711);
  return directory;
}
