/**
 * Log truncation: oversized logs of tasks are truncated in the middle by hole punching.
 *
 * A task writes its log itself, so the log can only be truncated afterwards. Punching a hole frees the space
 * and keeps all offsets: the task continues to append, and readers keep their positions. A file beside the
 * log records the truncated range before the hole is punched.
 */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { constants, lstatSync } from 'node:fs';
import { open, rm, type FileHandle } from 'node:fs/promises';
import { join } from 'node:path';
import { codeOf } from '../../engine/errors.ts';
import {
  truncationFilePath,
  logStreams,
  readTruncatedRange,
  type TruncatedRange,
} from '../../engine/log-file.ts';
import { isMissing, readRange } from '../../engine/read-file.ts';
import { writeFileAtomically } from './pinned-command.ts';

/** Result of a check of the logs of a process. */
export interface LogCheck {
  /** Bytes ever written, to detect growth. */
  readonly bytesWritten: number;
  /** True when a log has reached a quarter of its limit. */
  readonly isNearLimit: boolean;
  /** Reason why a log cannot be truncated. */
  readonly truncationError: string | undefined;
}

/** Interval between checks. */
const checkIntervalMs = 2_000;
/** Interval while a large log grows, which may be by gigabytes in two seconds. */
const fastCheckIntervalMs = 100;

/** Creates a function that checks the logs of a running process and returns the time to the next check. */
export function createLogTruncator(
  directory: string,
  cap: number,
): () => Promise<{ readonly flood: string | undefined; readonly pauseMs: number }> {
  let before = 0;
  let pause = checkIntervalMs;
  return async () => {
    const { isNearLimit, truncationError, bytesWritten } = await truncateLogs(directory, cap);
    // Exponential backoff for a large log that no longer grows.
    pause =
      isNearLimit && bytesWritten !== before ? fastCheckIntervalMs : Math.min(checkIntervalMs, pause * 2);
    before = bytesWritten;
    return { flood: truncationError, pauseMs: isNearLimit ? pause : checkIntervalMs };
  };
}

/**
 * Checks the logs in a directory and truncates oversized ones.
 * @param isComplete true when the process has ended
 */
export async function truncateLogs(directory: string, cap: number, isComplete = false): Promise<LogCheck> {
  const checks = [];
  // A failed check (no file descriptors left, for example) is repeated in the next round.
  for (const stream of logStreams)
    checks.push(await truncateLog(join(directory, stream), cap, isComplete).catch(() => uncheckedLog));
  return {
    bytesWritten: checks.reduce((sum, check) => sum + check.bytesWritten, 0),
    isNearLimit: checks.some((check) => check.isNearLimit),
    truncationError: checks.find((check) => check.truncationError !== undefined)?.truncationError,
  };
}

/** Reads synchronously: the kernel answers from memory, and a thread pool costs ten times as much. */
function readSize(path: string): number {
  try {
    return lstatSync(path, { throwIfNoEntry: false })?.size ?? 0;
  } catch {
    return 0;
  }
}

const uncheckedLog: LogCheck = { bytesWritten: 0, isNearLimit: false, truncationError: undefined };

async function truncateLog(path: string, cap: number, isComplete: boolean): Promise<LogCheck> {
  // Most logs need only this check.
  const written = readSize(path);
  const smallLog = { bytesWritten: written, isNearLimit: false, truncationError: undefined };
  if (written <= cap / 4) return smallLog;
  const file = await openRegularLog(path);
  if (file === undefined) return smallLog;
  try {
    const { size } = await file.stat();
    const cut = await readTruncatedRange(path, size);
    const kept = size - (cut === undefined ? 0 : cut.to - cut.from);
    const fault =
      kept <= cap ? undefined : await truncateMiddle(file, path, await computeCut(file, cut, size, cap), cut);
    // A fault may be temporary: a full disk, or no free process.
    const isPersistent = fault !== undefined && kept > 2 * cap;
    if (isPersistent && isComplete && cut === undefined) await truncateEnd(file, cap);
    const flood = isPersistent
      ? `The task wrote ${size} bytes to a log limited to ${cap} bytes (RUNYARD_LOG_BYTES_MAX), and the log could not be truncated: ${fault}. The task was stopped.`
      : undefined;
    return { bytesWritten: size, isNearLimit: kept > cap / 4, truncationError: flood };
  } finally {
    await file.close();
  }
}

/** Punches the hole. Returns a reason on failure. */
async function truncateMiddle(
  file: FileHandle,
  path: string,
  { from, to, cap }: TruncatedRange,
  before: TruncatedRange | undefined,
): Promise<string | undefined> {
  // Recorded first: readers must not mistake the hole for output of the task.
  const recordError = await writeFileAtomically(truncationFilePath(path), `${from} ${to} ${cap}\n`).catch(
    (error: unknown) => `the truncated range cannot be recorded (${codeOf(error) ?? 'unknown'})`,
  );
  if (recordError !== undefined) return recordError;
  const fault = await punchHole(file, from, to - from);
  if (fault !== undefined && before === undefined) await rm(truncationFilePath(path), { force: true });
  return fault;
}

/** Truncates the end of a log where holes are not supported. */
async function truncateEnd(file: FileHandle, cap: number): Promise<void> {
  await file.truncate(cap);
  await file.write(
    Buffer.from(`\n[runyard: the rest was truncated; RUNYARD_LOG_BYTES_MAX is ${cap} bytes]\n`),
    0,
    null,
    cap,
  );
}

/**
 * Computes the range to truncate. The first half of the limit is kept, and a quarter at the end, which leaves
 * space for new output before the next truncation.
 */
async function computeCut(
  file: FileHandle,
  cut: TruncatedRange | undefined,
  size: number,
  cap: number,
): Promise<TruncatedRange> {
  const around = Math.min(lineSearchBytes, Math.floor(cap / 16));
  const from = cut?.from ?? (await findLineStartBefore(file, Math.floor(cap / 2), around));
  const to = await findLineStartAfter(file, size - Math.floor(cap / 4), around);
  return { from, to, cap };
}

/** Maximum distance to a line break at which the log is cut, so that no partial lines remain. */
const lineSearchBytes = 4_096;
const newline = 10;

async function findLineStartBefore(file: FileHandle, offset: number, around: number): Promise<number> {
  const bytes = await readRange(file, offset - around, around + 1);
  const line = bytes.lastIndexOf(newline, around - 1);
  if (line !== -1) return offset - around + line + 1;
  let border = around;
  while (border > around - 3 && isUtf8Continuation(bytes[border])) border -= 1;
  return offset - around + border;
}

async function findLineStartAfter(file: FileHandle, offset: number, around: number): Promise<number> {
  const bytes = await readRange(file, offset, around);
  const line = bytes.indexOf(newline);
  if (line !== -1) return offset + line + 1;
  let border = 0;
  while (border < 3 && isUtf8Continuation(bytes[border])) border += 1;
  return offset + border;
}

/** Tells whether a byte continues a character in UTF-8. */
function isUtf8Continuation(byte: number | undefined): boolean {
  return byte !== undefined && (byte & 0xc0) === 0x80;
}

/** Opens a log that is a regular file without links, which could lead to files of other owners. */
async function openRegularLog(path: string): Promise<FileHandle | undefined> {
  let file;
  try {
    file = await open(path, constants.O_RDWR | constants.O_NOFOLLOW | constants.O_NONBLOCK);
  } catch (error) {
    if (isMissing(error) || ['ELOOP', 'ENXIO', 'EISDIR', 'EACCES'].includes(codeOf(error) ?? ''))
      return undefined;
    throw error;
  }
  const stats = await file.stat();
  if (stats.isFile() && stats.nlink === 1) return file;
  await file.close();
  return undefined;
}

/** Frees the space of a range of an open file. Returns a reason on failure. */
async function punchHole(file: FileHandle, offset: number, length: number): Promise<string | undefined> {
  const child = spawn(
    'fallocate',
    ['--punch-hole', '--offset', String(offset), '--length', String(length), '/dev/fd/3'],
    { stdio: ['ignore', 'ignore', 'pipe', file.fd] },
  );
  let stderr = '';
  child.stderr?.setEncoding('utf8').on('data', (text: string) => {
    stderr = (stderr + text).slice(0, 500);
  });
  try {
    const [code] = await once(child, 'close');
    return code === 0 ? undefined : `fallocate reports "${stderr.trim().replaceAll(/\s+/g, ' ')}"`;
  } catch (error) {
    return codeOf(error) === 'ENOENT'
      ? 'the program fallocate (util-linux) is missing'
      : `fallocate could not be started (${codeOf(error) ?? 'unknown'})`;
  }
}
