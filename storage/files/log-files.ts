/** Logs of attempts as text: pages, the last lines, and notifications of growth. */
import { watch } from 'node:fs';
import { join } from 'node:path';
import { openLog, type TruncatedRange, type LogFile } from '../../engine/log-file.ts';
import type { LogRef, LogPage, LogReader, LogReadOptions } from '../../engine/ports/attempt-logs.ts';
import { truncationLine, maskLogWindow } from '../../engine/run/log-masking.ts';
import type { Roots } from './roots.ts';

/** Maximum bytes of a UTF-8 character. */
const characterBytes = 4;
const newline = 10;

interface RenderedPage extends Omit<LogPage, 'text'> {
  readonly shown: Buffer;
}

export function createLogFiles(roots: Pick<Roots, 'runs'>): LogReader {
  const directoryOf = (runId: number): string => join(roots.runs.directory, String(runId));
  const withLog = async (
    name: LogRef,
    offset: number,
    read: (log: LogFile) => Promise<LogPage>,
  ): Promise<LogPage> => {
    const log = await openLog(join(directoryOf(name.runId), name.stream));
    if (log === undefined) return { offset, nextOffset: offset, size: 0, text: '' };
    try {
      return await read(log);
    } finally {
      await log.close();
    }
  };
  return {
    readPage: (name, offset, limit, view) =>
      withLog(name, offset, (log) => readPage(log, offset, limit, view)),
    readTail: (name, lines, limit, view) => withLog(name, 0, (log) => readTail(log, lines, limit, view)),
    async getSize({ runId, stream }) {
      const log = await openLog(join(directoryOf(runId), stream));
      try {
        return await log?.size();
      } finally {
        await log?.close();
      }
    },
    watch(runId, onChange) {
      try {
        const watcher = watch(directoryOf(runId), { persistent: false }, onChange);
        watcher.on('error', () => watcher.close());
        return () => watcher.close();
      } catch {
        return undefined;
      }
    },
  };
}

async function readPage(log: LogFile, offset: number, limit: number, view: LogReadOptions): Promise<LogPage> {
  const { shown, ...page } = await renderPage(log, offset, limit, view);
  return { ...page, text: shown.toString('utf8') };
}

/** Reads a page of raw bytes of the log, with secrets masked and a line in place of a truncated part. */
export async function renderPage(
  log: LogFile,
  offset: number,
  limit: number,
  { mask, isComplete }: LogReadOptions,
): Promise<RenderedPage> {
  for (;;) {
    const size = await log.size();
    const cut = await log.truncatedRange();
    // A task that truncated its own log continues at the new end.
    const start = Math.min(offset, size);
    if (cut !== undefined && start >= cut.from && start < cut.to) {
      return {
        offset: start,
        nextOffset: cut.to,
        size,
        shown: Buffer.from(truncationLine(cut.to - start, cut.cap)),
      };
    }
    const around = Math.max(0, mask.longest - 1);
    const begin = Math.max(keptPartStart(cut, start), start - around);
    const piece = await log.read(begin, start - begin + limit + characterBytes + around);
    // The part before it was truncated during the read.
    if (piece.kind === 'truncated') continue;
    const { bytes } = piece;
    const end = begin + bytes.length;
    const behind = end === cut?.from ? 'gap' : end < size ? 'more' : isComplete ? 'end' : 'pending';
    const { bytes: shown, to } = maskLogWindow(
      {
        bytes,
        from: Math.min(start - begin, bytes.length),
        truncatedBefore: begin === cut?.to,
        following: behind,
      },
      limit,
      mask,
    );
    return { offset: start, nextOffset: Math.max(start, begin + to), size, shown };
  }
}

async function readTail(log: LogFile, lines: number, limit: number, view: LogReadOptions): Promise<LogPage> {
  for (;;) {
    const size = await log.size();
    const cut = await log.truncatedRange();
    const lower = keptPartStart(cut, size);
    const begin = Math.max(lower, size - limit);
    const piece = await log.read(begin, limit);
    if (piece.kind === 'truncated') continue;
    const found = startOfLastLines(piece.bytes, lines);
    const start = begin + (found ?? (begin === lower ? 0 : countContinuationBytes(piece.bytes)));
    const page = await readPage(log, start, limit, view);
    const broken = cut !== undefined && found === undefined && begin === cut.to;
    return broken ? { ...page, text: truncationLine(cut.to - cut.from, cut.cap) + page.text } : page;
  }
}

/** Returns the start of the kept part that contains an offset. */
function keptPartStart(cut: TruncatedRange | undefined, offset: number): number {
  return cut !== undefined && offset >= cut.to ? cut.to : 0;
}

/** Returns the offset of the last lines; undefined when there are fewer. */
function startOfLastLines(bytes: Buffer, lines: number): number | undefined {
  // The line break at the end starts no further line.
  let at = bytes.at(-1) === newline ? bytes.length - 1 : bytes.length;
  for (let line = 0; line < lines; line += 1) {
    if (at <= 0) return undefined;
    at = bytes.lastIndexOf(newline, at - 1);
    if (at === -1) return undefined;
  }
  return lines === 0 ? bytes.length : at + 1;
}

/** Counts the leading bytes that belong to a character before them. */
function countContinuationBytes(bytes: Buffer): number {
  let at = 0;
  while (at < characterBytes - 1 && ((bytes[at] ?? 0) & 0xc0) === 0x80) at += 1;
  return at;
}
