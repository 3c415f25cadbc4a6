/** Service in its own process with the embedded PostgreSQL, for tests that kill it. */
import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { createApiClient, type ApiClient } from './api-client.ts';

export interface EngineProcess extends ApiClient {
  readonly process: ChildProcess;
  /** Sends SIGKILL and resolves when the process has exited. */
  kill(): Promise<void>;
  /** Sends SIGTERM and resolves with the exit code. */
  terminate(): Promise<number | null>;
}

const main = fileURLToPath(new URL('../../cli/main.ts', import.meta.url));
const token = 'token-of-a-test';

/**
 * Starts `runyard serve` on a data directory and waits until it is ready.
 * @throws Error with the output of the process when it exits before that
 */
export async function startEngineProcess(
  dataDirectory: string,
  variables: Readonly<Record<string, string>> = {},
  options: readonly string[] = [],
): Promise<EngineProcess> {
  const child = spawn(process.execPath, [main, 'serve', ...options], {
    cwd: dataDirectory,
    env: {
      PATH: process.env['PATH'] ?? '',
      RUNYARD_PORT: '0',
      RUNYARD_DATA_DIR: dataDirectory,
      RUNYARD_BOOTSTRAP_TOKEN: token,
      ...variables,
    },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const url = await waitForUrl(child);
  return {
    ...createApiClient(url, token),
    process: child,
    async kill() {
      const exited = once(child, 'exit');
      child.kill('SIGKILL');
      await exited;
    },
    async terminate() {
      const exited = once(child, 'exit');
      child.kill('SIGTERM');
      const [code]: unknown[] = await exited;
      return typeof code === 'number' ? code : null;
    },
  };
}

async function waitForUrl(child: ChildProcess): Promise<string> {
  if (child.stdout === null || child.stderr === null) throw new Error('The engine has no output to read.');
  const output: string[] = [];
  child.stderr.on('data', (data: Buffer) => output.push(data.toString()));
  for await (const line of createInterface({ input: child.stdout })) {
    output.push(line);
    const entry: unknown = JSON.parse(line);
    if (typeof entry === 'object' && entry !== null && 'url' in entry) {
      // Later output is not needed, but it must not fill the pipe.
      child.stdout.resume();
      return String(entry.url);
    }
  }
  throw new Error(`The engine exited before it was ready:\n${output.join('\n')}`);
}
