/**
 * The cap of a task's logs: the first and the last part are kept, the middle is left out, and the task goes
 * on.
 *
 * A task writes its log itself, so nothing can stand between. What it has written is taken back instead: a
 * hole is punched into the file, which frees the space and leaves everything else where it is. So the task,
 * which appends, notices nothing, and whoever reads keeps its offsets. A file beside the log says where the
 * hole is, before it is made.
 */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { constants } from 'node:fs';
import { lstat, open, rm, type FileHandle } from 'node:fs/promises';
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

/** What a look at the logs of a process found. */
export interface LogCheck {
  /** Bytes of all that was ever written, to see whether it grows. */
  readonly bytesWritten: number;
  /** Whether a log has come near its cap. */
  readonly isNearLimit: boolean;
  /** Why a log cannot be kept small; undefined while all is well. */
  readonly truncationError: string | undefined;
}

/** How often logs are looked at, ms. */
const checkIntervalMs = 2_000;
/**
 * The same, while one grows that has reached a quarter of its cap: it may grow by gigabytes in two seconds.
 */
const fastCheckIntervalMs = 100;

/** Looks at the logs of a living process whenever it is called, and says when to look again. */
export function createLogTruncator(
  directory: string,
  cap: number,
): () => Promise<{ readonly flood: string | undefined; readonly pauseMs: number }> {
  let before = 0;
  let pause = checkIntervalMs;
  return async () => {
    const { isNearLimit, truncationError, bytesWritten } = await truncateLogs(directory, cap);
    // A long log that has fallen silent is looked at ever more seldom.
    pause =
      isNearLimit && bytesWritten !== before ? fastCheckIntervalMs : Math.min(checkIntervalMs, pause * 2);
    before = bytesWritten;
    return { flood: truncationError, pauseMs: isNearLimit ? pause : checkIntervalMs };
  };
}

/**
 * Looks at the logs of a directory, and leaves out what is too much.
 * @param over whether nothing writes to them any more
 */
export async function truncateLogs(directory: string, cap: number, over = false): Promise<LogCheck> {
  const looks = [];
  // One that cannot be looked at now, because no descriptor is left for example, is looked at the next time.
  for (const stream of logStreams)
    looks.push(await truncateLog(join(directory, stream), cap, over).catch(() => uncheckedLog));
  return {
    bytesWritten: looks.reduce((sum, look) => sum + look.bytesWritten, 0),
    isNearLimit: looks.some((look) => look.isNearLimit),
    truncationError: looks.find((look) => look.truncationError !== undefined)?.truncationError,
  };
}

const uncheckedLog: LogCheck = { bytesWritten: 0, isNearLimit: false, truncationError: undefined };

async function truncateLog(path: string, cap: number, over: boolean): Promise<LogCheck> {
  // Of most logs this is all that is ever looked at.
  const { size: written } = await lstat(path).catch(() => ({ size: 0 }));
  const far = { bytesWritten: written, isNearLimit: false, truncationError: undefined };
  if (written <= cap / 4) return far;
  const file = await openRegularLog(path);
  if (file === undefined) return far;
  try {
    const { size } = await file.stat();
    const cut = await readTruncatedRange(path, size);
    const kept = size - (cut === undefined ? 0 : cut.to - cut.from);
    const fault =
      kept <= cap ? undefined : await truncateMiddle(file, path, await computeCut(file, cut, size, cap), cut);
    // A fault may pass: a disk that is full, or no room for a process.
    const lasting = fault !== undefined && kept > 2 * cap;
    if (lasting && over && cut === undefined) await truncateEnd(file, cap);
    const flood = lasting
      ? `It has written ${size} bytes to one of its logs, of which ${cap} are kept (RUNYARD_LOG_BYTES_MAX), and the middle cannot be left out here: ${fault}. The task was stopped.`
      : undefined;
    return { bytesWritten: size, isNearLimit: kept > cap / 4, truncationError: flood };
  } finally {
    await file.close();
  }
}

/** Makes the hole; the reason when that is not possible. */
async function truncateMiddle(
  file: FileHandle,
  path: string,
  { from, to, cap }: TruncatedRange,
  before: TruncatedRange | undefined,
): Promise<string | undefined> {
  // Told first: whoever reads must not take the hole for what the task wrote.
  const told = await writeFileAtomically(truncationFilePath(path), `${from} ${to} ${cap}\n`).catch(
    (error: unknown) => `what is left out cannot be noted (${codeOf(error) ?? 'unknown'})`,
  );
  if (told !== undefined) return told;
  const fault = await punchHole(file, from, to - from);
  if (fault !== undefined && before === undefined) await rm(truncationFilePath(path), { force: true });
  return fault;
}

/** The last resort where no hole can be made: the beginning alone is kept. */
async function truncateEnd(file: FileHandle, cap: number): Promise<void> {
  await file.truncate(cap);
  await file.write(
    Buffer.from(`\n[runyard: the rest was left out; RUNYARD_LOG_BYTES_MAX is ${cap} bytes]\n`),
    0,
    null,
    cap,
  );
}

/**
 * What is to be left out now: of what may be kept the first half stays, and of the end a quarter to a half,
 * so that what comes has room before the next cut.
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

/** How far around a border the end of a line is looked for, so that no line is kept in part. */
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

/** Whether a byte is not the first of its character in UTF-8. */
function isUtf8Continuation(byte: number | undefined): boolean {
  return byte !== undefined && (byte & 0xc0) === 0x80;
}

/**
 * Opens a log that is a regular file with one name: a link could lead to a file that is not the task's, and
 * is left alone.
 */
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

/**
 * Frees the space of a range; the reason when that is not possible. The file is handed over open: its name
 * may lead elsewhere by now.
 */
async function punchHole(file: FileHandle, offset: number, length: number): Promise<string | undefined> {
  const child = spawn(
    'fallocate',
    ['--punch-hole', '--offset', String(offset), '--length', String(length), '/dev/fd/3'],
    { stdio: ['ignore', 'ignore', 'pipe', file.fd] },
  );
  let said = '';
  child.stderr?.setEncoding('utf8').on('data', (text: string) => {
    said = (said + text).slice(0, 500);
  });
  try {
    const [code] = await once(child, 'close');
    return code === 0 ? undefined : `fallocate says "${said.trim().replaceAll(/\s+/g, ' ')}"`;
  } catch (error) {
    return codeOf(error) === 'ENOENT'
      ? 'there is no program fallocate (util-linux)'
      : `fallocate cannot be started (${codeOf(error) ?? 'unknown'})`;
  }
}
