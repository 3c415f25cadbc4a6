/** Lock of a directory against a second engine; it survives every kind of engine crash. */
import { createHash, randomUUID } from 'node:crypto';
import { link, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Clock } from '../../engine/clock.ts';
import { codeOf } from '../../engine/errors.ts';
import { sleep } from './sleep.ts';
import { identifyProcess } from '../../engine/process-identity.ts';

/**
 * Another running engine holds the directory. The message is one line for the operator; the engine prints it
 * and exits with 1.
 */
export class DirectoryInUseError extends Error {
  readonly directory: string;
  readonly pid: number;

  constructor(directory: string, pid: number) {
    super(
      `The directory ${directory} is in use by the engine with process id ${pid}: stop that one, or use another data directory.`,
    );
    this.name = 'DirectoryInUseError';
    this.directory = directory;
    this.pid = pid;
  }
}

/**
 * A killed process exists until the kernel has freed its memory; a restart right after the kill must wait
 * for it.
 */
const processExitGraceMs = 1_000;

export interface DirectoryLock {
  /** Releases the directory. Idempotent. */
  release(): Promise<void>;
}

/**
 * Acquires `<directory>/lock` for this process. A stale lock is taken over: its process is gone, its pid
 * belongs to another process, or it is from an earlier boot. Throws DirectoryInUseError when the holder is
 * alive for another second, and at once when the holder is this process.
 */
export async function lockDirectory(directory: string, clock: Clock): Promise<DirectoryLock> {
  const path = join(directory, 'lock');
  const mine = JSON.stringify({ ...(await identifyProcess(process.pid)), nonce: randomUUID() });
  const deadline = clock.now() + processExitGraceMs;
  for (;;) {
    try {
      await acquire(directory, path, mine);
      break;
    } catch (error) {
      const hopeless = !(error instanceof DirectoryInUseError) || error.pid === process.pid;
      if (hopeless || clock.now() >= deadline) throw error;
      await sleep(clock, 20);
    }
  }
  return {
    async release() {
      if ((await readText(path)) === mine) await rm(path, { force: true });
    },
  };
}

/**
 * Writes `mine` to `path` atomically. To replace a dead holder, a process first acquires a guard named after
 * that holder and checks that the holder is still in place: no two processes replace the same holder, and a
 * slow one cannot remove the successor. A guard whose process died is taken over by the same rule.
 */
async function acquire(directory: string, path: string, mine: string): Promise<void> {
  for (;;) {
    if (await createAtomically(path, mine)) return;
    const holder = await readText(path);
    if (holder === undefined) continue;
    const pid = await findRunningHolder(holder);
    if (pid !== undefined) throw new DirectoryInUseError(directory, pid);
    const guard = `${path}.${createHash('sha256').update(holder).digest('hex').slice(0, 12)}`;
    await acquire(directory, guard, mine);
    try {
      if ((await readText(path)) !== holder) continue;
      await withTempFile(path, mine, (draft) => rename(draft, path));
      return;
    } finally {
      await rm(guard, { force: true });
    }
  }
}

/**
 * Creates a file by linking it, which is atomic and fails when the name is taken: readers never see a partial
 * lock.
 */
async function createAtomically(path: string, text: string): Promise<boolean> {
  try {
    await withTempFile(path, text, (draft) => link(draft, path));
    return true;
  } catch (error) {
    if (codeOf(error) === 'EEXIST') return false;
    throw error;
  }
}

async function withTempFile(
  path: string,
  text: string,
  use: (draft: string) => Promise<void>,
): Promise<void> {
  const draft = `${path}.${randomUUID()}`;
  try {
    await writeFile(draft, text, { flush: true });
    await use(draft);
  } finally {
    await rm(draft, { force: true });
  }
}

/**
 * Returns the pid of the process that wrote the lock while it runs; an unreadable lock has no running
 * holder.
 */
async function findRunningHolder(text: string): Promise<number | undefined> {
  const written = parseJson(text);
  if (
    typeof written !== 'object' ||
    written === null ||
    !('pid' in written) ||
    typeof written.pid !== 'number'
  )
    return undefined;
  const now = await identifyProcess(written.pid);
  const same =
    now !== undefined &&
    'startTime' in written &&
    'bootId' in written &&
    written.startTime === now.startTime &&
    written.bootId === now.bootId;
  return same ? now.pid : undefined;
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

async function readText(path: string): Promise<string | undefined> {
  try {
    return await readFile(path, 'utf8');
  } catch (error) {
    if (codeOf(error) === 'ENOENT') return undefined;
    throw error;
  }
}
