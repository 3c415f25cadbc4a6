/**
 * Reads the log of an attempt: a file that a task appends to. The middle of an oversized log is truncated by
 * hole punching (runners/process/log-truncation.ts).
 */
import type { FileHandle } from 'node:fs/promises';
import { codeOf } from './errors.ts';
import { openRegularFile, readRange } from './read-file.ts';

/** Streams of a process. Each is written to a file of its name. */
export const logStreams = ['stdout', 'stderr'] as const;
export type LogStream = (typeof logStreams)[number];

/**
 * Removed bytes of a log, `from` inclusive to `to` exclusive. The file has a hole there and keeps its length.
 */
export interface TruncatedRange {
  readonly from: number;
  readonly to: number;
  /** Maximum size of the log in bytes, which caused the truncation. */
  readonly cap: number;
}

/** Content of a log at an offset: bytes, or a truncated range. */
export type LogChunk =
  | { readonly kind: 'bytes'; readonly offset: number; readonly bytes: Buffer }
  | {
      readonly kind: 'truncated';
      readonly offset: number;
      readonly nextOffset: number;
      readonly cap: number;
    };

/** An open log. Offsets refer to the file and stay valid when the log is truncated. */
export interface LogFile {
  /** Returns the current length, truncated ranges included. */
  size(): Promise<number>;
  truncatedRange(): Promise<TruncatedRange | undefined>;
  /**
   * Reads at most `length` bytes at an offset. The bytes end before a truncated range; an empty result is the
   * current end.
   */
  read(offset: number, length: number): Promise<LogChunk>;
  close(): Promise<void>;
}

/** Returns the path of the file that records the truncated range of a log. */
export const truncationFilePath = (path: string): string => `${path}.cut`;

/** Maximum size of the truncation file, bytes: three numbers. */
const truncationFileMaxBytes = 100;

/** Opens a log; undefined when it does not exist, is not a regular file, or may not be read. */
export async function openLog(path: string): Promise<LogFile | undefined> {
  const file = await openReadable(path);
  if (file === undefined) return undefined;
  const size = async (): Promise<number> => (await file.stat()).size;
  const truncatedRange = async (): Promise<TruncatedRange | undefined> =>
    readTruncatedRange(path, await size());
  return {
    size,
    truncatedRange,
    async read(offset, length) {
      for (;;) {
        const before = await truncatedRange();
        if (before !== undefined && isTruncatedAt(before, offset))
          return { kind: 'truncated', offset, nextOffset: before.to, cap: before.cap };
        const end = before !== undefined && offset < before.from ? before.from : offset + length;
        const bytes = await readRange(file, offset, Math.min(length, end - offset));
        const after = await truncatedRange();
        // The bytes may have become a hole meanwhile: the truncation file is written before the hole is
        // punched.
        if (
          after === undefined ||
          after.to === before?.to ||
          after.to <= offset ||
          after.from >= offset + bytes.length
        )
          return { kind: 'bytes', offset, bytes };
      }
    },
    close: () => file.close(),
  };
}

/**
 * Reads the last bytes of a log as text, at most `maxBytes`, starting after a truncated range. Returns an
 * empty text when the log does not exist.
 */
export async function readLogTail(path: string, maxBytes: number): Promise<string> {
  const log = await openLog(path);
  if (log === undefined) return '';
  try {
    const size = await log.size();
    const start = Math.max(0, size - maxBytes);
    const piece = await log.read(start, maxBytes);
    if (piece.kind === 'bytes') return piece.bytes.toString('utf8');
    const rest = await log.read(piece.nextOffset, maxBytes);
    return rest.kind === 'bytes' ? rest.bytes.toString('utf8') : '';
  } finally {
    await log.close();
  }
}

/**
 * Reads the truncated range of a log of this size. A range that exceeds the size is ignored: the task has
 * truncated or replaced its log.
 */
export async function readTruncatedRange(path: string, size: number): Promise<TruncatedRange | undefined> {
  const file = await openReadable(truncationFilePath(path));
  if (file === undefined) return undefined;
  try {
    const match = /^(\d{1,15}) (\d{1,15}) (\d{1,15})\n$/.exec(
      (await readRange(file, 0, truncationFileMaxBytes)).toString('latin1'),
    );
    if (match === null) return undefined;
    const [from = 0, to = 0, cap = 0] = match.slice(1).map(Number);
    return from < to && to <= size ? { from, to, cap } : undefined;
  } finally {
    await file.close();
  }
}

/** Opens a file; undefined when its owner has removed the read permission. */
async function openReadable(path: string): Promise<FileHandle | undefined> {
  return openRegularFile(path).catch((error: unknown) => {
    if (codeOf(error) === 'EACCES') return undefined;
    throw error;
  });
}

function isTruncatedAt({ from, to }: TruncatedRange, offset: number): boolean {
  return offset >= from && offset < to;
}
