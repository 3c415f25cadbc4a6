/** Floors: what the machine itself needs for a part of the work, measured beside the engine. */
import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFile } from 'node:fs/promises';
import { promisify } from 'node:util';
import { connectBesideEngine } from './database.ts';
import { measureMs, nowMs, runConcurrently } from './http-client.ts';

export interface CommitFloor {
  /** Returns the duration of one commit of one row, in ms. */
  measure(): Promise<number>;
  close(): Promise<void>;
}

/** Connects to the embedded PostgreSQL of a running engine and commits there, one connection, one row at a time. */
export async function openCommitFloor(dataDirectory: string): Promise<CommitFloor> {
  const { db, close } = await connectBesideEngine(dataDirectory);
  let next = 0;
  return {
    measure: () =>
      measureMs(() =>
        db
          .insertInto('idempotency_tokens')
          .values({ job_id: 0, token: `floor-${nowMs()}-${next++}`, run_id: 0 })
          .execute(),
      ),
    close,
  };
}

export interface BareProcesses {
  /** From the start of the first to the end of the last, in ms. */
  readonly durationMs: number;
  /** Processor time of all, in ms. */
  readonly cpuMs: number;
}

/** Runs the same program `count` times, `width` at the same time, without the engine. */
export async function runBareProcesses(
  argv: readonly [string, ...string[]],
  path: string,
  count: number,
  width: number,
): Promise<BareProcesses> {
  const [program, ...words] = argv;
  const cpuBefore = await readChildCpuMs();
  const durationMs = await measureMs(() =>
    runConcurrently(count, width, async () => {
      const child = spawn(program, words, { stdio: 'ignore', env: { PATH: path } });
      await once(child, 'exit');
    }),
  );
  return { durationMs, cpuMs: (await readChildCpuMs()) - cpuBefore };
}

/** Returns the real path of python3: a version manager puts a slow shim on the PATH, which the engine resolves, too. */
export async function resolvePython(path: string): Promise<string> {
  const words = ['-c', 'import sys; print(sys.executable)'];
  const { stdout } = await promisify(execFile)('python3', words, { env: { PATH: path } });
  return stdout.trim();
}

/** Returns the processor time of the ended child processes of this process. */
async function readChildCpuMs(): Promise<number> {
  const stat = await readFile('/proc/self/stat', 'utf8');
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  return (Number(fields[13]) + Number(fields[14])) * 10;
}
