/** The lock that keeps a second engine out of a directory, and that survives every way an engine can end. */
import { createHash, randomUUID } from 'node:crypto';
import { link, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Clock } from '../../engine/clock.ts';
import { codeOf } from '../../engine/errors.ts';
import { sleep } from './sleep.ts';
import { identifyProcess } from '../../engine/process-identity.ts';

/**
 * Another living engine holds the directory. The message is one line for the operator; the engine prints it
 * and exits 1.
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
 * A process killed just now still lives while the kernel takes its memory apart; whoever restarts it must not
 * meet it.
 */
const processExitGraceMs = 1_000;

export interface DirectoryLock {
  /** Gives the directory free. Idempotent. */
  release(): Promise<void>;
}

/**
 * Takes `<directory>/lock` for this process. A lock whose process is gone (or whose pid now belongs to
 * another process, or was of an earlier boot) is taken over. Throws DirectoryInUseError when its holder lives
 * on for a second, and at once when the holder is this very process.
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
 * Makes `path` hold the text `mine`, created whole or not at all. To replace a dead holder one must first
 * claim a guard named after that holder and then see the holder still in place: so no two can replace the
 * same one, and a slow claimant cannot push out the successor. A guard whose claimant died is taken over by
 * the same rule.
 */
async function acquire(directory: string, path: string, mine: string): Promise<void> {
  for (;;) {
    if (await createAtomically(path, mine)) return;
    const holder = await readText(path);
    if (holder === undefined) continue;
    const pid = await findLivingHolder(holder);
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

/** A link is made in one step and fails when the name is taken, so nobody ever reads half a lock. */
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
 * The pid of the process that wrote this lock, when it still runs; a lock that cannot be read has no living
 * holder.
 */
async function findLivingHolder(text: string): Promise<number | undefined> {
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
