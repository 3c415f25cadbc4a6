/** Runs the command `runyard` as a separate process. */
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
  /** Resolves when the process has ended and its output is complete. */
  readonly result: Promise<CommandResult>;
  /** Resolves when either stream matches the pattern; rejects when the process ends before. */
  waitForOutput(pattern: RegExp): Promise<RegExpExecArray>;
}

/**
 * Starts the command in `directory` with PATH, HOME and `variables` as its environment. Kills it at the end
 * of the test.
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
  const output = { stdout: '', stderr: '' };
  const listeners = new Set<() => void>();
  for (const stream of ['stdout', 'stderr'] as const) {
    child[stream].setEncoding('utf8').on('data', (text: string) => {
      output[stream] += text;
      for (const listener of listeners) listener();
    });
  }
  const ended = new Promise<CommandResult>((resolve) => {
    child.once('close', (code) => resolve({ code, ...output }));
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
        const check = (): void => {
          const match = pattern.exec(output.stdout) ?? pattern.exec(output.stderr);
          if (match !== null) resolve(match);
        };
        listeners.add(check);
        check();
        void ended.then(() =>
          reject(new Error(`The output never matched ${pattern}:\n${output.stdout}${output.stderr}`)),
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
 * Creates a directory that every user may traverse, as the embedded database needs; removed after the test.
 */
export async function createTraversableDirectory(): Promise<string> {
  const directory = await mkdtemp(join(tmpdir(), 'runyard-command-'));
  onTestFinished(() => rm(directory, { recursive: true, force: true }));
  await chmod(directory, 0o711);
  return directory;
}
