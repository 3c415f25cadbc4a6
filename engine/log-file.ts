/**
 * Reading the log of an attempt: a file that a task appends to, of whose middle a part may have been left out
 * (the cap of runners/process/log-truncation.ts).
 */
import type { FileHandle } from 'node:fs/promises';
import { codeOf } from './errors.ts';
import { openRegularFile, readRange } from './read-file.ts';

/** What a process writes, each to a file of its name. */
export const logStreams = ['stdout', 'stderr'] as const;
export type LogStream = (typeof logStreams)[number];

/**
 * Bytes `from` (inclusive) to `to` (exclusive) of a log, which are not kept: its file has a hole there and
 * keeps its length.
 */
export interface TruncatedRange {
  readonly from: number;
  readonly to: number;
  /** The cap in bytes for whose sake they were left out. */
  readonly cap: number;
}

/** What a log has at an offset: bytes, or a part that was left out. */
export type LogChunk =
  | { readonly kind: 'bytes'; readonly offset: number; readonly bytes: Buffer }
  | { readonly kind: 'left out'; readonly offset: number; readonly nextOffset: number; readonly cap: number };

/**
 * An open log. Offsets are those of the file: they never change their meaning, however much is left out
 * before them.
 */
export interface LogFile {
  /** How long it is now, with what was left out. */
  size(): Promise<number>;
  truncatedRange(): Promise<TruncatedRange | undefined>;
  /**
   * What there is at an offset, at most `length` bytes of it. Bytes end where a part was left out; none are
   * the present end.
   */
  read(offset: number, length: number): Promise<LogChunk>;
  close(): Promise<void>;
}

/** Name of the file beside a log that says what was left out. */
export const truncationFilePath = (path: string): string => `${path}.cut`;

/** Bytes of a file that says what was left out: three numbers. */
const truncationFileMaxBytes = 100;

/** Opens a log; undefined when there is none, or what stands there is no regular file or may not be read. */
export async function openLog(path: string): Promise<LogFile | undefined> {
  const file = await openReadable(path);
  if (file === undefined) return undefined;
  const size = async (): Promise<number> => (await file.stat()).size;
  const cut = async (): Promise<TruncatedRange | undefined> => readTruncatedRange(path, await size());
  return {
    size,
    truncatedRange: cut,
    async read(offset, length) {
      for (;;) {
        const before = await cut();
        if (before !== undefined && isTruncatedAt(before, offset))
          return { kind: 'left out', offset, nextOffset: before.to, cap: before.cap };
        const most = before !== undefined && offset < before.from ? before.from - offset : length;
        const bytes = await readRange(file, offset, Math.min(length, most));
        const after = await cut();
        // What was read may have become a hole meanwhile: a cut is told before it is made.
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
 * The last bytes of a log as text, at most `most`, and nothing from before what was left out last. Empty
 * where there is no log.
 */
export async function readLogTail(path: string, most: number): Promise<string> {
  const log = await openLog(path);
  if (log === undefined) return '';
  try {
    const size = await log.size();
    const start = Math.max(0, size - most);
    const piece = await log.read(start, most);
    if (piece.kind === 'bytes') return piece.bytes.toString('utf8');
    const rest = await log.read(piece.nextOffset, most);
    return rest.kind === 'bytes' ? rest.bytes.toString('utf8') : '';
  } finally {
    await log.close();
  }
}

/**
 * What was left out of a log of this size. What does not fit it, because the task has cut or replaced its
 * log, counts as nothing.
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

/** Whoever owns a file may take everybody's permissions on it. */
async function openReadable(path: string): Promise<FileHandle | undefined> {
  return openRegularFile(path).catch((error: unknown) => {
    if (codeOf(error) === 'EACCES') return undefined;
    throw error;
  });
}

function isTruncatedAt({ from, to }: TruncatedRange, offset: number): boolean {
  return offset >= from && offset < to;
}
