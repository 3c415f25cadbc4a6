/** The file that the embedded PostgreSQL writes its own log to. */
import { open, rename, stat, type FileHandle } from 'node:fs/promises';

/** A log larger than this is set aside as `<file>.1` when the server starts. */
const serverLogBytesMax = 10 * 2 ** 20;
const tailBytes = 4_096;

export interface LogPosition {
  readonly file: string;
  /** Bytes the file held when the mark was made. */
  readonly offset: number;
}

/** Opens the log for appending and marks its end, so that what follows can be told from what was there. */
export async function openServerLog(
  file: string,
): Promise<{ readonly handle: FileHandle; readonly mark: LogPosition }> {
  const size = await stat(file).then(
    (found) => found.size,
    () => 0,
  );
  if (size > serverLogBytesMax) await rename(file, `${file}.1`);
  return {
    handle: await open(file, 'a', 0o600),
    mark: { file, offset: size > serverLogBytesMax ? 0 : size },
  };
}

/** The last lines written since the mark, at most 4 KB; empty when there are none. */
export async function readLogSince(mark: LogPosition): Promise<string> {
  const handle = await open(mark.file, 'r').catch(() => undefined);
  if (handle === undefined) return '';
  try {
    const { size } = await handle.stat();
    const from = Math.max(mark.offset, size - tailBytes);
    const { buffer, bytesRead } = await handle.read(Buffer.alloc(Math.max(0, size - from)), 0, null, from);
    return buffer.toString('utf8', 0, bytesRead).trim();
  } finally {
    await handle.close();
  }
}
