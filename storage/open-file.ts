/** Opening and looking at files of this machine without being held up or led astray by what they turn out to be. */
import { constants, type Stats } from 'node:fs';
import { open, stat, type FileHandle } from 'node:fs/promises';
import { codeOf } from '../engine/errors.ts';

/** Opens a regular file for reading; undefined for anything else. Follows no link in the last place. The caller closes it. */
export async function openRegular(path: string): Promise<FileHandle | undefined> {
  let file;
  try {
    // Without O_NONBLOCK a named pipe would hold the call until somebody writes to it.
    file = await open(path, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK);
  } catch (error) {
    const code = codeOf(error);
    // ELOOP: a link, ENXIO: a socket.
    if (isMissing(error) || code === 'ELOOP' || code === 'ENXIO') return undefined;
    throw error;
  }
  if ((await file.stat()).isFile()) return file;
  await file.close();
  return undefined;
}

/** The bytes of an open file from `offset` on: at most `length`, and none beyond its present end. */
export async function readFrom(file: FileHandle, offset: number, length: number): Promise<Buffer> {
  const { size } = await file.stat();
  const bytes = Buffer.alloc(Math.max(0, Math.min(length, size - offset)));
  let filled = 0;
  while (filled < bytes.length) {
    const { bytesRead } = await file.read(bytes, filled, bytes.length - filled, offset + filled);
    // The file was cut while it was read.
    if (bytesRead === 0) break;
    filled += bytesRead;
  }
  return bytes.subarray(0, filled);
}

/** What is known of a path, links followed; undefined when it leads to nothing. */
export async function statOf(path: string): Promise<Stats | undefined> {
  return stat(path).catch(missingAsUndefined);
}

/** Whether an error says that a path leads to nothing. */
export function isMissing(error: unknown): boolean {
  return codeOf(error) === 'ENOENT' || codeOf(error) === 'ENOTDIR';
}

/** For `catch`: nothing there is an answer, every other error stays one. */
export function missingAsUndefined(error: unknown): undefined {
  if (!isMissing(error)) throw error;
  return undefined;
}
