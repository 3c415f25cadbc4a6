/** Runs init scripts in a pool thread, and attaches to those that run already. */
import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import type { MessagePort } from 'node:worker_threads';
import type { InitScriptOutcome } from '../../engine/ports/clusters.ts';
import { messageOf } from '../../engine/errors.ts';
import { readLogTail } from '../../engine/log-file.ts';
import { findInterpreter } from '../process/environment.ts';
import { handOver, share } from '../pool/directory-ownership.ts';
import { isolated, type Isolation } from '../process/isolation.ts';
import { exec } from '../process/exec.ts';

/** A script that lies in a directory of its own. */
export interface ScriptRequest {
  /** Where `script` is, and where its output and its exit code are kept. */
  readonly directory: string;
  /** The mark that all its processes carry. */
  readonly clusterDirectory: string;
  readonly environment: Readonly<Record<string, string>>;
  readonly isolation: Isolation;
  readonly stopGraceMs: number;
  readonly logBytesMax: number;
  /** Any message on it means: stop. */
  readonly port: MessagePort;
  readonly stopped: boolean;
}

/** Bytes of output from which the last words are taken. */
const endBytes = 4_096;
const longestWords = 500;

/** Never throws: an error would lose its meaning between threads. */
export async function runInitScript(request: ScriptRequest): Promise<InitScriptOutcome> {
  const stop = new AbortController();
  if (request.stopped) stop.abort();
  request.port.on('message', () => stop.abort());
  try {
    return await run(request, stop.signal);
  } catch (error) {
    return { kind: 'impossible', message: messageOf(error) };
  } finally {
    request.port.close();
  }
}

async function run(
  { directory, clusterDirectory, environment, isolation, stopGraceMs, logBytesMax }: ScriptRequest,
  signal: AbortSignal,
): Promise<InitScriptOutcome> {
  const bash = await findInterpreter('bash', environment, isolation);
  if (bash === undefined)
    return { kind: 'impossible', message: 'bash was not found on this machine; install it.' };
  const [temporary, cwd] = [join(clusterDirectory, 'tmp'), join(clusterDirectory, 'work')];
  for (const made of [temporary, cwd]) await mkdir(made, { recursive: true });
  const { user } = isolation;
  if (user !== undefined) {
    await share(clusterDirectory, user);
    for (const given of [temporary, cwd, directory]) await handOver(given, user);
  }
  const exit = await exec(
    {
      directory,
      attemptDirectory: clusterDirectory,
      cwd,
      stopGraceMs,
      logBytesMax,
      ...isolated(
        isolation,
        { argv: [bash, join(directory, 'script')], env: { ...environment, TMPDIR: temporary } },
        { temporary, cwd, own: [clusterDirectory] },
      ),
    },
    signal,
  );
  if (exit.kind === 'exited')
    return {
      ...exit,
      outputTail: (await lastLine(join(directory, 'stderr'))) || (await lastLine(join(directory, 'stdout'))),
    };
  return exit.kind === 'stopped' ? exit : { kind: 'impossible', message: exit.message };
}

async function lastLine(file: string): Promise<string> {
  const line = (await readLogTail(file, endBytes)).trimEnd().split('\n').at(-1) ?? '';
  return line.trim().slice(0, longestWords).toWellFormed();
}
