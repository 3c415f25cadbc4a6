/** Harness of the exec tests: specs with separate directories, engines to kill, and output of processes. */
import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync } from 'node:fs';
import { readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { onTestFinished } from 'vitest';
import { identifyProcess, type ProcessIdentity } from '../../../engine/process-identity.ts';
import { createWakeSignal } from '../../../runners/wake-signal.ts';
import { killMarkedProcesses } from '../../../runners/process/process-group.ts';
import type { ProcessSpec } from '../../../runners/process/exec.ts';
import { eventually } from '../../harness/eventually.ts';

/** Signal of a process that is not stopped. */
export const neverAborted = new AbortController().signal;

/**
 * Returns a spec with a directory of its own, which does not exist yet. `script` is a shell script. The end
 * of the test kills the processes of the spec.
 */
export function createSpec(script: string, changes: Partial<ProcessSpec> = {}): ProcessSpec {
  const root = mkdtempSync(join(tmpdir(), 'runyard process ü '));
  const directory = join(root, 'attempt');
  const spec: ProcessSpec = {
    directory,
    attemptDirectory: directory,
    argv: ['sh', '-c', script],
    cwd: join(directory, 'work'),
    env: { PATH: '/usr/bin:/bin' },
    stopGraceMs: 5_000,
    logBytesMax: 2 ** 30,
    ...changes,
  };
  onTestFinished(async () => {
    await killMarkedProcesses(spec.attemptDirectory, createWakeSignal());
    await rm(root, { recursive: true, force: true });
  });
  return spec;
}

export const readLog = (spec: ProcessSpec, stream = 'stdout'): string =>
  readFileSync(join(spec.directory, stream), 'utf8');

/** Waits until the process has written `text` to stdout. */
export async function waitForOutput(spec: ProcessSpec, text: string): Promise<void> {
  await waitForFile(spec, 'stdout', (log) => log.includes(text));
}

/** Waits until a file of the attempt exists and its text passes `until`. */
export async function waitForFile(
  { directory }: ProcessSpec,
  name: string,
  until: (text: string) => boolean = () => true,
): Promise<void> {
  await eventually(() => readFileSync(join(directory, name), 'utf8'), { every: 5, until });
}

/** Returns the process with the pid in a file of the working directory. */
export async function readProcessIdentity(spec: ProcessSpec, file: string): Promise<ProcessIdentity> {
  const pid = Number(await readFile(join(spec.directory, 'work', file), 'utf8'));
  const identity = await identifyProcess(pid);
  if (identity === undefined) throw new Error(`Process ${pid} does not exist.`);
  return identity;
}

const enginePath = fileURLToPath(new URL('./exec-engine.ts', import.meta.url));

/** Starts an engine in a process of its own, which runs the spec. */
export async function startEngine(spec: ProcessSpec): Promise<ChildProcess> {
  const engine = spawn(process.execPath, [enginePath, JSON.stringify(spec)], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  await once(engine.stdout, 'data');
  return engine;
}

export async function killEngine(engine: ChildProcess): Promise<void> {
  const exited =
    engine.exitCode === null && engine.signalCode === null ? once(engine, 'exit') : Promise.resolve();
  engine.kill('SIGKILL');
  await exited;
}
