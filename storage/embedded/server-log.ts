/** Log file of the embedded PostgreSQL. */
import { open, rename, stat, type FileHandle } from 'node:fs/promises';

/** Size above which the log is rotated to `<file>.1` at a start of the server. */
const serverLogBytesMax = 10 * 2 ** 20;
const tailBytes = 4_096;

export interface LogPosition {
  readonly file: string;
  /** Size of the file in bytes when the mark was set. */
  readonly offset: number;
}

/** Opens the log for appending and marks its end, so that new output can be told from old. */
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

/** Returns the last lines written since the mark, up to 4 KB; '' when there are none. */
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
