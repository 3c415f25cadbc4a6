/**
 * State files of a process, in its directory: `pid` holds the claim, `exit` the exit code, `stopped` the
 * reason why an engine ended the process.
 */
import { randomUUID } from 'node:crypto';
import { closeSync, constants, fstatSync, openSync, readSync } from 'node:fs';
import { rename, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { codeOf } from '../../engine/errors.ts';
import type { ProcessIdentity } from '../../engine/process-identity.ts';
import { isMissing } from '../../engine/read-file.ts';
import type { Exit } from '../contract.ts';

/** Larger than any state file. */
const stateFileBytesMax = 4_096;
/** Records that an engine ends this process. The reason is empty unless the task itself caused the end. */
export async function recordStop(directory: string, reason: string): Promise<void> {
  const draft = join(directory, `stopped.${randomUUID()}`);
  await writeFile(draft, reason, { mode: 0o600 });
  await rename(draft, join(directory, 'stopped'));
}

/** Returns how an engine ended this process, if one did. */
export function readStop(directory: string): Exit | undefined {
  const text = readStateFile(join(directory, 'stopped'));
  if (text === undefined) return undefined;
  return text === '' ? { kind: 'stopped' } : { kind: 'flooded', message: text };
}

/** Takes the claim without a process, so that a supervisor that is still starting exits. False if claimed. */
export async function preventStart(directory: string): Promise<boolean> {
  try {
    await writeFile(join(directory, 'pid'), preventedClaim, { flag: 'wx' });
    return true;
  } catch (error) {
    if (codeOf(error) === 'EEXIST') return false;
    throw error;
  }
}

/** State of the claim; `unfilled` while the claimer has not written its identity. */
type Claim = ProcessIdentity | 'unfilled' | 'prevented' | undefined;

const preventedClaim = 'stopped before it was started\n';

/** Returns the claim of the process; undefined when there is none. */
export function readClaim(directory: string): Claim {
  const text = readStateFile(join(directory, 'pid'));
  if (text === undefined) return undefined;
  if (text === preventedClaim) return 'prevented';
  const match = /^(\d+) (\S+) (.+)\n$/.exec(text);
  if (match === null) return 'unfilled';
  const [, pid = '', boot = '', startTime = ''] = match;
  return { pid: Number(pid), bootId: boot, startTime };
}

export function readExitCode(directory: string): number | undefined {
  const text = readStateFile(join(directory, 'exit'));
  return text === undefined || !/^\d+\n$/.test(text) ? undefined : Number(text);
}

/**
 * Reads a state file, synchronously: it is tiny, and the threads of attempts do nothing else. Undefined when it is missing
 * or the task replaced it, for example by a pipe.
 */
function readStateFile(path: string): string | undefined {
  let file;
  try {
    // Without O_NONBLOCK the call blocks on a named pipe. O_NOFOLLOW ignores links made by the attempt.
    file = openSync(path, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK);
  } catch (error) {
    // ELOOP: a link, ENXIO: a socket.
    if (isMissing(error) || codeOf(error) === 'ELOOP' || codeOf(error) === 'ENXIO') return undefined;
    throw error;
  }
  try {
    const bytes = Buffer.alloc(stateFileBytesMax);
    if (!fstatSync(file).isFile()) return undefined;
    return bytes.toString('utf8', 0, readSync(file, bytes, 0, stateFileBytesMax, 0));
  } finally {
    closeSync(file);
  }
}
