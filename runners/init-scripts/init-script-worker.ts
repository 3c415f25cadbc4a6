/** Runs init scripts in a pool thread, or attaches to running ones. */
import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import type { MessagePort } from 'node:worker_threads';
import type { InitScriptOutcome } from '../../engine/ports/clusters.ts';
import { messageOf } from '../../engine/errors.ts';
import { readLogTail } from '../../engine/log-file.ts';
import { findInterpreter } from '../process/task-environment.ts';
import { grantOwnership, shareDirectory } from '../pool/directory-ownership.ts';
import { applyIsolation, type Isolation } from '../process/isolation.ts';
import { exec } from '../process/exec.ts';

/** Request for a script in a directory of its own. */
export interface InitScriptRequest {
  /** Directory of `script`, its output and its exit code. */
  readonly directory: string;
  /** Directory with which its processes are marked. */
  readonly clusterDirectory: string;
  readonly environment: Readonly<Record<string, string>>;
  readonly isolation: Isolation;
  readonly stopGraceMs: number;
  readonly logBytesMax: number;
  /** Any message stops the script. */
  readonly port: MessagePort;
  readonly stopRequested: boolean;
}

/** Bytes of output that are searched for the last line. */
const tailBytes = 4_096;
const lastLineCharactersMax = 500;

/** Never throws, because errors lose their type between threads. */
export async function runInitScript(request: InitScriptRequest): Promise<InitScriptOutcome> {
  const stop = new AbortController();
  if (request.stopRequested) stop.abort();
  request.port.on('message', () => stop.abort());
  try {
    return await runScript(request, stop.signal);
  } catch (error) {
    return { kind: 'impossible', message: messageOf(error) };
  } finally {
    request.port.close();
  }
}

async function runScript(
  { directory, clusterDirectory, environment, isolation, stopGraceMs, logBytesMax }: InitScriptRequest,
  signal: AbortSignal,
): Promise<InitScriptOutcome> {
  const bash = await findInterpreter('bash', environment, isolation);
  if (bash === undefined)
    return { kind: 'impossible', message: 'bash was not found on this machine; install it.' };
  const [temporary, cwd] = [join(clusterDirectory, 'tmp'), join(clusterDirectory, 'work')];
  for (const made of [temporary, cwd]) await mkdir(made, { recursive: true });
  const { user } = isolation;
  if (user !== undefined) {
    await shareDirectory(clusterDirectory, user);
    for (const given of [temporary, cwd, directory]) await grantOwnership(given, user);
  }
  const exit = await exec(
    {
      directory,
      attemptDirectory: clusterDirectory,
      cwd,
      stopGraceMs,
      logBytesMax,
      ...applyIsolation(
        isolation,
        { argv: [bash, join(directory, 'script')], env: { ...environment, TMPDIR: temporary } },
        { temporary, cwd, writable: [clusterDirectory] },
      ),
    },
    signal,
  );
  if (exit.kind === 'exited')
    return {
      ...exit,
      outputTail:
        (await readLastLine(join(directory, 'stderr'))) || (await readLastLine(join(directory, 'stdout'))),
    };
  return exit.kind === 'stopped' ? exit : { kind: 'impossible', message: exit.message };
}

async function readLastLine(file: string): Promise<string> {
  const line = (await readLogTail(file, tailBytes)).trimEnd().split('\n').at(-1) ?? '';
  return line.trim().slice(0, lastLineCharactersMax).toWellFormed();
}
