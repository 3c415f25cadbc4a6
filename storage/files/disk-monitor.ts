/**
 * Watches the free space of a directory. A reserve file is given up when the disk is full, so that the engine
 * can still store how its runs end; it is created again once there is space.
 */
import { mkdir, open, rm, stat, statfs } from 'node:fs/promises';
import { join } from 'node:path';
import type { Clock } from '../../engine/clock.ts';
import { messageOf } from '../../engine/errors.ts';
import type { Log } from '../../engine/ports/log.ts';

export interface DiskMonitorOptions {
  /** Absolute. */
  readonly directory: string;
  /** Size of the reserve; 0 switches the monitor off. */
  readonly reserveBytes: number;
  readonly clock: Clock;
  readonly log: Log;
  /** Called when the disk becomes full, after the reserve was released. */
  readonly onFull: (directory: string) => void;
}

export interface DiskMonitor {
  /** Returns the directory while its disk is full. */
  findFullDisk(): string | undefined;
  close(): Promise<void>;
}

/** Interval of the checks, ms: a full disk is found well within 5 s. */
const intervalMs = 1_000;
/** The disk counts as full when less than this part of the reserve is free beside it. */
const fullPart = 1 / 8;
const reserveName = 'disk-reserve';
const chunkBytes = 2 ** 20;

/** Starts watching. The first check is done when the promise resolves. */
export async function startDiskMonitor(options: DiskMonitorOptions): Promise<DiskMonitor> {
  const { directory, reserveBytes, clock, log } = options;
  if (reserveBytes === 0) return { findFullDisk: () => undefined, close: async () => undefined };
  const file = join(directory, reserveName);
  let isFull = false;
  let isClosed = false;
  let cancelTimer: (() => void) | undefined;
  let check = Promise.resolve();

  const release = async (): Promise<void> => {
    isFull = true;
    await rm(file, { force: true });
    log.error(
      { directory },
      'The disk of the data directory is full. Running tasks are ended; no task starts until there is space.',
    );
    options.onFull(directory);
  };
  const checkOnce = async (): Promise<void> => {
    const free = await freeBytesOf(directory);
    if (!isFull) {
      if (free < reserveBytes * fullPart) return release();
      return (await hasReserve(file, reserveBytes)) || free < reserveBytes * 2
        ? undefined
        : createReserve(file, reserveBytes);
    }
    if (free < reserveBytes * (1 + 2 * fullPart)) return;
    await createReserve(file, reserveBytes);
    isFull = false;
    log.info({ directory }, 'The disk of the data directory has space again. Tasks start again.');
  };
  const schedule = (): void => {
    if (isClosed) return;
    cancelTimer = clock.runAt(clock.now() + intervalMs, () => {
      check = checkSafely().then(schedule);
    });
  };
  const checkSafely = (): Promise<void> =>
    checkOnce().catch((error: unknown) => {
      log.warn({ directory, error: messageOf(error) }, 'The free space of the data directory is unknown.');
    });
  await mkdir(directory, { recursive: true });
  await checkSafely();
  schedule();
  return {
    findFullDisk: () => (isFull ? directory : undefined),
    async close() {
      isClosed = true;
      cancelTimer?.();
      await check;
    },
  };
}

async function freeBytesOf(directory: string): Promise<number> {
  const { bavail, bsize } = await statfs(directory);
  return bavail * bsize;
}

async function hasReserve(file: string, bytes: number): Promise<boolean> {
  return stat(file).then(
    ({ size }) => size >= bytes,
    () => false,
  );
}

/** Writes the reserve. Real bytes: a sparse file would reserve nothing. */
async function createReserve(file: string, bytes: number): Promise<void> {
  const handle = await open(file, 'w', 0o600);
  try {
    // Not zeros, which some file systems store as a hole.
    const chunk = Buffer.alloc(chunkBytes, 'reserve ');
    for (let written = 0; written < bytes; written += chunk.length)
      await handle.write(chunk, 0, Math.min(chunk.length, bytes - written));
  } finally {
    await handle.close();
  }
}
