/**
 * What the tests of exec share: specs in directories of their own, engines to kill, and looks at what a
 * process said.
 */
import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readFileSync } from 'node:fs';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll } from 'vitest';
import { identifyProcess, type ProcessIdentity } from '../../../engine/process-identity.ts';
import { createWakeSignal } from '../../../runners/wake-signal.ts';
import { killMarkedProcesses } from '../../../runners/process/process-group.ts';
import type { ProcessSpec } from '../../../runners/process/exec.ts';

/** Parent of all directories of this test file. */
export const root = await mkdtemp(join(tmpdir(), 'runyard process ü '));
let last = 0;

afterAll(async () => {
  for (let one = 1; one <= last; one += 1)
    await killMarkedProcesses(join(root, String(one)), createWakeSignal());
  await rm(root, { recursive: true, force: true });
});

/** The signal of a process that nobody stops. */
export const neverAborted = new AbortController().signal;

/** A spec in a directory of its own; the script is for sh. */
export function createSpec(script: string, changes: Partial<ProcessSpec> = {}): ProcessSpec {
  last += 1;
  const directory = join(root, String(last));
  return {
    directory,
    attemptDirectory: directory,
    argv: ['sh', '-c', script],
    cwd: join(directory, 'work'),
    env: { PATH: '/usr/bin:/bin' },
    stopGraceMs: 5_000,
    logBytesMax: 2 ** 30,
    ...changes,
  };
}

export const readLog = (spec: ProcessSpec, stream = 'stdout'): string =>
  readFileSync(join(spec.directory, stream), 'utf8');

/** Waits until the process has written `text`: an event, not a time. */
export async function waitForOutput(spec: ProcessSpec, text: string): Promise<void> {
  const log = join(spec.directory, 'stdout');
  while (!existsSync(log) || !readFileSync(log, 'utf8').includes(text)) await pause();
}

/** The process whose pid stands in a file of the working directory. */
export async function readProcessIdentity(spec: ProcessSpec, file: string): Promise<ProcessIdentity> {
  const pid = Number(await readFile(join(spec.directory, 'work', file), 'utf8'));
  const identity = await identifyProcess(pid);
  if (identity === undefined) throw new Error(`Process ${pid} is not there.`);
  return identity;
}

const enginePath = fileURLToPath(new URL('./exec-engine.ts', import.meta.url));

/** An engine of its own process, about to run the spec. */
export async function startEngine(spec: ProcessSpec): Promise<ChildProcess> {
  const engine = spawn(process.execPath, [enginePath, JSON.stringify(spec)], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  await once(engine.stdout, 'data');
  return engine;
}

export async function killEngine(engine: ChildProcess): Promise<void> {
  const gone =
    engine.exitCode === null && engine.signalCode === null ? once(engine, 'exit') : Promise.resolve();
  engine.kill('SIGKILL');
  await gone;
}

export function pause(): Promise<void> {
  return new Promise((resolve) => {
    setTimeout(resolve, 5);
  });
}
